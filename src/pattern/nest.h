// The access-pattern algebra, part one: what one tile of a pattern looks like.
//
// A Nest is an immutable tree that describes which bytes a datatype touches, in DATA ORDER (the order in
// which the datatype's bytes lie in a contiguous stream). Its size is that of the description (D of the
// flexible collective I/O paper), never that of the access (M): 10^9 pieces given as nested vectors take a
// few nodes.
//
// Definitions
//   data position  index of a byte in the stream, 0 <= position < size()
//   offset         where that byte lies, relative to the nest's origin; may be negative
//   piece          a maximal contiguous stretch that is also contiguous in the stream
//
// Invariants: nodes with no bytes do not exist inside a nest (the empty nest is Nest::empty()); neighbouring
// pieces that touch are merged where the builders can see it without expanding anything.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/result.h"
#include "pattern/numbers.h"

namespace concilio {

// A regular series of byte pieces: piece i is [offset + i * stride, offset + i * stride + length).
// count >= 1, length >= 1; stride is of no meaning if count == 1. Bytes.
struct Run {
  int64_t offset;
  int64_t length;
  int64_t stride;
  int64_t count;
};

// Contiguous pieces given by lists: piece i begins at offsets[i] * unit + shift and has lengths[i] *
// length_unit bytes; one length alone holds for all.
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
    blocks,    // many contiguous pieces at `offsets`, of one length or of each its own
    sequence,  // `parts`, one after another in the stream
  };
  struct Part {
    int64_t offset;         // shift of child
    int64_t data_position;  // of its first byte, in this nest's stream
    NestRef child;
  };

  static constexpr int max_depth = 4096;  // so that recursion over a nest is bounded

  // Builders. All fail with kind `count` where a size or an offset leaves 64 bits, and `unsupported` beyond
  // max_depth.
  static NestRef empty();
  static NestRef bytes(int64_t length);  // [0, length); empty if length == 0
  // `count` copies of child, copy i shifted by offset + i * stride. Collapses to a run or to fewer levels
  // wherever it can: repeat(bytes(8), 10, 8) is bytes(80); repeat of a run whose copies continue it is a
  // longer run.
  static Result<NestRef> repeat(NestRef child, int64_t count, int64_t stride, int64_t offset = 0);
  // Pieces of bytes (lengths.size() == offsets.size(), or 1). Zero lengths are dropped, touching neighbours
  // merged, a regular series becomes a run; of others 8 bytes are kept for each piece, 16 where lengths
  // differ.
  static Result<NestRef> blocks(const PieceLists& pieces);
  // Parts one after another, each shifted by its offset; data_position of the input is ignored.
  static Result<NestRef> sequence(std::vector<Part> parts);

  Kind kind() const { return kind_; }
  int64_t size() const { return size_; }      // data bytes
  int64_t lower() const { return lower_; }    // lowest offset touched; 0 if empty
  int64_t upper() const { return upper_; }    // highest offset touched + 1; 0 if empty
  int64_t pieces() const { return pieces_; }  // upper bound: pieces that touch across nodes may count twice
  // Offsets never decrease along the stream and no byte comes twice: the nest can be searched by offset.
  bool monotone() const { return monotone_; }
  // gcd of all lengths and of all differences between piece offsets (0 if empty): every piece begins and ends
  // at a multiple of it, counted from lower().
  int64_t granule() const { return granule_; }
  uint64_t hash() const { return hash_; }
  int64_t memory_bytes() const {
    return memory_bytes_;
  }  // of the description, children counted once per parent

  // What stands in a node, by kind.
  const Run& run() const { return run_; }                        // run
  const NestRef& child() const { return child_; }                // loop (count 1: only shifts its child)
  int64_t loop_offset() const { return run_.offset; }            // loop
  int64_t loop_stride() const { return run_.stride; }            // loop
  int64_t loop_count() const { return run_.count; }              // loop
  std::span<const int64_t> offsets() const { return offsets_; }  // blocks
  int64_t uniform_length() const { return run_.length; }         // blocks; 0: lengths differ
  // Blocks of differing lengths: data position of each, and size() at the end. Sequence: pieces before each
  // part, and pieces() at the end.
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

}  // namespace concilio
