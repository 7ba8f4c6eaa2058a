// NVIDIA's driver. What is used of its interface is declared here; that has been the same since CUDA 7.
#include <fmt/format.h>

#include <cstdint>

#include "base/gpu/cufile.h"
#include "base/gpu/stream_driver.h"

namespace concilio {
namespace {

using Context = void*;
using DeviceAddress = uintptr_t;

enum PointerAttribute {
  context_attribute = 1,
  memory_type_attribute = 2,
  is_managed_attribute = 8,
  device_attribute = 9
};
enum MemoryType : unsigned { host_memory = 1, device_memory = 2 };

// CUDA_MEMCPY2D
struct RectangleSide {
  size_t x_bytes = 0, y = 0;
  MemoryType type;
  void* host = nullptr;
  DeviceAddress device = 0;
  void* array = nullptr;
  size_t pitch;
};
struct Rectangle {
  RectangleSide from, to;
  size_t width_bytes, height;
};

// CUDA_MEMCPY3D. Planes are pitch * height bytes apart.
struct CudaBoxSide {
  size_t x_bytes = 0, y = 0, z = 0, level_of_detail = 0;
  MemoryType type;
  void* host = nullptr;
  DeviceAddress device = 0;
  void *array = nullptr, *reserved = nullptr;
  size_t pitch, height;
};
struct CudaBox {
  CudaBoxSide from, to;
  size_t width_bytes, height, depth;
};

class Cuda : public StreamDriver {
 public:
  // Returns false if the driver lacks one of the functions that every copy needs.
  bool use(void* library) {
    if (!look_up(library, "cuModuleLoadData", kernels_.load) ||
        !look_up(library, "cuModuleUnload", kernels_.unload) ||
        !look_up(library, "cuModuleGetFunction", kernels_.find) ||
        !look_up(library, "cuMemHostGetDevicePointer_v2", kernels_.device_address) ||
        !look_up(library, "cuLaunchKernel", kernels_.launch))
      kernels_ = {};
    return look_up(library, "cuPointerGetAttributes", get_attributes_) &&
           look_up(library, "cuGetErrorName", error_name_) &&
           look_up(library, "cuGetErrorString", error_words_) &&
           look_up(library, "cuCtxPushCurrent_v2", push_) && look_up(library, "cuCtxPopCurrent_v2", pop_) &&
           look_up(library, "cuDevicePrimaryCtxRetain", retain_primary_) &&
           look_up(library, "cuDevicePrimaryCtxRelease", release_primary_) &&
           look_up(library, "cuDevicePrimaryCtxGetState", get_primary_state_) &&
           look_up(library, "cuStreamCreate", create_stream_) &&
           look_up(library, "cuStreamDestroy_v2", destroy_stream_) &&
           look_up(library, "cuStreamSynchronize", synchronise_) &&
           look_up(library, "cuStreamWaitEvent", wait_in_stream_) &&
           look_up(library, "cuEventCreate", create_event_) &&
           look_up(library, "cuEventDestroy_v2", destroy_event_) &&
           look_up(library, "cuEventRecord", record_) &&
           look_up(library, "cuEventSynchronize", wait_for_event_) &&
           look_up(library, "cuMemHostRegister_v2", pin_) &&
           look_up(library, "cuMemHostUnregister", unpin_) &&
           look_up(library, "cuMemcpyDtoHAsync_v2", to_host_) &&
           look_up(library, "cuMemcpyHtoDAsync_v2", to_device_) &&
           look_up(library, "cuMemcpy2DAsync_v2", copy_rectangle_) &&
           look_up(library, "cuMemcpy3DAsync_v2", copy_box_);
  }

  // For memory that the driver does not know, it reports 0 for each attribute. Before the program has
  // initialised the driver, it reports for all memory that it is not initialised.
  bool owns(const void* address, DevicePlace& place) const override {
    unsigned type = 0, managed = 0;
    DevicePlace found;
    int attributes[] = {memory_type_attribute, is_managed_attribute, context_attribute, device_attribute};
    void* values[] = {&type, &managed, &found.context, &found.device};
    const Code code = get_attributes_(4, attributes, values, reinterpret_cast<DeviceAddress>(address));
    if (code != success || type != device_memory || managed) return false;
    place = found;
    return true;
  }
  const CuFile* cufile() const override { return CuFile::loaded(); }

