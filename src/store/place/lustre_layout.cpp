#include "store/place/lustre_layout.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/statfs.h>
#include <sys/types.h>
#include <sys/xattr.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <vector>

#include "base/log.h"

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

// Of Lustre's client (lustre_user.h): open(2) leaves the file without stripes until the request says which.
constexpr int delays_stripes = 0100000000 | O_NOCTTY | O_ASYNC;
constexpr unsigned long set_stripes = _IOW('f', 154, long);
constexpr size_t first_target_at = 30;
constexpr uint32_t any_target = 0xFFFF;
constexpr int64_t stripe_bytes_step = 64 << 10;
constexpr uint32_t lustre_magic = 0x0BD00BD0;  // f_type of statfs(2)

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

std::array<std::byte, lustre_request_bytes> encode_lustre_stripes(const Striping& wanted) {
  std::array<std::byte, lustre_request_bytes> request{};
  const auto put = [&](size_t at, size_t count, uint32_t number) {
    for (size_t i = 0; i < count; ++i) request[at + i] = static_cast<std::byte>(number >> (8 * i));
  };
  const int64_t steps = wanted.bytes / stripe_bytes_step + (wanted.bytes % stripe_bytes_step != 0);
  const int64_t bytes = std::min(steps, int64_t{UINT32_MAX} / stripe_bytes_step) * stripe_bytes_step;
  put(0, 4, plain_magic);
  put(stripe_bytes_at, 4, static_cast<uint32_t>(bytes));
  put(stripe_targets_at, 2,
      static_cast<uint32_t>(wanted.targets < 0 ? all_targets : std::min(wanted.targets, all_targets - 1)));
  put(first_target_at, 2, any_target);
  return request;
}

bool lies_on_lustre(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  struct statfs status;
  return statfs(folder.empty() ? "." : folder.c_str(), &status) == 0 &&
         static_cast<uint32_t>(status.f_type) == lustre_magic;
}

Descriptor create_on_lustre(const std::string& path, int flags, int permissions, const Striping& wanted,
                            bool& created) {
  Descriptor made(
      ::open(path.c_str(), flags | O_CREAT | O_EXCL | delays_stripes, static_cast<mode_t>(permissions)));
  created = static_cast<bool>(made);
  if (!made) return made;
  const auto ask = [&](const Striping& striping) {
    auto request = encode_lustre_stripes(striping);
    return ioctl(made.number(), set_stripes, request.data()) == 0;
  };
  if (ask(wanted)) return made;
  log(LogLevel::warning,
      "{}: Lustre refused the stripes that striping_unit and striping_factor ask for ({}); the file gets "
      "those "
      "of its folder (lfs getstripe -d shows them)",
      path, std::generic_category().message(errno));
  return ask({}) ? std::move(made) : Descriptor();
}

std::optional<LustreStripes> lustre_stripes_of(int fd) {
  std::vector<std::byte> attribute(most_attribute_bytes);
  const ssize_t bytes = fgetxattr(fd, "lustre.lov", attribute.data(), attribute.size());
  if (bytes <= 0) return std::nullopt;
  return decode_lustre_stripes(std::span(attribute).first(static_cast<size_t>(bytes)));
}

}  // namespace concilio::store
