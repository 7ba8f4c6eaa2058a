// The ledger that every internal buffer is charged to. It keeps the limit, the current use and the high-water
// mark, in bytes of one rank.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/result.h"

namespace concilio {

class Budget {
 public:
  // With `whole`, this is the ledger of a part of it: what is charged here is charged to `whole` too.
  explicit Budget(int64_t limit_bytes, Budget* whole = nullptr) : limit_bytes_(limit_bytes), whole_(whole) {}

  int64_t limit_bytes() const { return limit_bytes_.load(std::memory_order_relaxed); }
  void set_limit_bytes(int64_t bytes) { limit_bytes_.store(bytes, std::memory_order_relaxed); }
  int64_t current_bytes() const { return current_bytes_.load(std::memory_order_relaxed); }
  int64_t high_water_bytes() const { return high_water_bytes_.load(std::memory_order_relaxed); }

  // A charge always succeeds. The limit bounds what a plan may ask for, and `over_limit` says whether use has
  // ever been above it.
  void charge(int64_t bytes);
  void release(int64_t bytes);
  bool over_limit() const { return high_water_bytes() > limit_bytes(); }

  // How much memory a GPU's driver has pinned for this rank, at most the limit: buffers that are charged
  // here, and memory that the ranks of a node share, each of which may pin all of it. Returns false, and
  // nothing is counted, where it would be more.
  bool begin_pinned(int64_t bytes);
  void end_pinned(int64_t bytes) { pinned_bytes_.fetch_sub(bytes, std::memory_order_relaxed); }
  int64_t pinned_bytes() const { return pinned_bytes_.load(std::memory_order_relaxed); }

 private:
  std::atomic<int64_t> limit_bytes_;
  std::atomic<int64_t> current_bytes_{0};
  std::atomic<int64_t> high_water_bytes_{0};
  std::atomic<int64_t> pinned_bytes_{0};
  Budget* const whole_;
};

// A page-aligned buffer charged to a budget for as long as it lives. Its contents are uninitialised.
class Buffer {
 public:
  Buffer() = default;
  // Fails with kind no_memory where the system has none.
  static Result<Buffer> allocate(Budget& budget, int64_t bytes);
  Buffer(Buffer&& other) noexcept { swap(other); }
  Buffer& operator=(Buffer&& other) noexcept {
    swap(other);
    return *this;
  }
  ~Buffer();
  // Makes the buffer at least `bytes` long. Where it grows, its contents are lost. If that fails (kind
  // no_memory), the buffer is empty.
  Status reserve(Budget& budget, int64_t bytes);

  std::byte* data() const { return data_; }
  int64_t size() const { return bytes_; }

 private:
  void swap(Buffer& other) {
    std::swap(budget_, other.budget_);
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
  }
  Budget* budget_ = nullptr;
  std::byte* data_ = nullptr;
  int64_t bytes_ = 0;
};

// A charge without a buffer, for memory that is allocated elsewhere (a shared segment, a description).
class Charge {
 public:
  Charge() = default;
  Charge(Budget& budget, int64_t bytes) : budget_(&budget), bytes_(bytes) { budget.charge(bytes); }
  Charge(Charge&& other) noexcept { swap(other); }
  Charge& operator=(Charge&& other) noexcept {
    swap(other);
    return *this;
  }
  ~Charge() {
    if (budget_) budget_->release(bytes_);
  }

 private:
  void swap(Charge& other) {
    std::swap(budget_, other.budget_);
    std::swap(bytes_, other.bytes_);
  }
  Budget* budget_ = nullptr;
  int64_t bytes_ = 0;
};

}  // namespace concilio
