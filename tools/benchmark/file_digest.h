// Tells whether two states of a file have the same bytes, without keeping the bytes of either.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace concilio::tools {

struct FileDigest {
  int64_t size = 0;
  uint64_t hash = 0;
  auto operator<=>(const FileDigest&) const = default;
};

// The whole file is read. none: there is no regular file of that name that can be read.
std::optional<FileDigest> digest_of(const std::string& path);

}  // namespace concilio::tools
