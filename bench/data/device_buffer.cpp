#include "data/device_buffer.h"

#include <dlfcn.h>
#include <fmt/format.h>

namespace concilio::bench {

struct CudaFunctions {
  int (*init)(unsigned) = nullptr;
  int (*error_text)(int, const char**) = nullptr;
  int (*device_count)(int*) = nullptr;
  int (*device)(int*, int ordinal) = nullptr;
  int (*retain_context)(void**, int device) = nullptr;
  int (*set_context)(void*) = nullptr;
  int (*allocate)(uintptr_t*, size_t) = nullptr;
  int (*release)(uintptr_t) = nullptr;
  int (*to_device)(uintptr_t, const void*, size_t) = nullptr;
  int (*to_host)(void*, uintptr_t, size_t) = nullptr;

  bool look_up(void* library) {
    const auto find = [&]<typename Function>(const char* name, Function*& function) {
      function = reinterpret_cast<Function*>(dlsym(library, name));
      return function != nullptr;
    };
    return find("cuInit", init) && find("cuGetErrorString", error_text) &&
           find("cuDeviceGetCount", device_count) && find("cuDeviceGet", device) &&
           find("cuDevicePrimaryCtxRetain", retain_context) && find("cuCtxSetCurrent", set_context) &&
           find("cuMemAlloc_v2", allocate) && find("cuMemFree_v2", release) &&
           find("cuMemcpyHtoD_v2", to_device) && find("cuMemcpyDtoH_v2", to_host);
  }
};

DeviceBuffer::DeviceBuffer() : cuda_(std::make_unique<CudaFunctions>()) {}

DeviceBuffer::~DeviceBuffer() {
  if (address_) cuda_->release(address_);
}

std::string DeviceBuffer::said(const char* function, int code) const {
  if (code == 0) return {};
  const char* text = nullptr;
  if (cuda_->error_text(code, &text) != 0 || !text) text = "an unknown error";
  return fmt::format("--device cuda: {} fails: {}; leave --device out to measure buffers of the host",
                     function, text);
}

std::string DeviceBuffer::make(size_t bytes, int rank_of_node) {
  // The driver stays loaded: the library that is measured may use it until the program ends.
  void* library = dlopen("libcuda.so.1", RTLD_NOW);
  if (!library) {
    return fmt::format(
        "--device cuda: there is no driver: {}; install NVIDIA's driver, or name its folder in "
        "LD_LIBRARY_PATH",
        dlerror());
  }
  if (!cuda_->look_up(library)) return "--device cuda: the driver is older than CUDA 7; install a newer one";
  int devices = 0, device = 0;
  void* context = nullptr;
  std::string failure = said("cuInit", cuda_->init(0));
  if (failure.empty()) failure = said("cuDeviceGetCount", cuda_->device_count(&devices));
  if (failure.empty() && devices == 0)
    failure = "--device cuda: the driver has no device; leave --device out to measure buffers of the host";
  if (failure.empty()) failure = said("cuDeviceGet", cuda_->device(&device, rank_of_node % devices));
  if (failure.empty()) failure = said("cuDevicePrimaryCtxRetain", cuda_->retain_context(&context, device));
  if (failure.empty()) failure = said("cuCtxSetCurrent", cuda_->set_context(context));
  if (failure.empty()) failure = said("cuMemAlloc", cuda_->allocate(&address_, bytes));
  return failure;
}

std::string DeviceBuffer::put(const unsigned char* from, size_t bytes) const {
  return said("cuMemcpyHtoD", cuda_->to_device(address_, from, bytes));
}

std::string DeviceBuffer::get(unsigned char* to, size_t bytes) const {
  return said("cuMemcpyDtoH", cuda_->to_host(to, address_, bytes));
}

}  // namespace concilio::bench
