// What Concilio asks of a vendor's GPU driver that the program has loaded.
#pragma once

#include <dlfcn.h>

#include "base/gpu/device_memory.h"

namespace concilio {

class GpuDriver {
 public:
  GpuDriver() = default;
  GpuDriver(const GpuDriver&) = delete;
  virtual ~GpuDriver() = default;

  // Whether `address` lies in a GPU's own memory. If so, `place` becomes what a copy needs to know of it.
  virtual bool owns(const void* address, DevicePlace& place) const = 0;
  // If there are several rows, their strides must be at least their length and at most most_stride.
  virtual Status copy(const DevicePlace& place, Towards towards, std::byte* device, std::byte* host,
                      const Rows& rows) const = 0;
  static constexpr int64_t most_stride = INT32_MAX;
};

// Each returns nullptr unless the program has loaded that driver. A driver that is returned is never
// destroyed.
const GpuDriver* find_cuda();
const GpuDriver* find_hip();

// Looks up a function of a driver. Returns false if it has none of that name.
template <typename Function>
bool look_up(void* library, const char* name, Function*& function) {
  function = reinterpret_cast<Function*>(dlsym(library, name));
  return function != nullptr;
}

}  // namespace concilio
