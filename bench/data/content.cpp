#include "data/content.h"

#include <algorithm>

namespace concilio::bench {

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
              "content_byte takes the bytes of a word from its low end");

namespace {

// Calls `on_word(position, value)` for whole words and `on_byte(position, value)` for the bytes before and
// after them. Stops when one of them returns false.
template <typename OnByte, typename OnWord>
void walk(int64_t offset, int64_t size, uint64_t repetition, OnByte on_byte, OnWord on_word) {
  int64_t position = 0;
  for (; position < size && (offset + position) % 8 != 0; ++position) {
    if (!on_byte(position, content_byte(offset + position, repetition))) return;
  }
  for (; position + 8 <= size; position += 8) {
    if (!on_word(position, content_word((offset + position) >> 3, repetition))) return;
  }
  for (; position < size; ++position) {
    if (!on_byte(position, content_byte(offset + position, repetition))) return;
  }
}

}  // namespace

void fill_content(unsigned char* bytes, int64_t offset, int64_t size, uint64_t repetition) {
  walk(
      offset, size, repetition,
      [&](int64_t position, unsigned char value) {
        bytes[position] = value;
        return true;
      },
      [&](int64_t position, uint64_t value) {
        std::memcpy(bytes + position, &value, sizeof value);
        return true;
      });
}

int64_t find_difference(const unsigned char* bytes, int64_t offset, int64_t size, uint64_t repetition) {
  int64_t found = -1;
  walk(
      offset, size, repetition,
      [&](int64_t position, unsigned char value) {
        if (bytes[position] == value) return true;
        found = position;
        return false;
      },
      [&](int64_t position, uint64_t value) {
        uint64_t there;
        std::memcpy(&there, bytes + position, sizeof there);
        if (there == value) return true;
        found = position + __builtin_ctzll(there ^ value) / 8;
        return false;
      });
  return found;
}

int64_t find_other_than(const unsigned char* bytes, int64_t size, unsigned char value) {
  const unsigned char* found =
      std::find_if(bytes, bytes + size, [=](unsigned char byte) { return byte != value; });
  return found == bytes + size ? -1 : found - bytes;
}

}  // namespace concilio::bench
