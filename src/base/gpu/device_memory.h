// Buffers in the memory of a GPU, which the CPU must not touch. Who can tell, and copy, is the vendor's
// driver (CUDA, HIP) that the program itself has loaded: Concilio is linked with none and loads none.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/result.h"

namespace concilio {

class GpuDriver;

enum class Towards { host, device };

// `count` rows of `bytes` each, so far apart.
struct Rows {
  int64_t bytes = 0, count = 1;
  int64_t device_stride = 0, host_stride = 0;
};

// Where a driver has a piece of memory.
struct DevicePlace {
  void* context = nullptr;  // CUDA's; null: memory that belongs to none
  int device = 0;
};

class DeviceMemory {
 public:
  DeviceMemory() = default;  // the host's
  // What `address` lies in. Memory that the CPU may touch is the host's, whoever has allocated it: pinned,
  // managed. Thread-safe; a few tens of nanoseconds where no driver is loaded.
  static DeviceMemory at(const void* address);

  explicit operator bool() const { return driver_ != nullptr; }
  // From any thread. The bytes are there when it returns.
  Status copy(Towards towards, std::byte* device, std::byte* host, const Rows& rows) const;

 private:
  const GpuDriver* driver_ = nullptr;
  DevicePlace place_;
};

}  // namespace concilio
