// Lets one process say what many processes of a job would say alike.
#pragma once

#include <string>

namespace concilio {

// Whether this process is the first to ask for `text` among the processes of its job that still run on this
// node. Where that cannot be told, the answer is true.
bool first_on_node(const std::string& text);

}  // namespace concilio
