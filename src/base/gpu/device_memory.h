// Buffers in the memory of a GPU, which the CPU must not touch. The vendor's driver (CUDA, HIP) can tell such
// memory and copy it. Concilio uses the driver that the program has loaded: it is linked with none and loads
// none.
#pragma once

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

  explicit operator bool() const { return driver_ != nullptr; }
  // May be called from any thread. The bytes are in place when it returns.
  Status copy(Towards towards, std::byte* device, std::byte* host, const Rows& rows) const;

 private:
  const GpuDriver* driver_ = nullptr;
  DevicePlace place_;
};

}  // namespace concilio
