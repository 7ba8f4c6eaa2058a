// Text in XML.
#pragma once

#include <string>
#include <string_view>

namespace concilio {

// Escapes &, <, > and ". Control characters become spaces, since XML cannot represent most of them.
std::string xml_escaped(std::string_view text);

}  // namespace concilio
