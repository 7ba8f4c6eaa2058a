// What `concilio report --json` prints.
#pragma once

#include <string>

#include "summary/records.h"

namespace concilio::tools {

// The summary and the details of a run as a JSON object: the record of each file, what went wrong with it and
// what would help; without the tables of when and where ranks read and wrote.
std::string summary_as_json(const Report& report);

}  // namespace concilio::tools
