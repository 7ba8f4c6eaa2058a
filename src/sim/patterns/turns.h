// Pieces in turn over the ranks: what several patterns are.
#pragma once

#include "sim/pattern.h"

namespace concilio::sim {

struct Turns {
  int64_t bytes;               // of a piece
  int64_t pitch_bytes;         // from one rank's piece to the next rank's
  int64_t memory_pitch_bytes;  // from one of a rank's pieces to its next
  int64_t pieces;              // of a rank
};
Result<Pattern> in_turns(int ranks, const Turns& turns);

}  // namespace concilio::sim
