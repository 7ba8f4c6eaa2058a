#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>

namespace concilio {

// (3, "rank") -> "3 ranks".
inline std::string counted(int64_t count, const char* noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

}  // namespace concilio
