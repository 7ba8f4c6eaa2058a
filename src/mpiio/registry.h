// Every open file of ours, so that a foreign handle is known from our own (find(), api.h). Thread-safe.
#pragma once

#include <vector>

namespace concilio::mpiio {

class File;

void enter_registry(File* file);
void leave_registry(File* file);
// Every open file of this process.
std::vector<File*> all_open_files();

}  // namespace concilio::mpiio
