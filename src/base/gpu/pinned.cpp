#include "base/gpu/pinned.h"

#include <algorithm>

#include "base/checked.h"
#include "base/gpu/gpu_driver.h"
#include "base/log.h"

namespace concilio {
namespace {

// Larger slices would take longer to pin than there is use for them; smaller ones cut copies.
constexpr int64_t most_slice_bytes = 16 << 20, least_slice_bytes = 64 << 10;
// To pin memory takes about as long as to copy it once or twice. It is done when a part of that has been
// copied, since a slice that was used is used again.
constexpr int64_t pinned_after_part = 4;

}  // namespace

Pinned::Pinned(const DeviceMemory& memory, Budget& budget, std::byte* begin, int64_t bytes) {
  if (!budget.begin_pinned(bytes)) return;
  if (!memory.driver().pin(memory.place(), begin, bytes)) {
    budget.end_pinned(bytes);
    return;
  }
  memory_ = memory;
  budget_ = &budget;
  begin_ = begin;
  bytes_ = bytes;
}

Pinned::~Pinned() {
  if (!begin_) return;
  memory_.driver().unpin(memory_.place(), begin_);
  budget_->end_pinned(bytes_);
}

PinnedSlices::Slice PinnedSlices::use(const std::byte* address, int64_t bytes, const Means& means) {
  const int64_t limit = means.budget.limit_bytes() - means.spare_bytes;
  if (!driver_) {
    slice_bytes_ = std::clamp(align_down(limit / 4, least_slice_bytes), least_slice_bytes, most_slice_bytes);
    slices_.resize(static_cast<size_t>(ceil_divide(bytes_, slice_bytes_)));
    driver_ = &means.memory.driver();
  }
  const int64_t i = (address - begin_) / slice_bytes_;
  std::byte* const begin = begin_ + i * slice_bytes_;
  const int64_t length = std::min(slice_bytes_, bytes_ - i * slice_bytes_);
  if (driver_ != &means.memory.driver()) return {begin + length, false};
  Used& slice = slices_[static_cast<size_t>(i)];
  slice.copied_bytes += std::min<int64_t>(bytes, begin + length - address);
  const bool pays = slice.copied_bytes >= length / pinned_after_part;
  if (!slice.pinned && pays && !refused_ && means.budget.pinned_bytes() + length <= limit) {
    slice.pinned = Pinned(means.memory.of_its_device(), means.budget, begin, length);
    refused_ = !slice.pinned;
    if (refused_) log_once(LogLevel::info, "the driver of the GPU does not pin the memory that ranks share");
  }
  return {begin + length, static_cast<bool>(slice.pinned)};
}

}  // namespace concilio
