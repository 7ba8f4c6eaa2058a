// A buffer that an open file keeps from one call to the next: to give memory back to the system and touch it
// anew takes several times as long as to sieve through it.
#pragma once

#include <mutex>
#include <utility>

#include "base/budget.h"

namespace concilio::exec {

// Calls of several threads may use it at the same time: one has what is kept, the others memory of their own.
class KeptBuffer {
 public:
  // Memory for one call.
  class Loan {
   public:
    explicit Loan(KeptBuffer& kept) : kept_(kept) {}
    Loan(const Loan&) = delete;
    Loan& operator=(const Loan&) = delete;
    ~Loan() {
      if (buffer_.size() > 0) kept_.keep(std::move(buffer_));
    }
    // As Buffer::reserve().
    Status reserve(Budget& budget, int64_t bytes) {
      if (buffer_.size() == 0) buffer_ = kept_.take();
      return buffer_.reserve(budget, bytes);
    }
    std::byte* data() const { return buffer_.data(); }

   private:
    KeptBuffer& kept_;
    Buffer buffer_;
  };

  int64_t size() const {
    const std::lock_guard lock(mutex_);
    return buffer_.size();
  }
  void drop() { (void)take(); }

 private:
  // What a user has asked for in place of the usual sieve buffers is not kept.
  static constexpr int64_t most_kept_bytes = 4 << 20;

  Buffer take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(buffer_, Buffer());
  }
  void keep(Buffer buffer) {
    const std::lock_guard lock(mutex_);
    if (buffer.size() <= most_kept_bytes && buffer.size() > buffer_.size()) std::swap(buffer_, buffer);
  }

  mutable std::mutex mutex_;
  Buffer buffer_;
};

}  // namespace concilio::exec
