// Makes random datatypes: for memory, for file views, and of every kind that the constructors allow.
#pragma once

#include "common/random.h"
#include "common/type_spec.h"

namespace tests {

// Makes any type that a buffer may have: with negative strides and bounds, holes, odd alignment, or no size.
// Its own pieces do not overlap, but copies of it one extent apart may. `form` is the representation of the
// file that its items are written to.
TypeSpec random_memory_type(Random& random, int64_t most_bytes, Form form);

// Makes a type for a view. It consists of whole etypes at ascending multiples of the etype's extent, none
// negative, and copies of it one extent apart do not overlap or descend. It is never empty. All its bytes and
// its extent are below `most_extent`, unless one etype is larger.
TypeSpec random_file_type(Random& random, const TypeSpec& etype, int64_t most_extent, Form form);

// A type with one `child` at each of the places, which are ascending and are given in extents of the child.
TypeSpec random_outer_type(Random& random, const TypeSpec& child, const std::vector<int64_t>& places,
                           Form form);

TypeSpec random_etype(Random& random, Form form);

struct AnyStyle {
  std::vector<size_t> basics;  // the types to use, of basic_types()
  bool ascending = false;      // whether most types ascend, as filetypes do
  bool large = false;          // whether some types are made by constructors with MPI_Count arguments
  bool markers = false;        // whether some structures have MPI-1's markers of their bounds
  bool one_byte_back = true;   // whether strides may be -1 byte
  bool odd_children = true;    // whether types may contain types that have a negative extent or no bytes
};

// Makes a type of at most `depth` constructors around a basic type. It is any that the constructors allow:
// with pieces that overlap, negative extents, empty blocks, or bounds for which libraries disagree. Size,
// bounds and extent are at most `most_bytes`.
TypeSpec random_any_type(Random& random, const AnyStyle& style, int depth, int64_t most_bytes);

// Whether `pieces` are ascending and do not overlap.
bool ascending(const std::vector<Piece>& pieces);
// Whether no two of `pieces` overlap. Their order does not matter.
bool disjoint(std::vector<Piece> pieces);

}  // namespace tests
