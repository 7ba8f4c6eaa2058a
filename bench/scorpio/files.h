// Makes the input file without MPI, and checks the output files.
#pragma once

#include <string>

#include "scorpio/dataset.h"

namespace concilio::bench::scorpio {

// Local. Returns what failed as a text, or an empty text.
std::string make_input(const std::string& path, const Workload& workload);
std::string check_output(const std::string& path, const Workload& workload);

enum class Diff { same, different, not_installed };
// Local: compares two files by h5diff. `words` receives what it wrote.
Diff h5diff(const std::string& one, const std::string& other, std::string& words);

// Local: whether this process has the file open.
bool has_open(const std::string& path);

}  // namespace concilio::bench::scorpio
