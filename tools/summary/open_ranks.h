// What a summary says of ranks that had a file open when the program ended.
#pragma once

#include <string>

#include "summary/records.h"

namespace concilio::tools {

// {0, 1, 2, 5} -> "0-2, 5". The numbers ascend. After some ranges the rest is left out.
std::string ranges_of(const std::vector<int64_t>& numbers);

// "not closed by 3 of 4 ranks; ranks 0-1 in a collective write for 12 s; rank 3 in no call". Empty if every
// rank had closed the file.
std::string told_of_open_ranks(const FileRecord& file);

}  // namespace concilio::tools
