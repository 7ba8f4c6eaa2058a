// Unstructured data: rows of a dataset by lists of indices, one list a rank.
#pragma once

#include <cstdint>
#include <span>

#include "base/result.h"
#include "scorpio/files/dataset.h"

namespace concilio::scorpio {

// Local row i of `data` is row map[i] of the dataset. The dataset's rows are parted evenly among the roots,
// whoever asks for them; each moves its part window by window. Collective; the outcome is the same on all
// ranks.
Status move_rows(Group& group, File& file, const Request& request, std::span<const int64_t> map, void* data);

}  // namespace concilio::scorpio
