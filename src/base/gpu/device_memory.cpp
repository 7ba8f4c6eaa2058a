#include "base/gpu/device_memory.h"

#include <link.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstring>

#include "base/gpu/gpu_driver.h"

namespace concilio {
namespace {

struct Finder {
  const char* in_its_name;  // a part of the file name of the driver's library
  const GpuDriver* (*find)();
};
constexpr std::array finders = {Finder{"libcuda.so", find_cuda}, Finder{"libamdhip64.so", find_hip}};

std::array<std::atomic<const GpuDriver*>, finders.size()> drivers;
// How many libraries the process had loaded, over all its life, when drivers were last looked for.
std::atomic<uint64_t> looked_at = 0;

// The same number now. Asking for it takes the loader's lock but no search: the walk over the libraries stops
// at the first one.
uint64_t libraries_loaded() {
  uint64_t loaded = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* out) {
        *static_cast<uint64_t*>(out) = info->dlpi_adds;
        return 1;
      },
      &loaded);
  return loaded;
}

// Whether a library with such a part in its file name is loaded, whatever its version is.
bool is_loaded(const char* part) {
  return dl_iterate_phdr(
             [](dl_phdr_info* info, size_t, void* wanted) {
               const char* slash = std::strrchr(info->dlpi_name, '/');
               const char* name = slash ? slash + 1 : info->dlpi_name;
               return std::strstr(name, static_cast<const char*>(wanted)) ? 1 : 0;
             },
             const_cast<char*>(part)) != 0;
}

// Where the heap ended when this library was loaded. From there to where it ends now only the C library takes
// memory, for the program's smaller allocations, so no driver has any there. Larger allocations are mapped
// like a driver's.
const char* const heap_begin = static_cast<char*>(sbrk(0));

bool is_in_heap(const void* address) {
  return heap_begin && address >= heap_begin && address < static_cast<char*>(sbrk(0));
}

}  // namespace

// A program may load its GPU driver at any time: with its first kernel, or from a plugin. So this is done
// anew after some library has been loaded since the last time. The loader, asked for a library that is not
// loaded, searches the file system, by some hundred system calls, so it is not asked then. No lock of our own
// is held: a thread that loads a library, and calls us from that library's initialisation, already holds the
// loader's lock, so that the two could deadlock.
void DeviceMemory::look_for_drivers() {
  const uint64_t loaded = libraries_loaded();
  if (loaded == looked_at.load(std::memory_order_acquire)) return;
  for (size_t i = 0; i < finders.size(); ++i) {
    if (drivers[i] || !is_loaded(finders[i].in_its_name)) continue;
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
