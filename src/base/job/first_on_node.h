// What many processes of a job would say alike, one says.
#pragma once

#include <string>

namespace concilio {

// Whether this is the first process of its job on this node that asks for this text, among those that still
// run. True where that cannot be told.
bool first_on_node(const std::string& text);

}  // namespace concilio
