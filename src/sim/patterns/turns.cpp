#include "sim/patterns/turns.h"

#include <algorithm>

#include "sim/pattern.h"

namespace concilio::sim {
namespace {

Result<Pattern> in_turns(const Turns& turns) {
  const Result<Alike> alike = Alike::of(turns);
  if (!alike) return alike.error();
  const Result<pattern::NestRef> file = series(turns.bytes, turns.pieces, turns.round_bytes());
  const Result<pattern::NestRef> memory = series(turns.bytes, turns.pieces, turns.memory_pitch_bytes);
  if (!file) return file.error();
  if (!memory) return memory.error();
  return Pattern{
      1, "",
      [file = *file, memory = *memory, turns](int rank, int) {
        return Request{whole(file, rank * turns.pitch_bytes), whole(memory, 0), turns.bytes * turns.pieces};
      },
      *alike};
}

}  // namespace

Result<Turns> interleaved_of(const Parameters& parameters, const Size& size) {
  const int64_t bytes = parameters.size() == 1 ? piece_bytes(parameters[0]) : 0;
  if (bytes == 0) return malformed(std::string("B is ") + piece_bytes_rule);
  return Turns{size.ranks, bytes, bytes, bytes, std::max<int64_t>(size.bytes_per_rank / bytes, 1)};
}

Result<Turns> extent_of(const Parameters& parameters, const Size& size) {
  const auto [bytes, percent] = parameters.size() == 1 ? piece_bytes_pair(parameters[0]) : PieceBytesPair{};
  if (bytes == 0 || percent == 0 || percent > 100)
    return malformed(std::string("BYTES is ") + piece_bytes_rule +
                     ", and PERCENT a whole number from 1 to 100");
  const int64_t region_bytes = std::max<int64_t>(bytes * percent / 100, 1);
  return Turns{size.ranks, region_bytes, bytes, region_bytes,
               std::max<int64_t>(size.bytes_per_rank / bytes, 1)};
}

Result<Hpio> hpio_of(const Parameters& parameters, const Size& size) {
  const Error wrong =
      malformed(std::string("SIZE and COUNT are each ") + piece_bytes_rule + ", and SPACING is one or 0");
  const size_t slash = parameters.empty() ? std::string::npos : parameters[0].find('/');
  if (slash == std::string::npos) return wrong;
  const std::string spacing_text = parameters[0].substr(slash + 1);
  const int64_t bytes = piece_bytes(parameters[0].substr(0, slash)), spacing = piece_bytes(spacing_text);
  if (bytes == 0 || (spacing == 0 && spacing_text != "0")) return wrong;
  const int64_t pitch = bytes + spacing;
  Hpio hpio{{size.ranks, bytes, pitch, pitch, std::max<int64_t>(size.bytes_per_rank / bytes, 1)}};
  for (size_t i = 1; i < parameters.size(); ++i) {
    const std::string& word = parameters[i];
    if (word == "contigmem") {
      hpio.turns.memory_pitch_bytes = bytes;
    } else if (word == "vector") {
      hpio.form = Hpio::Form::vector;
    } else if (word == "struct") {
      hpio.form = Hpio::Form::structured;
    } else if (word == "indexed") {
      hpio.form = Hpio::Form::indexed;
    } else {
      hpio.turns.pieces = piece_bytes(word);
      if (hpio.turns.pieces == 0) return wrong;
    }
  }
  return hpio;
}

Result<Pattern> interleaved(const Parameters& parameters, const Size& size) {
  const Result<Turns> turns = interleaved_of(parameters, size);
  return turns ? in_turns(*turns) : turns.error();
}

Result<Pattern> extent(const Parameters& parameters, const Size& size) {
  const Result<Turns> turns = extent_of(parameters, size);
  return turns ? in_turns(*turns) : turns.error();
}

Result<Pattern> hpio(const Parameters& parameters, const Size& size) {
  const Result<Hpio> hpio = hpio_of(parameters, size);
  return hpio ? in_turns(hpio->turns) : hpio.error();
}

}  // namespace concilio::sim
