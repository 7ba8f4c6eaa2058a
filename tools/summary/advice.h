// What a user or a programmer can change so that the calls on a file take less time.
#pragma once

#include <string>

#include "summary/records.h"

namespace concilio::tools {

// One line that begins with what is slow or with an option of `concilio run`, and has the text to paste. It
// is empty if the record shows nothing that is known to help.
std::string advice_on(const FileRecord& file);

}  // namespace concilio::tools
