// AMD's runtime, ROCm 6 and later. What is used of its interface is declared here.
#include <fmt/format.h>

#include "base/gpu/stream_driver.h"

namespace concilio {
namespace {

enum CopyKind { host_to_device = 1, device_to_host = 2 };
constexpr int hip_device_memory = 2;  // other values: 0 memory that HIP does not know, 1 pinned, 3 managed

// hipPointerAttribute_t
struct PointerAttributes {
  int type = 0, device = 0;
  void *device_pointer = nullptr, *host_pointer = nullptr;
  int is_managed = 0;
  unsigned flags = 0;
};

// hipMemcpy3DParms. Planes are pitch * height bytes apart.
struct HipBoxSide {
  void* array = nullptr;
  size_t x = 0, y = 0, z = 0;
  void* address;
  size_t pitch, width, height;
};
struct HipBox {
  HipBoxSide from, to;
  size_t width_bytes, height, depth;
  CopyKind kind;
};

class Hip : public StreamDriver {
 public:
  // Returns false if the driver lacks one of the functions that every copy needs.
  bool use(void* library) {
    if (!look_up(library, "hipModuleLoadData", kernels_.load) ||
        !look_up(library, "hipModuleUnload", kernels_.unload) ||
        !look_up(library, "hipModuleGetFunction", kernels_.find) ||
        !look_up(library, "hipHostGetDevicePointer", kernels_.device_address) ||
        !look_up(library, "hipModuleLaunchKernel", kernels_.launch))
      kernels_ = {};
    return look_up(library, "hipPointerGetAttributes", get_attributes_) &&
           look_up(library, "hipGetErrorName", error_name_) &&
           look_up(library, "hipGetErrorString", error_words_) &&
           look_up(library, "hipGetDevice", get_device_) && look_up(library, "hipSetDevice", set_device_) &&
           look_up(library, "hipStreamCreateWithFlags", create_stream_) &&
           look_up(library, "hipStreamDestroy", destroy_stream_) &&
           look_up(library, "hipStreamSynchronize", synchronise_) &&
           look_up(library, "hipStreamWaitEvent", wait_in_stream_) &&
           look_up(library, "hipEventCreateWithFlags", create_event_) &&
           look_up(library, "hipEventDestroy", destroy_event_) &&
           look_up(library, "hipEventRecord", record_) &&
           look_up(library, "hipEventSynchronize", wait_for_event_) &&
           look_up(library, "hipHostRegister", pin_) && look_up(library, "hipHostUnregister", unpin_) &&
           look_up(library, "hipMemcpyAsync", copy_) &&
           look_up(library, "hipMemcpy2DAsync", copy_rectangle_) &&
           look_up(library, "hipMemcpy3DAsync", copy_box_);
  }

  bool owns(const void* address, DevicePlace& place) const override {
    PointerAttributes found;
    if (get_attributes_(&found, address) != success) return false;
    if (found.type != hip_device_memory || found.is_managed) return false;
    place = {nullptr, found.device};
    return true;
  }

 private:
  const char* vendor() const override { return "HIP"; }
  RuntimeCompiler compiler() const override {
    return {{"libhiprtc.so.7", "libhiprtc.so.6", "libhiprtc.so"}, "hiprtc", "GetCodeSize", "GetCode"};
  }
  std::string words(Code code) const override {
    const char *name = error_name_(code), *text = error_words_(code);
    return name && text ? fmt::format("{} ({})", text, name) : fmt::format("error {}", code);
  }

  // HIP's contexts are its devices, which stay.
  Code hold(GpuStream&) const override { return success; }
  void let_go(const GpuStream&) const override {}
  bool has_context(int) const override { return true; }

  Code within(const DevicePlace& place, Work work) const override {
    int before = 0;
    if (const Code code = get_device_(&before); code != success) return code;
    if (const Code code = set_device_(place.device); code != success) return code;
    const Code code = work();
    set_device_(before);
    return code;
  }

  Code begin_copy(void* stream, Towards towards, std::byte* device, std::byte* host,
                  const Shape& shape) const override {
    const bool to_host = towards == Towards::host;
    const CopyKind kind = to_host ? device_to_host : host_to_device;
    const auto bytes = static_cast<size_t>(shape.bytes), rows = static_cast<size_t>(shape.rows);
    const auto device_stride = static_cast<size_t>(shape.device_stride);
    const auto host_stride = static_cast<size_t>(shape.host_stride);
    if (shape.planes > 1) {
      const HipBoxSide at_device{.address = device,
                                 .pitch = device_stride,
                                 .width = bytes,
                                 .height = static_cast<size_t>(shape.device_plane_stride) / device_stride};
      const HipBoxSide at_host{.address = host,
                               .pitch = host_stride,
                               .width = bytes,
                               .height = static_cast<size_t>(shape.host_plane_stride) / host_stride};
      const HipBox box{to_host ? at_device : at_host,
                       to_host ? at_host : at_device,
                       bytes,
                       rows,
                       static_cast<size_t>(shape.planes),
                       kind};
      return copy_box_(&box, stream);
    }
    std::byte *to = to_host ? host : device, *from = to_host ? device : host;
    if (shape.rows > 1)
      return copy_rectangle_(to, to_host ? host_stride : device_stride, from,
                             to_host ? device_stride : host_stride, bytes, rows, kind, stream);
    return copy_(to, from, bytes, kind, stream);
  }

  Code (*get_attributes_)(PointerAttributes*, const void*) = nullptr;
  const char* (*error_name_)(Code) = nullptr;
  const char* (*error_words_)(Code) = nullptr;
  Code (*get_device_)(int*) = nullptr;
  Code (*set_device_)(int) = nullptr;
  Code (*copy_)(void*, const void*, size_t, int kind, void* stream) = nullptr;
  Code (*copy_rectangle_)(void*, size_t pitch, const void*, size_t from_pitch, size_t width, size_t height,
                          int kind, void* stream) = nullptr;
  Code (*copy_box_)(const HipBox*, void* stream) = nullptr;
};

}  // namespace

const GpuDriver* find_hip() {
  // ROCm 5 is not among them: it numbers the kinds of memory differently.
  for (const char* name : {"libamdhip64.so.7", "libamdhip64.so.6"}) {
    if (const auto* driver = use_loaded<Hip>(name)) return driver;
  }
  return nullptr;
}

}  // namespace concilio
