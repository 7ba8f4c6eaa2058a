// Random datatypes for memory and for file views.
#pragma once

#include "random.h"
#include "type_spec.h"

namespace oracle {

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

// Whether `pieces` are ascending and do not overlap.
bool ascending(const std::vector<Piece>& pieces);
// Whether no two of `pieces` overlap, in whatever order.
bool disjoint(std::vector<Piece> pieces);

}  // namespace oracle
