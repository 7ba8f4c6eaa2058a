// Pieces that ranks have in turn. Several patterns consist of these.
#pragma once

#include "sim/pattern.h"

namespace concilio::sim {

struct Turns {
  int64_t bytes;               // bytes of a piece
  int64_t pitch_bytes;         // from the beginning of one rank's piece to that of the next rank's
  int64_t memory_pitch_bytes;  // likewise in memory, from one piece of a rank to its next
  int64_t pieces;              // number of pieces of a rank
};
Result<Pattern> in_turns(int ranks, const Turns& turns);

}  // namespace concilio::sim
