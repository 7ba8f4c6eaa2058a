// Text in XML.
#pragma once

#include <string>
#include <string_view>

namespace concilio {

// With &, <, > and " written as XML wants them; control characters, most of which it cannot have, become
// spaces.
std::string xml_escaped(std::string_view text);

}  // namespace concilio
