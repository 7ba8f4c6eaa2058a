// Numbers of bytes, as users write and read them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace concilio {

// "4096", "4k", "4KiB", "1M", "2GiB" -> bytes (powers of 1024).
Result<int64_t> parse_bytes(std::string_view text);
// 1536 -> "1.5 KiB".
std::string format_bytes(int64_t bytes);

// The sizes in the canonical text of a byte_list setting.
std::vector<int64_t> byte_list(std::string_view text);

}  // namespace concilio
