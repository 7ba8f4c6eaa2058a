// The access-pattern algebra, part one: what one tile of a pattern looks like.
//
// A Nest is an immutable tree that describes which bytes a datatype touches, in DATA ORDER (the order in
// which the datatype's bytes lie in a contiguous stream). Its size is that of the description, never that of
// the access (D and not M, in the terms of "A New Flexible MPI Collective I/O Implementation"): 10^9 pieces
// that are given as nested vectors take a few nodes.
//
// Definitions
//   data position  index of a byte in the stream, 0 <= position < size()
//   offset         where that byte lies, relative to the nest's origin; may be negative
//   piece          a maximal contiguous stretch that is also contiguous in the stream
//
// Invariants: no node inside a nest is without bytes (the empty nest is Nest::empty()). Neighbouring pieces
// that touch are merged where the builders can see it without expanding anything.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/result.h"
#include "pattern/numbers.h"

namespace concilio::pattern {

// A regular series of byte pieces: piece i is [offset + i * stride, offset + i * stride + length), in bytes.
// count >= 1, length >= 1. If count == 1, stride has no meaning.
struct Run {
  int64_t offset;
  int64_t length;
  int64_t stride;
  int64_t count;
};

// Contiguous pieces, given by lists: piece i begins at offsets[i] * unit + shift and has lengths[i] *
// length_unit bytes. One length alone is that of all pieces.
struct PieceLists {
  Numbers offsets, lengths;
  int64_t unit = 1, shift = 0, length_unit = 1;
};

class Nest;
using NestRef = std::shared_ptr<const Nest>;

class Nest {
 public:
  enum class Kind {
    empty,
    run,       // `run`
    loop,      // `count` copies of `child`, copy i shifted by offset + i * stride
    blocks,    // many contiguous pieces at `offsets`, of equal or differing lengths
    sequence,  // `parts`, one after another in the stream
  };
  struct Part {
    int64_t offset;         // shift of child
    int64_t data_position;  // of the part's first byte, in this nest's stream
    NestRef child;
  };

  static constexpr int max_depth = 4096;  // bounds the recursion over a nest

  // Builders. All fail with kind `count` where a size or an offset exceeds 64 bits, and with `unsupported`
  // beyond max_depth.
  static NestRef empty();
  static NestRef bytes(int64_t length);  // [0, length); empty if length == 0
  // `count` copies of child, copy i shifted by offset + i * stride. Becomes a run, or gets fewer levels,
  // wherever that is possible: repeat(bytes(8), 10, 8) is bytes(80), and a run whose copies continue it
  // becomes a longer run.
  static Result<NestRef> repeat(NestRef child, int64_t count, int64_t stride, int64_t offset = 0);
  // Pieces of bytes (lengths.size() is offsets.size() or 1). Pieces of no bytes are dropped, pieces that
  // touch are merged, and a regular series becomes a run. Other lists take 8 bytes per piece, or 16 where
  // lengths differ.
  static Result<NestRef> blocks(const PieceLists& pieces);
  // Parts one after another, each shifted by its offset. The data_position of the input is ignored.
  static Result<NestRef> sequence(std::vector<Part> parts);

  Kind kind() const { return kind_; }
  int64_t size() const { return size_; }      // data bytes
  int64_t lower() const { return lower_; }    // lowest offset touched; 0 if empty
  int64_t upper() const { return upper_; }    // highest offset touched + 1; 0 if empty
  int64_t pieces() const { return pieces_; }  // upper bound: pieces that touch across nodes may count twice
  // Whether offsets never decrease along the stream and no byte comes twice. Such a nest can be searched by
  // offset.
  bool monotone() const { return monotone_; }
  // Whether no piece begins before the one in front of it; bytes may come twice. Takes O(D).
  bool ascending() const;
  // The gcd of all lengths and of all differences between piece offsets (0 if empty). Every piece begins and
  // ends at a multiple of it, counted from lower().
  int64_t granule() const { return granule_; }
  // Equal for nests that are equal but for where they begin. A file's views often differ in that alone.
  uint64_t hash() const { return hash_; }
  // The size of the description in memory. A child counts once for each parent.
  int64_t memory_bytes() const { return memory_bytes_; }

  // The contents of a node; the comments say for which kinds.
  const Run& run() const { return run_; }                        // run
  const NestRef& child() const { return child_; }                // loop (count 1: only shifts its child)
  int64_t loop_offset() const { return run_.offset; }            // loop
  int64_t loop_stride() const { return run_.stride; }            // loop
  int64_t loop_count() const { return run_.count; }              // loop
  std::span<const int64_t> offsets() const { return offsets_; }  // blocks
  int64_t uniform_length() const { return run_.length; }         // blocks; 0: lengths differ
  // For blocks of differing lengths: the data position of each, then size(). For a sequence: the number of
  // pieces before each part, then pieces().
  std::span<const int64_t> positions() const { return positions_; }
  std::span<const Part> parts() const { return parts_; }  // sequence

 private:
  friend struct NestMaker;
  Nest() = default;
  Kind kind_ = Kind::empty;
  int depth_ = 0;
  bool monotone_ = true;
  int64_t size_ = 0, lower_ = 0, upper_ = 0, pieces_ = 0, granule_ = 0, memory_bytes_ = 0;
  uint64_t hash_ = 0;
  Run run_{0, 0, 0, 0};
  NestRef child_;
  std::vector<int64_t> offsets_, positions_;
  std::vector<Part> parts_;
};

}  // namespace concilio::pattern
