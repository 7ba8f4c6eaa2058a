// Stands in for Intel's driver behind Level Zero's loader. It has the functions that programs and Concilio
// use, and checks what programs can get wrong: how structures begin, which handles go together, events that
// are signalled twice, and regions. Memory of one context is known by all.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include "device.h"

namespace {

using Handle = void*;
constexpr int success = 0, not_ready = 1, device_lost = 0x70000001, uninitialised = 0x78000001,
              invalid_argument = 0x78000004, invalid_handle = 0x78000005;

bool initialised = false;
// Only their addresses are used. The first driver has no GPU.
char drivers[2], devices[2];
constexpr int gpu_driver = 1;

struct Head {
  int structure;
  const void* next;
  bool is(int what) const { return structure == what && !next; }
};
struct DeviceProperties {
  Head head;
  int kind;
};
struct QueueGroupProperties {
  Head head;
  unsigned flags;
  size_t longest_pattern;
  unsigned queues;
};
struct ContextDescription {
  Head head;
  unsigned flags;
};
struct QueueDescription {
  Head head;
  unsigned group, index, flags;
  int mode, priority;
};
struct PoolDescription {
  Head head;
  unsigned flags, count;
};
struct EventDescription {
  Head head;
  unsigned index, signal, wait;
};
struct AllocationDescription {
  Head head;
  unsigned flags, ordinal;
};
struct AllocationProperties {
  Head head;
  int kind;
  uint64_t id, page_bytes;
};
struct Region {
  unsigned x, y, z, width, height, depth;
};

struct Context {
  Handle driver;
};
struct List {
  Context* context;
  gpu::Stream stream;
};
struct Pool {
  Context* context;
  unsigned count;
};
// Signalled by the host, or by a barrier that a list was given.
struct Event {
  bool signalled = false, given = false;
  gpu::Event barrier;
};

int barriers_to_fail = 0;

int code_of(int code) {
  if (code == success) return success;
  return code == gpu::failed ? device_lost : invalid_argument;
}

template <typename T>
int give_all(unsigned* count, T* room, const T* all, unsigned there) {
  if (room) std::copy_n(all, std::min(*count, there), room);
  *count = room ? std::min(*count, there) : there;
  return success;
}

int allocate(Handle context, size_t bytes, gpu::Kind kind, void** address) {
  if (!context) return invalid_handle;
  *address = gpu::allocate(bytes, kind);
  return success;
}

std::byte* bytes_at(const void* address) {
  return static_cast<std::byte*>(const_cast<void*>(address));
}

int give_copy(Handle list, gpu::CopySide to, gpu::CopySide from, size_t width, size_t height, size_t depth) {
  if (!list) return invalid_handle;
  const bool to_host = gpu_reach(reinterpret_cast<uintptr_t>(from.address), 1) != nullptr;
  return code_of(gpu::copy(static_cast<List*>(list)->stream, {to, from, width, height, depth, to_host}));
}

int import_memory(Handle driver, void* begin, size_t bytes) {
  if (driver != &drivers[gpu_driver]) return invalid_handle;
  return gpu::pin(begin, bytes) ? success : invalid_argument;
}
int release_memory(Handle driver, void* begin) {
  if (driver != &drivers[gpu_driver]) return invalid_handle;
  return gpu::unpin(begin) ? success : invalid_argument;
}

}  // namespace

