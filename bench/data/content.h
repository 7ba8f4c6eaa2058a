// The bytes that the benchmark writes. Each is a function of its position in the file and of the repetition,
// so that a byte in a wrong place, or one that an earlier call left behind, is detected.
#pragma once

#include <cstdint>
#include <cstring>

namespace concilio::bench {

inline constexpr unsigned char gap_byte = 0x5A;     // between the pieces in memory; it must not change
inline constexpr unsigned char poison_byte = 0xC3;  // in the buffer before a read
inline constexpr unsigned char hole_byte = 0x3C;    // in the file where no rank writes; it must not change

inline uint64_t mix(uint64_t x) {
  x *= 0x9E3779B97F4A7C15u;
  x ^= x >> 32;
  x *= 0xD6E8FEB86659FD93u;
  x ^= x >> 32;
  return x;
}

// The eight bytes at file offset 8 * `word`.
inline uint64_t content_word(int64_t word, uint64_t repetition) {
  return mix(static_cast<uint64_t>(word) + (repetition << 48));
}
inline unsigned char content_byte(int64_t offset, uint64_t repetition) {
  return static_cast<unsigned char>(content_word(offset >> 3, repetition) >> ((offset & 7) * 8));
}

void fill_content(unsigned char* bytes, int64_t offset, int64_t size, uint64_t repetition);
// The first position in `bytes` whose byte is not the content of file offset `offset` + position, or -1 if
// there is none.
int64_t find_difference(const unsigned char* bytes, int64_t offset, int64_t size, uint64_t repetition);
// The first position whose byte is not `value`, or -1 if there is none.
int64_t find_other_than(const unsigned char* bytes, int64_t size, unsigned char value);

}  // namespace concilio::bench
