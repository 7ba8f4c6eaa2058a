// A hash of a name that is the same in every process and on every machine: FNV-1a.
#pragma once

#include <cstdint>
#include <string_view>

namespace concilio {

constexpr uint64_t name_hash(std::string_view name) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

}  // namespace concilio
