// Stands in for NVIDIA's driver. It has the functions that programs and Concilio use, and checks the driver's
// rules as far as programs can break them here. A copy needs a current context of the thread.
#include <cstdint>
#include <vector>

#include "device.h"

namespace {

using Address = uintptr_t;
using Context = void*;
enum : int { success = 0, invalid_value = 1, not_initialised = 3, invalid_context = 201 };

bool initialised = false;
int the_context = 0;  // only its address is used
thread_local int contexts = 0;

// CUDA_MEMCPY2D
struct Side {
  size_t x, y;
  unsigned type;
  void* host;
  Address device;
  void* array;
  size_t pitch;
  void* address() const { return type == 1 ? host : reinterpret_cast<void*>(device); }
};
struct Rectangle {
  Side from, to;
  size_t width, height;
};

int copy(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height,
         bool to_host) {
  if (contexts == 0) return invalid_context;
  return gpu::copy(to, to_pitch, from, from_pitch, width, height, to_host) ? success : invalid_value;
}

int allocate(Address* address, size_t bytes, gpu::Kind kind) {
  *address = reinterpret_cast<Address>(gpu::allocate(bytes, kind));
  return success;
}

void* pointer(Address address) {
  return reinterpret_cast<void*>(address);
}

}  // namespace

extern "C" {

int cuInit(unsigned) {
  initialised = true;
  return success;
}
int cuMemAlloc_v2(Address* address, size_t bytes) {
  return allocate(address, bytes, gpu::Kind::device);
}
int cuMemAllocAsync(Address* address, size_t bytes, void*) {
  return allocate(address, bytes, gpu::Kind::pool);
}
int cuMemAllocManaged(Address* address, size_t bytes, unsigned) {
  return allocate(address, bytes, gpu::Kind::managed);
}
int cuMemHostAlloc(void** address, size_t bytes, unsigned) {
  *address = gpu::allocate(bytes, gpu::Kind::pinned);
  return success;
}
int cuMemFree_v2(Address address) {
  gpu::release(pointer(address));
  return success;
}

int cuPointerGetAttributes(unsigned count, int* attributes, void** values, Address address) {
  if (!initialised) return not_initialised;
  const gpu::Allocation* found = gpu::find(pointer(address));
  for (unsigned i = 0; i < count; ++i) {
    switch (attributes[i]) {
      case 1:
        *static_cast<Context*>(values[i]) = found && found->kind != gpu::Kind::pool ? &the_context : nullptr;
        break;
      case 2:
        *static_cast<unsigned*>(values[i]) = !found ? 0 : found->kind == gpu::Kind::pinned ? 1 : 2;
        break;
      case 8:
        *static_cast<unsigned*>(values[i]) = found && found->kind == gpu::Kind::managed;
        break;
      case 9:
        *static_cast<int*>(values[i]) = 0;
        break;
      default:
        return invalid_value;
    }
  }
  return success;
}

int cuDevicePrimaryCtxRetain(Context* context, int) {
  *context = &the_context;
  return success;
}
int cuDevicePrimaryCtxRelease(int) {
  return success;
}
int cuCtxPushCurrent_v2(Context context) {
  if (context != &the_context) return invalid_context;
  ++contexts;
  return success;
}
int cuCtxPopCurrent_v2(Context* context) {
  if (contexts == 0) return invalid_context;
  --contexts;
  *context = &the_context;
  return success;
}

int cuMemcpyDtoH_v2(void* to, Address from, size_t bytes) {
  return copy(to, 0, pointer(from), 0, bytes, 1, true);
}
int cuMemcpyHtoD_v2(Address to, const void* from, size_t bytes) {
  return copy(pointer(to), 0, from, 0, bytes, 1, false);
}
int cuMemcpy2DUnaligned_v2(const Rectangle* what) {
  if (what->from.type == what->to.type) return invalid_value;
  return copy(what->to.address(), what->to.pitch, what->from.address(), what->from.pitch, what->width,
              what->height, what->to.type == 1);
}
int cuStreamSynchronize(void*) {
  return contexts == 0 ? invalid_context : success;
}

}  // extern "C"
