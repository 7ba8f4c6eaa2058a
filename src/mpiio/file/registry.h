// All files that Concilio has open, by which their handles are told from those of other MPI-IO
// implementations (find(), api.h). Thread-safe.
#pragma once

#include <vector>

namespace concilio::mpiio {

class File;

void enter_registry(File* file);
void leave_registry(File* file);
// Every file of this process that Concilio has open.
std::vector<File*> all_open_files();

}  // namespace concilio::mpiio
