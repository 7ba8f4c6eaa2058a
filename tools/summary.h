// The text that `concilio run --summary` ends with.
#pragma once

#include <string>
#include <vector>

#include "records.h"

namespace concilio::tools {

// `files`: one record a name, see by_name.
std::string render_summary(const std::vector<FileRecord>& files);

}  // namespace concilio::tools
