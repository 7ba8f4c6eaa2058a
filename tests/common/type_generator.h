// Random datatypes: for memory, for file views, and of every kind that the constructors allow.
#pragma once

#include "common/random.h"
#include "common/type_spec.h"

namespace tests {

// Any type a buffer may have: negative strides and bounds, holes, odd alignment, zero size. Its own pieces do
// not overlap, but copies of it one extent apart may. `form`: of the file that its items go to.
TypeSpec random_memory_type(Random& random, int64_t most_bytes, Form form);

// A type for a view: made of whole etypes at multiples of the etype's extent, ascending, not negative, and so
// that copies one extent apart neither overlap nor descend. Never empty. All its bytes lie below
// `most_extent`, as does its extent, unless one etype is larger.
TypeSpec random_file_type(Random& random, const TypeSpec& etype, int64_t most_extent, Form form);

// A type that puts one `child` at each of the places, given in the child's extents, ascending.
TypeSpec random_outer_type(Random& random, const TypeSpec& child, const std::vector<int64_t>& places,
                           Form form);

TypeSpec random_etype(Random& random, Form form);

struct AnyStyle {
  std::vector<size_t> basics;  // of basic_types(), those to be made of
  bool ascending = false;      // tends to ascend, as filetypes do
  bool large = false;          // some are made by constructors with counts of MPI_Count
  bool markers = false;        // some structures have MPI-1's markers of their bounds
  bool one_byte_back = true;   // strides of -1 byte
  bool odd_children = true;    // types of a negative extent, or without bytes, in others
};

// A type of at most `depth` constructors around a basic one, whatever these allow: pieces that overlap,
// negative extents, blocks of nothing, bounds that libraries do not agree on. Size, bounds and extent are at
// most `most_bytes`.
TypeSpec random_any_type(Random& random, const AnyStyle& style, int depth, int64_t most_bytes);

// Whether `pieces` are ascending and do not overlap.
bool ascending(const std::vector<Piece>& pieces);
// Whether no two of `pieces` overlap, in whatever order.
bool disjoint(std::vector<Piece> pieces);

}  // namespace tests
