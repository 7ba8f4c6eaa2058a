// Text in XML and HTML.
#pragma once

#include <string>
#include <string_view>

namespace concilio {

// Escapes &, <, > and ". XML cannot represent most control characters, so they become spaces.
std::string xml_escaped(std::string_view text);

}  // namespace concilio
