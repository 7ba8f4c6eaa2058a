// A GPU for tests on machines without one. The CPU cannot touch the addresses of its memory, and a driver
// reaches the bytes through another mapping of them. Whatever a stream is given happens as late as the
// driver's rules allow: when somebody waits for it. So a program that forgets to wait finds old bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>

namespace gpu {

enum class Kind { device, pool, managed, pinned };

void* allocate(size_t bytes, Kind kind);
void release(void* address);

// The memory that an address belongs to; nullptr for the host's memory. It counts as a query.
struct Allocation {
  std::byte *address, *bytes;
  size_t size;
  Kind kind;
};
const Allocation* find(const void* address);

// Codes that both drivers return. Others are their own.
inline constexpr int success = 0, invalid_value = 1;
// What the copies of a test that asks for it end with.
inline constexpr int failed = 700;

// Memory of the host that the program has registered. Returns false for what is registered already, or not.
bool pin(void* begin, size_t bytes);
bool unpin(void* begin);

struct Stream {
  std::deque<std::function<int()>> work;
  int64_t given = 0, done = 0;
  int64_t free_ns = 0;  // when the device will have done what it was given
  std::deque<int64_t> end_ns;
};
Stream& default_stream();
Stream& stream_of(void* handle);  // nullptr is the default stream
struct Event {
  Stream* stream = nullptr;
  int64_t given = 0;
};
void record(Event& event, Stream& stream);
void wait_in_stream(Stream& stream, const Event& event);
// These carry out what the streams were given, and return the first failure.
int wait(Stream& stream);
int wait(const Event& event);

// A copy of several rows, in several planes, that the stream is given. Planes are pitch * plane_rows bytes
// apart. Returns invalid_value if a piece lies only partly in the device's memory, if the side that should be
// the host's is a device's, if rows or planes overlap, or if a part of the host's side is pinned that has not
// the whole in it.
struct CopySide {
  std::byte* address;
  size_t pitch = 0, plane_rows = 0;
};
struct Copy {
  CopySide to, from;
  size_t width, height, depth;
  bool to_host;
};
int copy(Stream& stream, const Copy& what);
// Gives the stream another copy of so many bytes, which counts and may fail as any other.
int give_copy(Stream& stream, size_t bytes, std::function<int()> work);
// Where the driver has bytes of a device's memory; nullptr if these are not all its own.
std::byte* bytes_of_device(const void* address, size_t bytes);
bool is_pinned(const void* host, size_t bytes);
bool is_pinned_from(const void* host);

}  // namespace gpu

// For tests. How many copies there have been, how many bytes they have copied, and how many of these to or
// from memory of the host that was not pinned; how much memory is registered, the most that has been, and how
// often some was; how often a driver was asked about an address.
extern "C" int gpu_copies();
extern "C" int gpu_copied_bytes();
extern "C" int gpu_unpinned_bytes();
extern "C" int gpu_pinned_bytes();
extern "C" int gpu_most_pinned_bytes();
extern "C" int gpu_pins();
extern "C" int gpu_queries();
// Copy number `which` from now fails, where 1 is the next one: when it is asked for, or when it is waited
// for. 0: none.
extern "C" void gpu_fail_copy(int which);
extern "C" void gpu_fail_later(int which);
// From now on, memory is not registered.
extern "C" void gpu_refuse_to_pin(int refuse);
// Each copy takes so long, and its bytes come at so many MiB/s (0: at once).
extern "C" void gpu_slow_down(int copy_us, int mib_per_second);
// The bytes at an address of the device's memory, for another library; nullptr if they do not lie in it.
extern "C" void* gpu_reach(uintptr_t address, size_t bytes);
// A kernel that the program has given its default stream, which fills memory of the device.
extern "C" void gpu_fill(uintptr_t address, size_t bytes, int value);
