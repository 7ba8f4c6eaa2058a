// Functions on all the parts of a window together.
#pragma once

#include <span>

#include "exec/windows/images.h"

namespace concilio::exec {

inline std::byte* address(const WindowPart& part, pattern::Interval range) {
  return part.data + (range.begin - part.file.begin);
}
bool all_full(std::span<const WindowPart> parts);
int64_t total_bytes(std::span<const WindowPart> parts);
int64_t covered_bytes(std::span<const WindowPart> parts);
// Moves the covered bytes of the parts to `to`, one stretch after another; `to` may be the window's own
// front. Returns how many.
int64_t pack(std::span<const WindowPart> parts, std::byte* to);
// The inverse of pack(), where the `bytes` packed bytes lie at the window's own front.
void unpack_in_place(std::span<const WindowPart> parts, std::byte* front, int64_t bytes);

}  // namespace concilio::exec
