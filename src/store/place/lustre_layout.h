// How Lustre stripes a file, read from the file's extended attribute `lustre.lov`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace concilio::store {

struct LustreStripes {
  int64_t bytes = 0;
  int64_t targets = 0;  // 0: all that there are
  bool operator==(const LustreStripes&) const = default;
};

// If the layout has several components, returns the stripes of the first one that lies on data targets.
// Returns nothing if the bytes are not a striped layout.
std::optional<LustreStripes> decode_lustre_stripes(std::span<const std::byte> attribute);

// The stripes of an open file.
std::optional<LustreStripes> lustre_stripes_of(int fd);

}  // namespace concilio::store
