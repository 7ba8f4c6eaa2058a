// Buffers in the memory of a GPU, which the CPU must not touch. The vendor's driver (CUDA, HIP, Level Zero)
// can tell such memory and copy it (device_stream.h). Concilio uses the driver that the program has loaded:
// it is linked with none and loads none.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace concilio {

class GpuDriver;

// Where a piece of memory lies, in the driver's terms.
struct DevicePlace {
  void* context = nullptr;  // CUDA's context; null: the memory belongs to none
  int device = 0;           // for Level Zero, the driver that it is of
  void* handle = nullptr;   // Level Zero's for the device
};

class DeviceMemory {
 public:
  DeviceMemory() = default;  // memory of the host
  // Finds what memory `address` lies in. Memory that the CPU may touch counts as the host's even if a driver
  // has allocated it (pinned, managed). Thread-safe. Takes a few tens of nanoseconds where no driver is
  // loaded; for addresses in the heap no driver is asked.
  static DeviceMemory at(const void* address);
  // The same, but only drivers count that at() has found before. Takes next to no time where there is none,
  // and makes no system call, as finding the end of the heap may.
  static DeviceMemory at_known_driver(const void* address) {
    return any_known_.load(std::memory_order_relaxed) ? of_known(address) : DeviceMemory();
  }

  explicit operator bool() const { return driver_ != nullptr; }
  // Of memory of a device only.
  const GpuDriver& driver() const { return *driver_; }
  const DevicePlace& place() const { return place_; }
  // The same device, in the context that it has of its own and which stays, whatever context the memory is
  // of.
  DeviceMemory of_its_device() const {
    DeviceMemory memory = *this;
    memory.place_.context = nullptr;
    return memory;
  }

 private:
  static DeviceMemory of_known(const void* address);
  static void look_for_drivers();
  static inline std::atomic<bool> any_known_ = false;  // whether a driver has been found
  const GpuDriver* driver_ = nullptr;
  DevicePlace place_;
};

}  // namespace concilio
