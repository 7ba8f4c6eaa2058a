// Shorter descriptions of some of an access's data. A list of blocks is as long as its data are many, and who
// needs few of these should not keep the whole list.
#pragma once

#include "pattern/access.h"

namespace concilio::pattern {

// Data `data` of `access`.
struct Excerpt {
  Access access;
  Interval data;
};

// Describes the same bytes, in the same order, as data [data.begin, data.end) of the access, which are some.
// Of lists and sequences only the entries that hold these bytes are left. Data in several tiles, or in
// several copies of a loop, keep the description that these have in common. Takes time and memory in
// proportion to the result.
Result<Excerpt> excerpt(const Access& access, Interval data);

}  // namespace concilio::pattern
