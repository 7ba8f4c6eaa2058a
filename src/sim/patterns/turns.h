// Pieces that ranks have in turn. Several patterns consist of these.
#pragma once

#include "sim/patterns/parameters.h"

namespace concilio::sim {

struct Turns {
  int ranks;
  int64_t bytes;               // bytes of a piece
  int64_t pitch_bytes;         // from the beginning of one rank's piece to that of the next rank's
  int64_t memory_pitch_bytes;  // likewise in memory, from one piece of a rank to its next
  int64_t pieces;              // number of pieces of a rank

  int64_t round_bytes() const { return ranks * pitch_bytes; }  // from one piece of a rank to its next
};

// Blocks of a fixed size, which ranks have in turn.
inline constexpr PatternWords interleaved_words = {"interleaved", ":B",
                                                   "blocks of B bytes, in turn over the ranks"};
Result<Turns> interleaved_of(const Parameters& parameters, const Size& size);
// Of every BYTES of the file, a percentage holds data. Ranks have these pieces in turn. The file is equally
// large whatever the percentage, so that ways to write around holes can be compared by the size of the holes.
inline constexpr PatternWords extent_words = {
    "extent", ":BYTES/PERCENT",
    "PERCENT of every BYTES of the file, in turn over the ranks; the MiB are the file's, holes included"};
Result<Turns> extent_of(const Parameters& parameters, const Size& size);

// HPIO: regions of a fixed size with a fixed spacing, which ranks have in turn. In memory they have the same
// spacing, or are contiguous. The benchmark can describe the same bytes by three forms of datatype.
struct Hpio {
  enum class Form {
    vector,      // all regions as one vector
    structured,  // one region as a structure with its spacing, which view and count repeat
    indexed,     // every region by its displacement
  };
  Turns turns;
  Form form = Form::vector;
};
inline constexpr PatternWords hpio_words = {
    "hpio", ":SIZE/SPACING[:contigmem][:vector|struct|indexed][:COUNT]",
    "regions of SIZE bytes, SPACING apart, in turn over the ranks; in memory too, unless contigmem; "
    "COUNT a rank; as one vector, as a small structure that is repeated, or enumerated"};
Result<Hpio> hpio_of(const Parameters& parameters, const Size& size);

}  // namespace concilio::sim
