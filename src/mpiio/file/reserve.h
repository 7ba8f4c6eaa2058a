// Memory that a file sets aside when it is opened, for the start of an operation while there is no other
// memory. The other ranks count on an operation that this rank must start.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <new>
#include <utility>

namespace concilio::mpiio {

// One block, which one object at a time can have. Thread-safe.
class Reserve {
 public:
  static constexpr size_t bytes = 2048;

  // Returns nullptr if the block is in use.
  void* take() { return in_use_.test_and_set(std::memory_order_acquire) ? nullptr : block_; }
  // Returns false if this is not the block.
  bool give_back(void* block) {
    if (block != block_) return false;
    in_use_.clear(std::memory_order_release);
    return true;
  }

 private:
  alignas(std::max_align_t) std::byte block_[bytes];
  std::atomic_flag in_use_;
};

// An allocator of single objects that takes the reserve where there is no other memory. The reserve lives as
// long as anything that was allocated with it.
template <typename T>
class OrReserve {
 public:
  using value_type = T;

  explicit OrReserve(std::shared_ptr<Reserve> reserve) : reserve_(std::move(reserve)) {}
  template <typename Other>
  OrReserve(const OrReserve<Other>& other) : reserve_(other.reserve_) {}

  T* allocate(size_t) {
    static_assert(sizeof(T) <= Reserve::bytes && alignof(T) <= alignof(std::max_align_t));
    void* block = ::operator new(sizeof(T), std::nothrow);
    if (!block) block = reserve_->take();
    if (!block) throw std::bad_alloc();
    return static_cast<T*>(block);
  }
  void deallocate(T* block, size_t) {
    if (!reserve_->give_back(block)) ::operator delete(block);
  }
  bool operator==(const OrReserve& other) const { return reserve_ == other.reserve_; }

 private:
  template <typename Other>
  friend class OrReserve;
  std::shared_ptr<Reserve> reserve_;
};

}  // namespace concilio::mpiio
