// Unstructured data: every rank moves the rows of a dataset that its list of indices names.
#pragma once

#include <cstdint>
#include <span>

#include "base/result.h"
#include "scorpio/files/dataset.h"

namespace concilio::scorpio {

// Moves row i of `data` from or to row map[i] of the dataset. The dataset's rows are divided evenly among the
// roots, whichever ranks ask for them, and each root moves its part window by window. Collective; the outcome
// is the same on all ranks.
Status move_rows(Group& group, File& file, const Request& request, std::span<const int64_t> map, void* data);

}  // namespace concilio::scorpio
