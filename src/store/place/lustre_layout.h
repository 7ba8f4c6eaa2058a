// How Lustre stripes a file: read from the file's extended attribute `lustre.lov`, and chosen for a file that
// is created, by the request of Lustre's client that `lfs setstripe` makes. Neither needs a library of
// Lustre.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "base/system/descriptor.h"
#include "store/store.h"

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

// What Lustre's client is asked for: the bytes of a `struct lov_user_md_v1`. Lustre takes multiples of 64
// KiB, so the size of a stripe is rounded up to one. Any target may be the first.
constexpr size_t lustre_request_bytes = 32;
std::array<std::byte, lustre_request_bytes> encode_lustre_stripes(const Striping& wanted);

// Whether a file of this path would lie on Lustre.
bool lies_on_lustre(const std::string& path);

// Creates a file with these stripes, or with those of its folder if Lustre refuses them. `flags` and
// `permissions` are those of open(2). Returns no descriptor if that does not go, as there is such a file
// already, say; then open(2) does what can be done, and reports what is wrong. `created`: whether the file
// has come to be.
Descriptor create_on_lustre(const std::string& path, int flags, int permissions, const Striping& wanted,
                            bool& created);

}  // namespace concilio::store
