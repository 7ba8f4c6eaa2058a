#include "sim/patterns/turns.h"

#include "base/checked.h"

namespace concilio::sim {

Result<Pattern> in_turns(int ranks, const Turns& turns) {
  const auto round_bytes = checked_multiply(ranks, turns.pitch_bytes);
  if (!round_bytes || !checked_multiply(*round_bytes, turns.pieces))
    return malformed("the file is larger than files can be");
  const Result<NestRef> file = series(turns.bytes, turns.pieces, *round_bytes);
  const Result<NestRef> memory = series(turns.bytes, turns.pieces, turns.memory_pitch_bytes);
  if (!file) return file.error();
  if (!memory) return memory.error();
  return Pattern{
      1, "", [file = *file, memory = *memory, turns](int rank, int) {
        return Request{whole(file, rank * turns.pitch_bytes), whole(memory, 0), turns.bytes * turns.pieces};
      }};
}

}  // namespace concilio::sim
