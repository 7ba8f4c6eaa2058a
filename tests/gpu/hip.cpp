// Stands in for AMD's runtime. It has the functions that programs and Concilio use. Memory belongs to device
// 1, which must be the thread's current device for copies.
#include "device.h"

namespace {

enum : int { success = 0, invalid_value = 1, invalid_device = 101 };
thread_local int current = 0;

// hipPointerAttribute_t
struct Attributes {
  int type, device;
  void *device_pointer, *host_pointer;
  int is_managed;
  unsigned flags;
};

int copy(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height,
         int kind) {
  if (current != 1) return invalid_device;
  return gpu::copy(to, to_pitch, from, from_pitch, width, height, kind == 2) ? success : invalid_value;
}

}  // namespace

extern "C" {

int hipMalloc(void** address, size_t bytes) {
  *address = gpu::allocate(bytes, gpu::Kind::device);
  return success;
}
int hipMallocManaged(void** address, size_t bytes, unsigned) {
  *address = gpu::allocate(bytes, gpu::Kind::managed);
  return success;
}
int hipFree(void* address) {
  gpu::release(address);
  return success;
}
int hipPointerGetAttributes(Attributes* attributes, const void* address) {
  const gpu::Allocation* found = gpu::find(address);
  *attributes = {};
  if (!found) return success;
  const bool managed = found->kind == gpu::Kind::managed;
  attributes->type = managed ? 3 : 2;
  attributes->is_managed = managed;
  attributes->device = 1;
  return success;
}
int hipGetDevice(int* device) {
  *device = current;
  return success;
}
int hipSetDevice(int device) {
  current = device;
  return success;
}
int hipMemcpy(void* to, const void* from, size_t bytes, int kind) {
  return copy(to, 0, from, 0, bytes, 1, kind);
}
int hipMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height,
                int kind) {
  return copy(to, to_pitch, from, from_pitch, width, height, kind);
}
int hipStreamSynchronize(void*) {
  return current == 1 ? success : invalid_device;
}

}  // extern "C"
