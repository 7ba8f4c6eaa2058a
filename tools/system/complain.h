// How the command tells its user that something is wrong.
#pragma once

#include <string>

namespace concilio::tools {

// Writes "concilio: MESSAGE" to stderr.
void complain(const std::string& message);

}  // namespace concilio::tools
