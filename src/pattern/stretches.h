// The stretches of granules that are marked, found 64 granules at a time: a loop over single marks, or a
// search for the end of each stretch, takes longer than what is then done with a stretch of a few bytes.
#pragma once

#include <bit>
#include <cstdint>
#include <iterator>

#include "pattern/access.h"

namespace concilio::pattern {

// For a loop over the stretches of `marks` in ascending order: for (Interval stretch : Stretches(marks)).
// Of Marks it uses granules(), how many there are; marks(first), those of granules [first, first + 64) as
// bits, with 0 behind the last; and offsets(first, end), the interval of granules [first, end). What is
// marked during the loop may or may not be found.
template <typename Marks>
class Stretches {
 public:
  class Iterator {
   public:
    explicit Iterator(const Marks& marks) : marks_(marks) { ++*this; }
    Interval operator*() const { return stretch_; }
    Iterator& operator++() {
      const int64_t first = next_edge();
      stretch_ = first < marks_.granules() ? marks_.offsets(first, next_edge()) : Interval{};
      return *this;
    }
    bool operator==(std::default_sentinel_t) const { return stretch_.empty(); }

   private:
    // The next granule that is marked where the one before is not, or the other way round.
    int64_t next_edge() {
      while (edges_ == 0) {
        base_ += bits;
        if (base_ >= marks_.granules()) return marks_.granules();
        const uint64_t word = marks_.marks(base_);
        edges_ = word ^ (word << 1 | last_);
        last_ = word >> (bits - 1);
      }
      const int64_t edge = base_ + std::countr_zero(edges_);
      edges_ &= edges_ - 1;
      return edge;
    }

    static constexpr int bits = 64;
    const Marks marks_;
    int64_t base_ = -bits;           // the first granule of the present word
    uint64_t edges_ = 0, last_ = 0;  // edges not found yet in it; its last mark
    Interval stretch_;
  };

  explicit Stretches(const Marks& marks) : marks_(marks) {}
  Iterator begin() const { return Iterator(marks_); }
  static std::default_sentinel_t end() { return {}; }

 private:
  const Marks& marks_;
};

}  // namespace concilio::pattern
