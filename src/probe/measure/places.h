// Where the requests of a measurement lie, in the file and in memory.
#pragma once

#include <numeric>
#include <span>

#include "store/store.h"

namespace concilio::probe {

// Requests of `bytes` each in [begin, begin + room) of the file. Their data are taken from one place of a
// user's buffer after the other.
class Places {
 public:
  enum class Order {
    adjoining,
    // In ascending order, with gaps of three times their length: one of four ranks that alternate has these.
    apart,
    random,  // anywhere
  };

  Places(Order order, int64_t bytes, int64_t begin, int64_t room, std::span<std::byte> buffer)
      : begin_(begin), bytes_(bytes), buffer_(buffer) {
    // For random places, no request begins where the last one ended, and no two are in the same page.
    slot_bytes_ = order == Order::adjoining ? bytes
                  : order == Order::apart   ? 4 * bytes
                                            : std::max<int64_t>(2 * bytes, 8192);
    if (slot_bytes_ > room) slot_bytes_ = bytes;
    slots_ = std::max<int64_t>(1, room / slot_bytes_);
    step_ = 1;
    if (order == Order::random) {
      // Steps of the golden section of the range leave no regular gaps.
      step_ = std::max<int64_t>(1, static_cast<int64_t>(0.618 * static_cast<double>(slots_)));
      while (std::gcd(step_, slots_) != 1) ++step_;
    }
  }

  store::Transfer next() {
    const int64_t offset = begin_ + slot_ * slot_bytes_;
    slot_ = (slot_ + step_) % slots_;
    if (memory_ + bytes_ > static_cast<int64_t>(buffer_.size())) memory_ = 0;
    std::byte* data = buffer_.data() + memory_;
    memory_ += bytes_;
    return {offset, data, bytes_};
  }
  int64_t slots() const { return slots_; }

 private:
  int64_t begin_, bytes_, slot_bytes_, slots_, step_;
  int64_t slot_ = 0, memory_ = 0;
  std::span<std::byte> buffer_;
};

}  // namespace concilio::probe
