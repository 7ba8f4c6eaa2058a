// HPIO: regions of a fixed size with a fixed spacing, which ranks have in turn. In memory they have the same
// spacing, or are contiguous. The benchmark can describe the same bytes by several forms of datatype, which
// makes no difference here.
#include <algorithm>

#include "sim/patterns/turns.h"

namespace concilio::sim {

Result<Pattern> hpio(const Parameters& parameters, const Size& size) {
  const Error wrong =
      malformed(std::string("SIZE and COUNT are each ") + piece_bytes_rule + ", and SPACING is one or 0");
  const size_t slash = parameters.empty() ? std::string::npos : parameters[0].find('/');
  if (slash == std::string::npos) return wrong;
  const std::string spacing_text = parameters[0].substr(slash + 1);
  const int64_t bytes = piece_bytes(parameters[0].substr(0, slash)), spacing = piece_bytes(spacing_text);
  if (bytes == 0 || (spacing == 0 && spacing_text != "0")) return wrong;
  Turns turns{bytes, bytes + spacing, bytes + spacing, std::max<int64_t>(size.bytes_per_rank / bytes, 1)};
  for (size_t i = 1; i < parameters.size(); ++i) {
    const std::string& word = parameters[i];
    if (word == "contigmem") {
      turns.memory_pitch_bytes = bytes;
    } else if (word != "vector" && word != "struct" && word != "indexed") {
      turns.pieces = piece_bytes(word);
      if (turns.pieces == 0) return wrong;
    }
  }
  return in_turns(size.ranks, turns);
}

}  // namespace concilio::sim