extern "C" {

// The barrier that fails, counted from 1 from now on.
void gpu_fail_barrier(int which) {
  barriers_to_fail = which;
}

int zeInit(unsigned) {
  initialised = true;
  return success;
}
int zeDriverGet(unsigned* count, Handle* room) {
  if (!initialised) return uninitialised;
  const Handle all[] = {&drivers[0], &drivers[1]};
  return give_all(count, room, all, 2);
}
int zeDeviceGet(Handle driver, unsigned* count, Handle* room) {
  const Handle all[] = {driver == &drivers[gpu_driver] ? &devices[1] : &devices[0]};
  return give_all(count, room, all, 1);
}
int zeDeviceGetProperties(Handle device, DeviceProperties* properties) {
  if (!properties->head.is(0x3)) return invalid_argument;
  properties->kind = device == &devices[1] ? 1 : 5;  // a GPU, or a VPU
  return success;
}
// The first group copies and computes, the second only copies.
int zeDeviceGetCommandQueueGroupProperties(Handle device, unsigned* count, QueueGroupProperties* room) {
  if (device != &devices[1]) return invalid_handle;
  if (room && !std::all_of(room, room + std::min(*count, 2U),
                           [](const QueueGroupProperties& each) { return each.head.is(0x6); }))
    return invalid_argument;
  const QueueGroupProperties all[] = {{{0x6, nullptr}, 3, 16, 1}, {{0x6, nullptr}, 2, 1, 1}};
  return give_all(count, room, all, 2);
}
int zeContextCreate(Handle driver, const ContextDescription* description, Handle* context) {
  if (driver != &drivers[gpu_driver]) return invalid_handle;
  if (!description->head.is(0xd)) return invalid_argument;
  *context = new Context{driver};
  return success;
}
int zeContextDestroy(Handle context) {
  delete static_cast<Context*>(context);
  return success;
}

int zeMemAllocDevice(Handle context, const AllocationDescription* description, size_t bytes, size_t,
                     Handle device, void** address) {
  if (device != &devices[1] || !description->head.is(0x15)) return invalid_argument;
  return allocate(context, bytes, gpu::Kind::device, address);
}
int zeMemAllocShared(Handle context, const AllocationDescription*, const AllocationDescription*, size_t bytes,
                     size_t, Handle, void** address) {
  return allocate(context, bytes, gpu::Kind::managed, address);
}
int zeMemAllocHost(Handle context, const AllocationDescription*, size_t bytes, size_t, void** address) {
  return allocate(context, bytes, gpu::Kind::pinned, address);
}
int zeMemFree(Handle context, void* address) {
  if (!context) return invalid_handle;
  gpu::release(address);
  return success;
}
int zeMemGetAllocProperties(Handle context, const void* address, AllocationProperties* properties,
                            Handle* device) {
  if (!context) return invalid_handle;
  if (!properties->head.is(0x17)) return invalid_argument;
  const gpu::Allocation* found = gpu::find(address);
  properties->kind = 0;
  if (!found) return success;
  properties->kind = found->kind == gpu::Kind::pinned ? 1 : found->kind == gpu::Kind::device ? 2 : 3;
  *device = found->kind == gpu::Kind::pinned ? nullptr : &devices[1];
  return success;
}

int zeCommandListCreateImmediate(Handle context, Handle device, const QueueDescription* description,
                                 Handle* list) {
  if (!context || device != &devices[1]) return invalid_handle;
  if (!description->head.is(0xe) || description->group > 1 || description->mode != 2) return invalid_argument;
  *list = new List{static_cast<Context*>(context), {}};
  return success;
}
int zeCommandListDestroy(Handle list) {
  delete static_cast<List*>(list);
  return success;
}
int zeCommandListAppendMemoryCopy(Handle list, void* to, const void* from, size_t bytes, Handle, unsigned,
                                  Handle*) {
  return give_copy(list, {bytes_at(to)}, {bytes_at(from)}, bytes, 1, 1);
}
int zeCommandListAppendMemoryCopyRegion(Handle list, void* to, const Region* to_region, unsigned to_pitch,
                                        unsigned to_plane, const void* from, const Region* from_region,
                                        unsigned from_pitch, unsigned from_plane, Handle, unsigned, Handle*) {
  if (std::memcmp(to_region, from_region, sizeof(Region)) != 0 || to_region->x || to_region->y ||
      to_region->z)
    return invalid_argument;
  const Region& region = *to_region;
  const auto plane_rows = [&](unsigned plane, unsigned pitch) -> size_t {
    return region.depth == 0 ? 0 : plane / pitch;
  };
  if (region.depth > 0 && (to_plane % to_pitch != 0 || from_plane % from_pitch != 0)) return invalid_argument;
  return give_copy(list, {bytes_at(to), to_pitch, plane_rows(to_plane, to_pitch)},
                   {bytes_at(from), from_pitch, plane_rows(from_plane, from_pitch)}, region.width,
                   region.height, std::max(1U, region.depth));
}
int zeCommandListAppendBarrier(Handle list, Handle signal, unsigned, Handle*) {
  if (barriers_to_fail > 0 && --barriers_to_fail == 0) return device_lost;
  auto& event = *static_cast<Event*>(signal);
  event.given = true;
  gpu::record(event.barrier, static_cast<List*>(list)->stream);
  return success;
}
int zeCommandListHostSynchronize(Handle list, uint64_t) {
  return code_of(gpu::wait(static_cast<List*>(list)->stream));
}

int zeEventPoolCreate(Handle context, const PoolDescription* description, unsigned count, Handle* of,
                      Handle* pool) {
  if (!context || count != 1 || *of != &devices[1]) return invalid_handle;
  if (!description->head.is(0x10) || (description->flags & 1) == 0) return invalid_argument;
  *pool = new Pool{static_cast<Context*>(context), description->count};
  return success;
}
int zeEventPoolDestroy(Handle pool) {
  delete static_cast<Pool*>(pool);
  return success;
}
int zeEventCreate(Handle pool, const EventDescription* description, Handle* event) {
  if (!description->head.is(0x11) || description->index >= static_cast<Pool*>(pool)->count)
    return invalid_argument;
  *event = new Event;
  return success;
}
int zeEventDestroy(Handle event) {
  delete static_cast<Event*>(event);
  return success;
}
int zeEventHostSignal(Handle event) {
  static_cast<Event*>(event)->signalled = true;
  return success;
}
// A barrier that has not come yet sets the event all the same.
int zeEventHostReset(Handle handle) {
  auto& event = *static_cast<Event*>(handle);
  if (event.given && !event.signalled) return invalid_argument;
  event = {};
  return success;
}
// Somebody would wait for ever who waits for an event that nothing signals.
int zeEventHostSynchronize(Handle handle, uint64_t) {
  auto& event = *static_cast<Event*>(handle);
  if (event.signalled) return success;
  if (!event.given) return not_ready;
  const int code = code_of(gpu::wait(event.barrier));
  event.signalled = code == success;
  return code;
}

int zeDriverGetExtensionFunctionAddress(Handle driver, const char* name, void** function) {
  if (driver != &drivers[gpu_driver]) return invalid_handle;
  if (std::strcmp(name, "zexDriverImportExternalPointer") == 0)
    *function = reinterpret_cast<void*>(import_memory);
  else if (std::strcmp(name, "zexDriverReleaseImportedPointer") == 0)
    *function = reinterpret_cast<void*>(release_memory);
  else
    return invalid_argument;
  return success;
}

}  // extern "C"
