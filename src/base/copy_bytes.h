// Copies of stretches of bytes, around a trap of some processors: "rep movsb" of AMD's from Zen 3 on takes
// ten times as long where the target lies up to 31 bytes ahead of the source, counted within a page of 4 KiB.
// The C library copies some KiB and more with it, and so does the kernel what is read from its page cache or
// written there. It is no rare case: what malloc returns for a large array begins 16 bytes into a page, and
// what a program reads into it mostly at a page's beginning.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace concilio {

// Whether a copy with "rep movsb" would be slow there. Both are addresses, or offsets of a file.
constexpr bool is_slow_distance(uint64_t to, uint64_t from) {
  constexpr uint64_t page_bytes = 4096, slow_bytes = 32;
  return ((to - from) % page_bytes) - 1 < slow_bytes - 1;
}

// Whether this machine's processor is one of those. Measured by the first call, in some microseconds.
bool has_slow_distances();

// Copies 64 bytes or more, with plain loads and stores. The stretches must not overlap.
inline void copy_in_blocks(std::byte* to, const std::byte* from, int64_t bytes) {
  constexpr int64_t block_bytes = 64;
  const int64_t tail = bytes - block_bytes;
  for (int64_t i = 0; i < tail; i += block_bytes) std::memcpy(to + i, from + i, block_bytes);
  std::memcpy(to + tail, from + tail, block_bytes);
}

// Copies any length from `half` to twice that: the first and the last `half` bytes, which may be the same
// ones.
template <int64_t half>
inline void copy_head_and_tail(std::byte* to, const std::byte* from, int64_t bytes) {
  std::memcpy(to, from, half);
  std::memcpy(to + bytes - half, from + bytes - half, half);
}

// Above this length the C library's memcpy is as fast as our own loops.
inline constexpr int64_t most_short_bytes = 512;

// Copies what does not overlap, as std::memcpy() does: short lengths without a call, which would take as long
// as the copy.
inline void copy_bytes(std::byte* to, const std::byte* from, int64_t bytes) {
  constexpr int64_t least_repeated_bytes = 2048;  // below this the C library does not copy with "rep movsb"
  if (bytes > most_short_bytes) {
    if (bytes >= least_repeated_bytes &&
        is_slow_distance(reinterpret_cast<uintptr_t>(to), reinterpret_cast<uintptr_t>(from)) &&
        has_slow_distances()) [[unlikely]]
      copy_in_blocks(to, from, bytes);
    else
      std::memcpy(to, from, static_cast<size_t>(bytes));
  } else if (bytes >= 64) {
    copy_in_blocks(to, from, bytes);
  } else if (bytes >= 32) {
    copy_head_and_tail<32>(to, from, bytes);
  } else if (bytes >= 16) {
    copy_head_and_tail<16>(to, from, bytes);
  } else if (bytes >= 8) {
    copy_head_and_tail<8>(to, from, bytes);
  } else if (bytes >= 4) {
    copy_head_and_tail<4>(to, from, bytes);
  } else if (bytes >= 2) {
    copy_head_and_tail<2>(to, from, bytes);
  } else if (bytes == 1) {
    *to = *from;
  }
}

}  // namespace concilio
