#include "exec/windows/window_parts.h"

#include <algorithm>
#include <cstring>

namespace concilio::exec {
namespace {

// Calls f(part, covered interval) for every covered stretch, in order.
template <typename F>
void for_each_covered(std::span<const WindowPart> parts, F&& f) {
  for (const WindowPart& part : parts) {
    for (const pattern::Interval covered : part.map.covered()) f(part, covered);
  }
}

}  // namespace

bool all_full(std::span<const WindowPart> parts) {
  return std::all_of(parts.begin(), parts.end(), [](const WindowPart& part) { return part.map.full(); });
}

int64_t total_bytes(std::span<const WindowPart> parts) {
  int64_t bytes = 0;
  for (const WindowPart& part : parts) bytes += part.file.length();
  return bytes;
}

int64_t covered_bytes(std::span<const WindowPart> parts) {
  int64_t bytes = 0;
  for (const WindowPart& part : parts) bytes += part.map.summary().bytes;
  return bytes;
}

int64_t pack(std::span<const WindowPart> parts, std::byte* to) {
  std::byte* next = to;
  for_each_covered(parts, [&](const WindowPart& part, pattern::Interval covered) {
    std::memmove(next, address(part, covered), static_cast<size_t>(covered.length()));
    next += covered.length();
  });
  return next - to;
}

void unpack_in_place(std::span<const WindowPart> parts, std::byte* front, int64_t bytes) {
  // From the last stretch to the first, since each moves towards the end of the window.
  for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
    for (int64_t begin = part->map.granules(); begin > 0;) {
      const int64_t end = begin;
      while (begin > 0 && part->map.is_covered(begin - 1)) --begin;
      if (begin == end) {
        --begin;
        continue;
      }
      const pattern::Interval covered = part->map.offsets(begin, end);
      bytes -= covered.length();
      std::memmove(address(*part, covered), front + bytes, static_cast<size_t>(covered.length()));
    }
  }
}

}  // namespace concilio::exec
