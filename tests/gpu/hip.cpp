// Stands in for AMD's runtime. It has the functions that programs and Concilio use. Memory belongs to device
// 1, which must be the thread's current device for copies.
#include "kernel.h"

namespace {

using gpu::invalid_value, gpu::success;
constexpr int invalid_device = 101, already_registered = 712, not_registered = 713;
thread_local int current = 0;

// hipPointerAttribute_t
struct Attributes {
  int type, device;
  void *device_pointer, *host_pointer;
  int is_managed;
  unsigned flags;
};

// hipMemcpy3DParms
struct BoxSide {
  void* array;
  size_t x, y, z;
  std::byte* address;
  size_t pitch, width, height;
  bool is_plain() const { return !array && !x && !y && !z; }
};
struct Box {
  BoxSide from, to;
  size_t width, height, depth;
  int kind;
};

gpu::CopySide side(const void* address, size_t pitch = 0, size_t plane_rows = 0) {
  return {static_cast<std::byte*>(const_cast<void*>(address)), pitch, plane_rows};
}

int copy(void* stream, const gpu::Copy& what) {
  return current == 1 ? gpu::copy(gpu::stream_of(stream), what) : invalid_device;
}
int only_on_device(int code) {
  return current == 1 ? code : invalid_device;
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
const char* hipGetErrorName(int code) {
  return code == gpu::failed ? "hipErrorIllegalAddress" : "hipErrorUnknown";
}
const char* hipGetErrorString(int code) {
  return code == gpu::failed ? "an illegal memory access was encountered" : "unknown error";
}
int hipStreamCreateWithFlags(void** stream, unsigned flags) {
  if (flags != 1) return invalid_value;
  *stream = new gpu::Stream;
  return only_on_device(success);
}
int hipStreamDestroy(void* stream) {
  delete static_cast<gpu::Stream*>(stream);
  return success;
}
int hipStreamSynchronize(void* stream) {
  return only_on_device(gpu::wait(gpu::stream_of(stream)));
}
int hipStreamWaitEvent(void* stream, void* event, unsigned) {
  gpu::wait_in_stream(gpu::stream_of(stream), *static_cast<gpu::Event*>(event));
  return only_on_device(success);
}
int hipEventCreateWithFlags(void** event, unsigned) {
  *event = new gpu::Event;
  return only_on_device(success);
}
int hipEventDestroy(void* event) {
  delete static_cast<gpu::Event*>(event);
  return success;
}
int hipEventRecord(void* event, void* stream) {
  gpu::record(*static_cast<gpu::Event*>(event), gpu::stream_of(stream));
  return only_on_device(success);
}
int hipEventSynchronize(void* event) {
  return gpu::wait(*static_cast<gpu::Event*>(event));
}
int hipHostRegister(void* begin, size_t bytes, unsigned) {
  return gpu::pin(begin, bytes) ? success : already_registered;
}
int hipHostUnregister(void* begin) {
  return gpu::unpin(begin) ? success : not_registered;
}
int hipHostGetDevicePointer(void** address, void* host, unsigned flags) {
  return flags != 0 ? invalid_value : only_on_device(gpu::device_address(address, host));
}
int hipModuleLoadData(void** module, const void* code) {
  return only_on_device(gpu::load_module(module, code));
}
int hipModuleUnload(void* module) {
  return gpu::unload_module(module);
}
int hipModuleGetFunction(void** function, void* module, const char* name) {
  return gpu::find_function(function, module, name);
}
int hipModuleLaunchKernel(void* function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                          unsigned block_y, unsigned block_z, unsigned shared_bytes, void* stream,
                          void** arguments, void** more) {
  if (shared_bytes != 0 || more) return invalid_value;
  return only_on_device(gpu::launch(function, {grid_x, grid_y, grid_z}, {block_x, block_y, block_z},
                                    gpu::stream_of(stream), arguments));
}

int hipMemcpyAsync(void* to, const void* from, size_t bytes, int kind, void* stream) {
  return copy(stream, {side(to), side(from), bytes, 1, 1, kind == 2});
}
int hipMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                     size_t height, int kind, void* stream) {
  return copy(stream, {side(to, to_pitch), side(from, from_pitch), width, height, 1, kind == 2});
}
int hipMemcpy3DAsync(const Box* what, void* stream) {
  if (!what->from.is_plain() || !what->to.is_plain()) return invalid_value;
  const auto side_of = [](const BoxSide& each) { return side(each.address, each.pitch, each.height); };
  return copy(stream, {side_of(what->to), side_of(what->from), what->width, what->height, what->depth,
                       what->kind == 2});
}

}  // extern "C"
