// How Lustre stripes a file, from the extended attribute `lustre.lov` of the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace concilio {

struct LustreStripes {
  int64_t bytes = 0;
  int64_t targets = 0;  // 0: as many as there are
  bool operator==(const LustreStripes&) const = default;
};

// Of a layout of several components, those of the first that lies on targets of data. Nothing where the
// bytes are no layout that stripes.
std::optional<LustreStripes> decode_lustre_stripes(std::span<const std::byte> attribute);

// Of an open file.
std::optional<LustreStripes> lustre_stripes_of(int fd);

}  // namespace concilio
