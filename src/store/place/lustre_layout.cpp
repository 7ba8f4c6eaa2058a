#include "store/place/lustre_layout.h"

#include <sys/types.h>
#include <sys/xattr.h>

#include <vector>

namespace concilio::store {

namespace {

constexpr uint32_t plain_magic = 0x0BD10BD0, pool_magic = 0x0BD30BD0, composite_magic = 0x0BD60BD0;

// Where the numbers are, in bytes, in a plain layout, which may have a pool's name behind it:
constexpr size_t pattern_at = 4, stripe_bytes_at = 24, stripe_targets_at = 28;
constexpr uint32_t striped_pattern = 1, kind_of_pattern = 0xFFFF;
constexpr int64_t all_targets = 0xFFFF;
// Where they are in a composite layout, and in each entry of it:
constexpr size_t entry_count_at = 14, first_entry_at = 32, entry_bytes = 48;
constexpr size_t entry_offset_at = 24, entry_size_at = 28;

constexpr size_t most_attribute_bytes = 64 << 10;

std::optional<uint32_t> little_endian(std::span<const std::byte> bytes, size_t at, size_t count) {
  if (at > bytes.size() || count > bytes.size() - at) return std::nullopt;
  uint32_t number = 0;
  for (size_t i = 0; i < count; ++i) number |= std::to_integer<uint32_t>(bytes[at + i]) << (8 * i);
  return number;
}

std::optional<LustreStripes> decode_plain(std::span<const std::byte> bytes) {
  const auto magic = little_endian(bytes, 0, 4), pattern = little_endian(bytes, pattern_at, 4);
  const auto stripe_bytes = little_endian(bytes, stripe_bytes_at, 4);
  const auto targets = little_endian(bytes, stripe_targets_at, 2);
  if (!magic || !pattern || !stripe_bytes || !targets) return std::nullopt;
  if (*magic != plain_magic && *magic != pool_magic) return std::nullopt;
  // This excludes data that is kept with the metadata, with which many composite layouts begin.
  if ((*pattern & kind_of_pattern & striped_pattern) == 0 || *stripe_bytes == 0) return std::nullopt;
  return LustreStripes{*stripe_bytes, *targets == all_targets ? 0 : *targets};
}

}  // namespace

std::optional<LustreStripes> decode_lustre_stripes(std::span<const std::byte> attribute) {
  if (little_endian(attribute, 0, 4) != composite_magic) return decode_plain(attribute);
  const uint32_t entries = little_endian(attribute, entry_count_at, 2).value_or(0);
  for (uint32_t i = 0; i < entries; ++i) {
    const size_t entry = first_entry_at + i * entry_bytes;
    const auto offset = little_endian(attribute, entry + entry_offset_at, 4);
    const auto size = little_endian(attribute, entry + entry_size_at, 4);
    if (!offset || !size || *offset > attribute.size() || *size > attribute.size() - *offset) break;
    if (auto stripes = decode_plain(attribute.subspan(*offset, *size))) return stripes;
  }
  return std::nullopt;
}

std::optional<LustreStripes> lustre_stripes_of(int fd) {
  std::vector<std::byte> attribute(most_attribute_bytes);
  const ssize_t bytes = fgetxattr(fd, "lustre.lov", attribute.data(), attribute.size());
  if (bytes <= 0) return std::nullopt;
  return decode_lustre_stripes(std::span(attribute).first(static_cast<size_t>(bytes)));
}

}  // namespace concilio::store
