// NVIDIA's driver. What is used of its interface is declared here; that has been the same since CUDA 7.
#include <fmt/format.h>

#include <cstdint>

#include "base/gpu/gpu_driver.h"

namespace concilio {
namespace {

using CudaResult = int;
using Context = void*;
using DeviceAddress = uintptr_t;
constexpr CudaResult cuda_success = 0;

enum PointerAttribute {
  context_attribute = 1,
  memory_type_attribute = 2,
  is_managed_attribute = 8,
  device_attribute = 9
};
enum MemoryType : unsigned { host_memory = 1, device_memory = 2 };

// CUDA_MEMCPY2D
struct RectangleSide {
  size_t x_bytes, y;
  MemoryType type;
  void* host;
  DeviceAddress device;
  void* array;
  size_t pitch;
};
struct Rectangle {
  RectangleSide from, to;
  size_t width_bytes, height;
};

class Cuda : public GpuDriver {
 public:
  // Returns false if the driver lacks one of these functions.
  bool use(void* library) {
    return look_up(library, "cuPointerGetAttributes", get_attributes_) &&
           look_up(library, "cuCtxPushCurrent_v2", push_) && look_up(library, "cuCtxPopCurrent_v2", pop_) &&
           look_up(library, "cuDevicePrimaryCtxRetain", retain_primary_) &&
           look_up(library, "cuDevicePrimaryCtxRelease", release_primary_) &&
           look_up(library, "cuMemcpyDtoH_v2", to_host_) && look_up(library, "cuMemcpyHtoD_v2", to_device_) &&
           look_up(library, "cuMemcpy2DUnaligned_v2", copy_rectangle_) &&
           look_up(library, "cuStreamSynchronize", synchronise_);
  }

  // For memory that the driver does not know, it reports 0 for each attribute. Before the program has
  // initialised the driver, it reports for all memory that it is not initialised.
  bool owns(const void* address, DevicePlace& place) const override {
    unsigned type = 0, managed = 0;
    DevicePlace found;
    int attributes[] = {memory_type_attribute, is_managed_attribute, context_attribute, device_attribute};
    void* values[] = {&type, &managed, &found.context, &found.device};
    const auto result = get_attributes_(4, attributes, values, reinterpret_cast<DeviceAddress>(address));
    if (result != cuda_success || type != device_memory || managed) return false;
    place = found;
    return true;
  }

  // Copies need the context to be current in the calling thread, which may be one of Concilio's own. So it is
  // made current first.
  Status copy(const DevicePlace& place, Towards towards, std::byte* device, std::byte* host,
              const Rows& rows) const override {
    Context context = place.context;
    // Memory from a pool belongs to no context: any context of its device will do.
    if (!context)
      if (auto status = said("cuDevicePrimaryCtxRetain", retain_primary_(&context, place.device)); !status)
        return status;
    auto status = said("cuCtxPushCurrent", push_(context));
    if (status) {
      status = copy_here(towards, device, host, rows);
      Context popped = nullptr;
      pop_(&popped);
    }
    if (!place.context) release_primary_(place.device);
    return status;
  }

 private:
  static Status said(const char* function, CudaResult result) {
    if (result == cuda_success) return {};
    return Error{ErrorKind::other, 0, fmt::format("{} fails with CUDA error {}", function, result)};
  }

  Status copy_here(Towards towards, std::byte* device, std::byte* host, const Rows& rows) const {
    const auto address = reinterpret_cast<DeviceAddress>(device);
    const auto bytes = static_cast<size_t>(rows.bytes);
    if (rows.count > 1) {
      const RectangleSide at_device{
          0, 0, device_memory, nullptr, address, nullptr, static_cast<size_t>(rows.device_stride)};
      const RectangleSide at_host{0, 0, host_memory, host, 0, nullptr, static_cast<size_t>(rows.host_stride)};
      const auto height = static_cast<size_t>(rows.count);
      const Rectangle rectangle = towards == Towards::host ? Rectangle{at_device, at_host, bytes, height}
                                                           : Rectangle{at_host, at_device, bytes, height};
      if (auto status = said("cuMemcpy2DUnaligned", copy_rectangle_(&rectangle)); !status) return status;
    } else if (towards == Towards::host) {
      return said("cuMemcpyDtoH", to_host_(host, address, bytes));
    } else if (auto status = said("cuMemcpyHtoD", to_device_(address, host, bytes)); !status) {
      return status;
    }
    // A copy from pageable memory may return before the bytes are in place.
    return towards == Towards::host ? Status() : said("cuStreamSynchronize", synchronise_(nullptr));
  }

  CudaResult (*get_attributes_)(unsigned, int*, void**, DeviceAddress) = nullptr;
  CudaResult (*push_)(Context) = nullptr;
  CudaResult (*pop_)(Context*) = nullptr;
  CudaResult (*retain_primary_)(Context*, int) = nullptr;
  CudaResult (*release_primary_)(int) = nullptr;
  CudaResult (*to_host_)(void*, DeviceAddress, size_t) = nullptr;
  CudaResult (*to_device_)(DeviceAddress, const void*, size_t) = nullptr;
  CudaResult (*copy_rectangle_)(const Rectangle*) = nullptr;
  CudaResult (*synchronise_)(void* stream) = nullptr;
};

}  // namespace

const GpuDriver* find_cuda() {
  // The library stays open, so that the functions stay valid.
  void* library = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
  if (!library) return nullptr;
  auto* driver = new Cuda;
  if (driver->use(library)) return driver;
  delete driver;
  return nullptr;
}

}  // namespace concilio
