#include "benchmark/file_digest.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <vector>

namespace concilio::tools {

namespace {

// Every step can be undone, for a given word and for a given hash, so no difference of one word is ever lost.
uint64_t mixed(uint64_t hash, uint64_t word) {
  return std::rotl(hash ^ word, 29) * 0x9e3779b97f4a7c15;
}

}  // namespace

std::optional<FileDigest> digest_of(const std::string& path) {
  std::error_code unknown;
  // Opening a pipe would wait for somebody at its other end.
  if (!std::filesystem::is_regular_file(path, unknown)) return std::nullopt;
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  FileDigest digest;
  std::vector<char> part(1 << 20);  // a multiple of a word, so only the last part ends within one
  while (file) {
    file.read(part.data(), std::ssize(part));
    const auto got = static_cast<size_t>(file.gcount());
    for (size_t at = 0; at < got; at += sizeof(uint64_t)) {
      uint64_t word = 0;
      std::memcpy(&word, part.data() + at, std::min(sizeof word, got - at));
      digest.hash = mixed(digest.hash, word);
    }
    digest.size += static_cast<int64_t>(got);
  }
  if (file.bad()) return std::nullopt;
  return digest;
}

}  // namespace concilio::tools
