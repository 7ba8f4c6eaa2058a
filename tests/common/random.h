// Random numbers that are the same on every rank, machine and library, so that a case follows from its seed
// alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <utility>
#include <vector>

namespace tests {

inline uint64_t mix(uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

inline uint64_t mix(uint64_t a, uint64_t b) {
  return mix(mix(a) ^ b);
}

// The byte at `index` of the random stream `stream`.
inline uint8_t byte_of(uint64_t stream, int64_t index) {
  return static_cast<uint8_t>(mix(stream, static_cast<uint64_t>(index) >> 3) >> (8 * (index & 7)));
}

class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}

  uint64_t next() { return mix(state_++); }
  // Both ends are possible.
  int64_t between(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(next() % static_cast<uint64_t>(high - low + 1));
  }
  bool chance(int percent) { return between(1, 100) <= percent; }
  // From 0 or 1 to `high`, with each order of magnitude equally likely.
  int64_t magnitude(int64_t high) {
    int bits = 0;
    while ((int64_t{1} << bits) < high) ++bits;
    const int64_t top = int64_t{1} << between(0, bits);
    return between(0, top < high ? top : high);
  }
  template <typename T>
  T pick(std::initializer_list<T> choices) {
    return *(choices.begin() + between(0, static_cast<int64_t>(choices.size()) - 1));
  }
  template <typename T>
  void shuffle(std::vector<T>& values) {
    for (size_t i = values.size(); i > 1; --i)
      std::swap(values[i - 1], values[static_cast<size_t>(next() % i)]);
  }

 private:
  uint64_t state_;
};

}  // namespace tests
