// AMD's runtime, ROCm 6 and later. What is used of its interface is declared here.
#include <fmt/format.h>

#include "base/gpu/gpu_driver.h"

namespace concilio {
namespace {

using HipResult = int;
constexpr HipResult hip_success = 0;
enum CopyKind { host_to_device = 1, device_to_host = 2 };
constexpr int hip_device_memory = 2;  // other values: 0 memory that HIP does not know, 1 pinned, 3 managed

// hipPointerAttribute_t
struct PointerAttributes {
  int type = 0, device = 0;
  void *device_pointer = nullptr, *host_pointer = nullptr;
  int is_managed = 0;
  unsigned flags = 0;
};

class Hip : public GpuDriver {
 public:
  // Returns false if the driver lacks one of these functions.
  bool use(void* library) {
    return look_up(library, "hipPointerGetAttributes", get_attributes_) &&
           look_up(library, "hipGetDevice", get_device_) && look_up(library, "hipSetDevice", set_device_) &&
           look_up(library, "hipMemcpy", copy_) && look_up(library, "hipMemcpy2D", copy_rectangle_) &&
           look_up(library, "hipStreamSynchronize", synchronise_);
  }

  bool owns(const void* address, DevicePlace& place) const override {
    PointerAttributes found;
    if (get_attributes_(&found, address) != hip_success) return false;
    if (found.type != hip_device_memory || found.is_managed) return false;
    place = {nullptr, found.device};
    return true;
  }

  // Copies need the device to be current in the calling thread, which may be one of Concilio's own. So it is
  // made current first.
  Status copy(const DevicePlace& place, Towards towards, std::byte* device, std::byte* host,
              const Rows& rows) const override {
    int before = 0;
    if (auto status = said("hipGetDevice", get_device_(&before)); !status) return status;
    if (auto status = said("hipSetDevice", set_device_(place.device)); !status) return status;
    auto status = copy_here(towards, device, host, rows);
    set_device_(before);
    return status;
  }

 private:
  static Status said(const char* function, HipResult result) {
    if (result == hip_success) return {};
    return Error{ErrorKind::other, 0, fmt::format("{} fails with HIP error {}", function, result)};
  }

  Status copy_here(Towards towards, std::byte* device, std::byte* host, const Rows& rows) const {
    const bool to_host = towards == Towards::host;
    const auto bytes = static_cast<size_t>(rows.bytes);
    const auto device_stride = static_cast<size_t>(rows.device_stride);
    const auto host_stride = static_cast<size_t>(rows.host_stride);
    std::byte *to = to_host ? host : device, *from = to_host ? device : host;
    const int kind = to_host ? device_to_host : host_to_device;
    const auto status =
        rows.count == 1 ? said("hipMemcpy", copy_(to, from, bytes, kind))
                        : said("hipMemcpy2D", copy_rectangle_(to, to_host ? host_stride : device_stride, from,
                                                              to_host ? device_stride : host_stride, bytes,
                                                              static_cast<size_t>(rows.count), kind));
    // A copy from pageable memory may return before the bytes are in place.
    return status && !to_host ? said("hipStreamSynchronize", synchronise_(nullptr)) : status;
  }

  HipResult (*get_attributes_)(PointerAttributes*, const void*) = nullptr;
  HipResult (*get_device_)(int*) = nullptr;
  HipResult (*set_device_)(int) = nullptr;
  HipResult (*copy_)(void*, const void*, size_t, int kind) = nullptr;
  HipResult (*copy_rectangle_)(void*, size_t pitch, const void*, size_t from_pitch, size_t width,
                               size_t height, int kind) = nullptr;
  HipResult (*synchronise_)(void* stream) = nullptr;
};

}  // namespace

const GpuDriver* find_hip() {
  // ROCm 5 is not among them: it numbers the kinds of memory differently.
  for (const char* name : {"libamdhip64.so.7", "libamdhip64.so.6"}) {
    // The library stays open, so that the functions stay valid.
    void* library = dlopen(name, RTLD_LAZY | RTLD_NOLOAD);
    if (!library) continue;
    auto* driver = new Hip;
    if (driver->use(library)) return driver;
    delete driver;
  }
  return nullptr;
}

}  // namespace concilio
