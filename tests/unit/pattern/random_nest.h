// Nests of every kind, of random numbers.
#pragma once

#include <random>
#include <vector>

#include "pattern/nest.h"

namespace concilio::pattern::test {

// With at most `depth` levels below the first. All but those that loop backwards are monotone.
inline NestRef random_nest(std::mt19937_64& random, int depth) {
  const auto number = [&](int64_t most) {
    return static_cast<int64_t>(random() % static_cast<uint64_t>(most));
  };
  if (depth == 0) return Nest::bytes(1 + number(20));
  NestRef child = random_nest(random, depth - 1);
  switch (random() % 4) {
    case 0:
      return *Nest::repeat(child, 1 + number(5), child->upper() - child->lower() + number(100), number(50));
    case 1: {
      std::vector<int64_t> offsets, lengths;
      int64_t at = number(10);
      const bool alike = random() % 2;
      for (int64_t i = 0; i < 2 + number(8); ++i) {
        offsets.push_back(at);
        if (!alike || lengths.empty()) lengths.push_back(1 + number(9));
        at += lengths.back() + number(20);
      }
      return *Nest::blocks({Numbers(offsets), Numbers(lengths)});
    }
    case 2: {
      std::vector<Nest::Part> parts;
      int64_t at = 0;
      for (int64_t i = 0; i < 1 + number(4); ++i) {
        if (random() % 2) child = random_nest(random, depth - 1);
        parts.push_back({at - child->lower(), 0, child});
        at += child->upper() - child->lower() + number(30);
      }
      return *Nest::sequence(std::move(parts));
    }
    default:
      return *Nest::repeat(child, 1 + number(4), number(200) - 100, -number(50));
  }
}

}  // namespace concilio::pattern::test
