#include "base/text/xml.h"

namespace concilio {

std::string xml_escaped(std::string_view text) {
  constexpr std::string_view kept = "&<>\"";
  constexpr const char* names[] = {"&amp;", "&lt;", "&gt;", "&quot;"};
  std::string out;
  for (const char c : text) {
    if (const size_t at = kept.find(c); at != kept.npos)
      out += names[at];
    else
      out += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  }
  return out;
}

}  // namespace concilio
