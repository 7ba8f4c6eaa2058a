// Buffers in the memory of a GPU, which the CPU must not touch. The vendor's driver (CUDA, HIP) can tell such
// memory and copy it. Concilio uses the driver that the program has loaded: it is linked with none and loads
// none.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/result.h"

namespace concilio {

class GpuDriver;

enum class Towards { host, device };

// `count` rows of `bytes` each. The strides are the distances between the beginnings of rows.
struct Rows {
  int64_t bytes = 0, count = 1;
  int64_t device_stride = 0, host_stride = 0;
};

// Where a piece of memory lies, in the driver's terms.
struct DevicePlace {
  void* context = nullptr;  // CUDA's context; null: the memory belongs to none
  int device = 0;
};

class DeviceMemory {
 public:
  DeviceMemory() = default;  // memory of the host
  // Finds what memory `address` lies in. Memory that the CPU may touch counts as the host's even if a driver
  // has allocated it (pinned, managed). Thread-safe. Takes a few tens of nanoseconds where no driver is
  // loaded.
  static DeviceMemory at(const void* address);
  // The same, but only drivers count that at() has found before. Takes next to no time where there is none.
  static DeviceMemory at_known_driver(const void* address) {
    return any_known_.load(std::memory_order_relaxed) ? of_known(address) : DeviceMemory();
  }

  explicit operator bool() const { return driver_ != nullptr; }
  // May be called from any thread. The bytes are in place when it returns.
  Status copy(Towards towards, std::byte* device, std::byte* host, const Rows& rows) const;

 private:
  static DeviceMemory of_known(const void* address);
  static void look_for_drivers();
  static inline std::atomic<bool> any_known_ = false;  // whether a driver has been found
  const GpuDriver* driver_ = nullptr;
  DevicePlace place_;
};

}  // namespace concilio
