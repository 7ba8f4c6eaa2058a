#include "base/budget.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <utility>

namespace concilio {

void Budget::charge(int64_t bytes) {
  if (whole_) whole_->charge(bytes);
  const int64_t current = current_bytes_.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  int64_t high = high_water_bytes_.load(std::memory_order_relaxed);
  while (high < current &&
         !high_water_bytes_.compare_exchange_weak(high, current, std::memory_order_relaxed)) {
  }
}

void Budget::release(int64_t bytes) {
  if (whole_) whole_->release(bytes);
  current_bytes_.fetch_sub(bytes, std::memory_order_relaxed);
}

bool Budget::begin_pinned(int64_t bytes) {
  if (pinned_bytes_.fetch_add(bytes, std::memory_order_relaxed) + bytes <= limit_bytes()) return true;
  end_pinned(bytes);
  return false;
}

Result<Buffer> Buffer::allocate(Budget& budget, int64_t bytes) {
  if (bytes < 0) {
    return Error{ErrorKind::argument, 0, fmt::format("a buffer of {} bytes was asked for", bytes)};
  }
  Buffer buffer;
  if (bytes > 0) {
    void* memory = nullptr;
    const auto page_bytes = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    const int failed = posix_memalign(&memory, page_bytes, static_cast<size_t>(bytes));
    if (failed) {
      return Error{ErrorKind::no_memory, failed, fmt::format("no memory for a buffer of {} bytes", bytes)};
    }
    buffer.data_ = static_cast<std::byte*>(memory);
  }
  buffer.budget_ = &budget;
  buffer.bytes_ = bytes;
  budget.charge(bytes);
  return buffer;
}

Status Buffer::reserve(Budget& budget, int64_t bytes) {
  if (bytes_ >= bytes) return {};
  *this = Buffer();  // freed before the larger one is allocated, so that both never exist together
  auto made = allocate(budget, bytes);
  if (!made) return made.error();
  *this = std::move(*made);
  return {};
}

Buffer::~Buffer() {
  std::free(data_);
  if (budget_) budget_->release(bytes_);
}

}  // namespace concilio
