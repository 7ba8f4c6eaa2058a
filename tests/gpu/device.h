// Memory of a GPU for tests on machines without one. The CPU cannot touch its addresses, and a driver reaches
// the bytes through another mapping of them.
#pragma once

#include <cstddef>

namespace gpu {

enum class Kind { device, pool, managed, pinned };

void* allocate(size_t bytes, Kind kind);
void release(void* address);

// The memory that an address belongs to; nullptr for the host's memory.
struct Allocation {
  std::byte *address, *bytes;
  size_t size;
  Kind kind;
};
const Allocation* find(const void* address);

// One call of the program, which copies several rows. Returns false if a piece lies only partly in the
// device's memory, if the side that should be the host's is a device's, or if the test has asked for a
// failure (gpu_fail_copy).
bool copy(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height,
          bool to_host);

}  // namespace gpu

// For tests: makes all copies fail from number `which` on, where 1 is the next one. The second function
// returns how many copies there have been.
extern "C" void gpu_fail_copy(int which);
extern "C" int gpu_copies();
