// Memory of a GPU for tests on machines without one: at its addresses the CPU can touch nothing, and a driver
// reaches the bytes by another mapping of them.
#pragma once

#include <cstddef>

namespace gpu {

enum class Kind { device, pool, managed, pinned };

void* allocate(size_t bytes, Kind kind);
void release(void* address);

// What lies at an address. nullptr: plain memory.
struct Allocation {
  std::byte *address, *bytes;
  size_t size;
  Kind kind;
};
const Allocation* find(const void* address);

// One call of the program's: so many rows. False where a piece lies in the device's memory in part only,
// where the side that should be the host's is a device's, or where the test has asked for it (gpu_fail_copy).
bool copy(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height,
          bool to_host);

}  // namespace gpu

// For tests: lets copy number `which` from now on fail, 1 the next; how many copies there have been.
extern "C" void gpu_fail_copy(int which);
extern "C" int gpu_copies();
