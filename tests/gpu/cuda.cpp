// Stands in for NVIDIA's driver. It has the functions that programs and Concilio use, and checks the driver's
// rules as far as programs can break them here. A copy needs a current context of the thread.
#include <cstdint>

#include "kernel.h"

namespace {

using Address = uintptr_t;
using Context = void*;
using gpu::invalid_value, gpu::success;
constexpr int not_initialised = 3, invalid_context = 201, already_registered = 712, not_registered = 713;

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
  gpu::CopySide side() const {
    return {type == 1 ? static_cast<std::byte*>(host) : reinterpret_cast<std::byte*>(device), pitch};
  }
};
struct Rectangle {
  Side from, to;
  size_t width, height;
};

// CUDA_MEMCPY3D
struct BoxSide {
  size_t x, y, z, level_of_detail;
  unsigned type;
  void* host;
  Address device;
  void *array, *reserved;
  size_t pitch, height;
  bool is_plain() const { return !x && !y && !z && !level_of_detail && !array && !reserved; }
  gpu::CopySide side() const {
    return {type == 1 ? static_cast<std::byte*>(host) : reinterpret_cast<std::byte*>(device), pitch, height};
  }
};
struct Box {
  BoxSide from, to;
  size_t width, height, depth;
};

int copy(void* stream, const gpu::Copy& what) {
  return contexts == 0 ? invalid_context : gpu::copy(gpu::stream_of(stream), what);
}
// Copies in the default stream, and waits.
int copy_now(const gpu::Copy& what) {
  const int code = copy(nullptr, what);
  return code == success ? gpu::wait(gpu::default_stream()) : code;
}

int allocate(Address* address, size_t bytes, gpu::Kind kind) {
  *address = reinterpret_cast<Address>(gpu::allocate(bytes, kind));
  return success;
}

void* pointer(Address address) {
  return reinterpret_cast<void*>(address);
}
gpu::Copy line(void* to, const void* from, size_t bytes, bool to_host) {
  return {{static_cast<std::byte*>(to)},
          {static_cast<std::byte*>(const_cast<void*>(from))},
          bytes,
          1,
          1,
          to_host};
}

}  // namespace

extern "C" {

int cuInit(unsigned) {
  initialised = true;
  return success;
}
int cuDeviceGetCount(int* count) {
  *count = 1;
  return initialised ? success : not_initialised;
}
int cuDeviceGet(int* device, int ordinal) {
  *device = ordinal;
  return ordinal == 0 ? success : invalid_value;
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
int cuDevicePrimaryCtxGetState(int, unsigned* flags, int* active) {
  *flags = 0;
  *active = initialised;
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

int cuCtxSetCurrent(Context context) {
  contexts = context ? 1 : 0;
  return success;
}
int cuCtxGetCurrent(Context* context) {
  *context = contexts > 0 ? &the_context : nullptr;
  return success;
}

int cuGetErrorName(int code, const char** name) {
  *name = code == gpu::failed ? "CUDA_ERROR_ILLEGAL_ADDRESS" : "CUDA_ERROR_OTHER";
  return success;
}
int cuGetErrorString(int code, const char** text) {
  *text = code == gpu::failed ? "an illegal memory access was encountered" : "another error";
  return success;
}

int cuStreamCreate(void** stream, unsigned flags) {
  if (contexts == 0) return invalid_context;
  if (flags != 1) return invalid_value;
  *stream = new gpu::Stream;
  return success;
}
int cuStreamDestroy_v2(void* stream) {
  delete static_cast<gpu::Stream*>(stream);
  return contexts == 0 ? invalid_context : success;
}
int cuStreamSynchronize(void* stream) {
  return contexts == 0 ? invalid_context : gpu::wait(gpu::stream_of(stream));
}
int cuStreamWaitEvent(void* stream, void* event, unsigned) {
  gpu::wait_in_stream(gpu::stream_of(stream), *static_cast<gpu::Event*>(event));
  return contexts == 0 ? invalid_context : success;
}
int cuEventCreate(void** event, unsigned) {
  *event = new gpu::Event;
  return contexts == 0 ? invalid_context : success;
}
int cuEventDestroy_v2(void* event) {
  delete static_cast<gpu::Event*>(event);
  return success;
}
int cuEventRecord(void* event, void* stream) {
  gpu::record(*static_cast<gpu::Event*>(event), gpu::stream_of(stream));
  return contexts == 0 ? invalid_context : success;
}
int cuEventSynchronize(void* event) {
  return gpu::wait(*static_cast<gpu::Event*>(event));
}
int cuMemHostRegister_v2(void* begin, size_t bytes, unsigned) {
  if (contexts == 0) return invalid_context;
  return gpu::pin(begin, bytes) ? success : already_registered;
}
int cuMemHostUnregister(void* begin) {
  return gpu::unpin(begin) ? success : not_registered;
}

int cuMemHostGetDevicePointer_v2(void** address, void* host, unsigned flags) {
  return contexts == 0 ? invalid_context : flags != 0 ? invalid_value : gpu::device_address(address, host);
}
int cuModuleLoadData(void** module, const void* code) {
  return contexts == 0 ? invalid_context : gpu::load_module(module, code);
}
int cuModuleUnload(void* module) {
  return contexts == 0 ? invalid_context : gpu::unload_module(module);
}
int cuModuleGetFunction(void** function, void* module, const char* name) {
  return gpu::find_function(function, module, name);
}
int cuLaunchKernel(void* function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                   unsigned block_y, unsigned block_z, unsigned shared_bytes, void* stream, void** arguments,
                   void** more) {
  if (contexts == 0) return invalid_context;
  if (shared_bytes != 0 || more) return invalid_value;
  return gpu::launch(function, {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, gpu::stream_of(stream),
                     arguments);
}

int cuMemcpyDtoH_v2(void* to, Address from, size_t bytes) {
  return copy_now(line(to, pointer(from), bytes, true));
}
int cuMemcpyHtoD_v2(Address to, const void* from, size_t bytes) {
  return copy_now(line(pointer(to), from, bytes, false));
}
int cuMemcpyDtoHAsync_v2(void* to, Address from, size_t bytes, void* stream) {
  return copy(stream, line(to, pointer(from), bytes, true));
}
int cuMemcpyHtoDAsync_v2(Address to, const void* from, size_t bytes, void* stream) {
  return copy(stream, line(pointer(to), from, bytes, false));
}
int cuMemcpy2DAsync_v2(const Rectangle* what, void* stream) {
  if (what->from.type == what->to.type) return invalid_value;
  return copy(stream, {what->to.side(), what->from.side(), what->width, what->height, 1, what->to.type == 1});
}
int cuMemcpy3DAsync_v2(const Box* what, void* stream) {
  if (what->from.type == what->to.type || !what->from.is_plain() || !what->to.is_plain())
    return invalid_value;
  return copy(stream, {what->to.side(), what->from.side(), what->width, what->height, what->depth,
                       what->to.type == 1});
}

}  // extern "C"