 private:
  const char* vendor() const override { return "CUDA"; }
  RuntimeCompiler compiler() const override {
    return {{"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2", "libnvrtc.so"},
            "nvrtc",
            "GetPTXSize",
            "GetPTX"};
  }
  std::string words(Code code) const override {
    const char *name = nullptr, *text = nullptr;
    if (error_name_(code, &name) != success || error_words_(code, &text) != success || !name || !text)
      return fmt::format("error {}", code);
    return fmt::format("{} ({})", text, name);
  }

  // Memory from a pool belongs to no context: any context of its device will do.
  Code hold(GpuStream& stream) const override {
    if (stream.place.context) return success;
    const Code code = retain_primary_(&stream.place.context, stream.place.device);
    stream.retained = code == success;
    return code;
  }
  void let_go(const GpuStream& stream) const override {
    if (stream.retained) release_primary_(stream.place.device);
  }

  bool has_context(int device) const override {
    unsigned flags = 0;
    int active = 0;
    return get_primary_state_(device, &flags, &active) == success && active;
  }

  Code within(const DevicePlace& place, Work work) const override {
    if (const Code code = push_(place.context); code != success) return code;
    const Code code = work();
    Context popped = nullptr;
    pop_(&popped);
    return code;
  }

  Code begin_copy(void* stream, Towards towards, std::byte* device, std::byte* host,
                  const Shape& shape) const override {
    const auto address = reinterpret_cast<DeviceAddress>(device);
    const auto bytes = static_cast<size_t>(shape.bytes), rows = static_cast<size_t>(shape.rows);
    const auto device_stride = static_cast<size_t>(shape.device_stride);
    const auto host_stride = static_cast<size_t>(shape.host_stride);
    const bool to_host = towards == Towards::host;
    if (shape.planes > 1) {
      const CudaBoxSide at_device{.type = device_memory,
                                  .device = address,
                                  .pitch = device_stride,
                                  .height = static_cast<size_t>(shape.device_plane_stride) / device_stride};
      const CudaBoxSide at_host{.type = host_memory,
                                .host = host,
                                .pitch = host_stride,
                                .height = static_cast<size_t>(shape.host_plane_stride) / host_stride};
      const CudaBox box{to_host ? at_device : at_host, to_host ? at_host : at_device, bytes, rows,
                        static_cast<size_t>(shape.planes)};
      return copy_box_(&box, stream);
    }
    if (shape.rows > 1) {
      const RectangleSide at_device{.type = device_memory, .device = address, .pitch = device_stride};
      const RectangleSide at_host{.type = host_memory, .host = host, .pitch = host_stride};
      const Rectangle rectangle{to_host ? at_device : at_host, to_host ? at_host : at_device, bytes, rows};
      return copy_rectangle_(&rectangle, stream);
    }
    return to_host ? to_host_(host, address, bytes, stream) : to_device_(address, host, bytes, stream);
  }

  Code (*get_attributes_)(unsigned, int*, void**, DeviceAddress) = nullptr;
  Code (*error_name_)(Code, const char**) = nullptr;
  Code (*error_words_)(Code, const char**) = nullptr;
  Code (*push_)(Context) = nullptr;
  Code (*pop_)(Context*) = nullptr;
  Code (*retain_primary_)(Context*, int) = nullptr;
  Code (*release_primary_)(int) = nullptr;
  Code (*get_primary_state_)(int, unsigned* flags, int* active) = nullptr;
  Code (*to_host_)(void*, DeviceAddress, size_t, void* stream) = nullptr;
  Code (*to_device_)(DeviceAddress, const void*, size_t, void* stream) = nullptr;
  Code (*copy_rectangle_)(const Rectangle*, void* stream) = nullptr;
  Code (*copy_box_)(const CudaBox*, void* stream) = nullptr;
};

}  // namespace

const GpuDriver* find_cuda() {
  return use_loaded<Cuda>("libcuda.so.1");
}

}  // namespace concilio
