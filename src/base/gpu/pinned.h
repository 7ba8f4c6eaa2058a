// Memory of the host that a GPU's driver has pinned, so that the device reaches it without the CPU's help.
// Copies need it only to be fast.
#pragma once

#include <vector>

#include "base/budget.h"
#include "base/gpu/device_memory.h"

namespace concilio {

// Pages that are pinned for as long as this lives.
class Pinned {
 public:
  Pinned() = default;
  // For a device's memory, which must outlive this: it is pinned where that lies. Nothing is pinned if the
  // driver refuses, or if so much is pinned already that the budget's limit would not hold.
  Pinned(const DeviceMemory& memory, Budget& budget, std::byte* begin, int64_t bytes);
  Pinned(Pinned&& other) noexcept { swap(other); }
  Pinned& operator=(Pinned&& other) noexcept {
    swap(other);
    return *this;
  }
  ~Pinned();
  explicit operator bool() const { return begin_ != nullptr; }

 private:
  void swap(Pinned& other) {
    std::swap(memory_, other.memory_);
    std::swap(budget_, other.budget_);
    std::swap(begin_, other.begin_);
    std::swap(bytes_, other.bytes_);
  }
  DeviceMemory memory_;
  Budget* budget_ = nullptr;
  std::byte* begin_ = nullptr;
  int64_t bytes_ = 0;
};

// Memory that many copies use, of which slices are pinned when they have been used for a while. They stay
// pinned until this goes, whatever becomes of the device's memory. Not thread-safe.
class PinnedSlices {
 public:
  // Whole pages, which must outlive this; without `pins`, any memory, which stays as it is.
  PinnedSlices(std::byte* begin, int64_t bytes, bool pins = true)
      : begin_(begin), bytes_(bytes), refused_(!pins) {}

  bool holds(const std::byte* address) const { return address >= begin_ && address < begin_ + bytes_; }
  // The slice that holds an address, before a copy of so many bytes there; it is pinned now if that pays. A
  // copy must not reach across the slice's end, since drivers refuse to copy what is pinned in parts.
  struct Slice {
    std::byte* end;
    bool pinned;
  };
  struct Means {
    const DeviceMemory& memory;
    Budget& budget;
    int64_t spare_bytes;  // of the budget's limit, which others are to pin
  };
  Slice use(const std::byte* address, int64_t bytes, const Means& means);

 private:
  struct Used {
    Pinned pinned;
    int64_t copied_bytes = 0;
  };
  std::byte* const begin_;
  const int64_t bytes_;
  const GpuDriver* driver_ = nullptr;  // that pins; it and the following are known from the first use on
  int64_t slice_bytes_ = 0;
  std::vector<Used> slices_;
  bool refused_;
};

}  // namespace concilio
