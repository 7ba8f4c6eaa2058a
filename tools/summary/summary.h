// The texts that `concilio run --summary` ends with.
#pragma once

#include <string>
#include <vector>

#include "summary/records.h"

namespace concilio::tools {

// `files`: one record a name, see by_name.

// What matters, on at most a screen: where the time went, totals, and the files that took longest, each with
// what would help.
std::string render_summary(const std::vector<FileRecord>& files);
// All that was done for each file, and why.
std::string render_details(const std::vector<FileRecord>& files);

}  // namespace concilio::tools
