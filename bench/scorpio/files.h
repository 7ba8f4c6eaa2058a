// The input file, made without MPI, and the check of output files.
#pragma once

#include <string>

#include "scorpio/dataset.h"

namespace concilio::bench::scorpio {

// Local. Failures as text, empty where all went well.
std::string make_input(const std::string& path, const Workload& workload);
std::string check_output(const std::string& path, const Workload& workload);

enum class Diff { same, different, not_installed };
// Local: what h5diff says of two files. `words`: what it wrote.
Diff h5diff(const std::string& one, const std::string& other, std::string& words);

// Local: whether this process has the file open.
bool has_open(const std::string& path);

}  // namespace concilio::bench::scorpio
