#include "base/gpu/device_memory.h"

#include <unistd.h>

#include <array>
#include <atomic>

#include "base/gpu/gpu_driver.h"
#include "base/system/loaded_libraries.h"

namespace concilio {
namespace {

struct Finder {
  const char* library;  // the beginning of the file name of the driver's library
  const GpuDriver* (*find)();
};
constexpr std::array finders = {Finder{"libcuda.so", find_cuda}, Finder{"libamdhip64.so", find_hip},
                                Finder{"libze_loader.so", find_level_zero}};

std::array<std::atomic<const GpuDriver*>, finders.size()> drivers;
// How many libraries the process had loaded, over all its life, when drivers were last looked for.
std::atomic<uint64_t> looked_at = 0;

// Where the heap ended when this library was loaded. From there to where it ends now only the C library takes
// memory, for the program's smaller allocations, so no driver has any there. Larger allocations are mapped
// like a driver's.
const char* const heap_begin = static_cast<char*>(sbrk(0));

bool is_in_heap(const void* address) {
  return heap_begin && address >= heap_begin && address < static_cast<char*>(sbrk(0));
}

}  // namespace

// A program may load its GPU driver at any time: with its first kernel, or from a plugin. So this is done
// anew after some library has been loaded since the last time. No lock of our own is held: a thread that
// loads a library, and calls us from that library's initialisation, already holds the loader's lock, so that
// the two could deadlock.
void DeviceMemory::look_for_drivers() {
  const uint64_t loaded = libraries_loaded();
  if (loaded == looked_at.load(std::memory_order_acquire)) return;
  for (size_t i = 0; i < finders.size(); ++i) {
    if (drivers[i] || !is_library_loaded(finders[i].library)) continue;
    const GpuDriver *none = nullptr, *found = finders[i].find();
    if (!drivers[i].compare_exchange_strong(none, found)) delete found;  // another thread has found it too
    if (drivers[i]) any_known_ = true;
  }
  looked_at.store(loaded, std::memory_order_release);
}

DeviceMemory DeviceMemory::at(const void* address) {
  look_for_drivers();
  if (!any_known_ || is_in_heap(address)) return {};
  return of_known(address);
}

DeviceMemory DeviceMemory::of_known(const void* address) {
  DeviceMemory memory;
  for (const auto& known : drivers) {
    const GpuDriver* driver = known;
    if (!driver || !driver->owns(address, memory.place_)) continue;
    memory.driver_ = driver;
    break;
  }
  return memory;
}

}  // namespace concilio
