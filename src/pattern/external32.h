// The data representation "external32" (MPI 4.1, section 14.5.2): big-endian, IEEE, without padding.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/result.h"
#include "pattern/item.h"

namespace concilio::pattern {

// Whether items of this kind and these widths can be converted at all.
bool external32_converts(const Item& item);

// Converts `count` items, which are packed on both sides. The two sides may not overlap.
// external32_converts() must be true of the item. Where a value does not fit, fails with kind `conversion`;
// the items before it have been converted.
Status to_external32(const Item& item, int64_t count, const std::byte* native, std::byte* file);
Status from_external32(const Item& item, int64_t count, const std::byte* file, std::byte* native);

}  // namespace concilio::pattern
