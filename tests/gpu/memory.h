// Buffers of a test program in the memory of a GPU, by CUDA's driver.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "library.h"

// Loaded at first use.
inline const GpuLibrary& cuda() {
  static const auto* library = [] {
    auto* made = new GpuLibrary(CUDA_STAND_IN);
    made->call("cuInit", 0U);
    return made;
  }();
  return *library;
}

// GPUDirect Storage, likewise.
inline const GpuLibrary& cufile() {
  static const auto* library = new GpuLibrary(CUFILE_STAND_IN);
  return *library;
}

// Whether files in a folder can be opened with O_DIRECT, which some file systems in memory do not know.
// cuFile takes no others.
inline bool has_direct_files(const std::string& folder) {
  const std::string path = folder + "/direct." + std::to_string(getpid());
  const int file = open(path.c_str(), O_CREAT | O_RDWR | O_DIRECT, 0600);
  if (file >= 0) close(file);
  unlink(path.c_str());
  return file >= 0;
}

class GpuMemory {
 public:
  explicit GpuMemory(size_t bytes) : bytes_(bytes) { cuda().call("cuMemAlloc_v2", &address_, bytes + 1); }
  explicit GpuMemory(const std::vector<uint8_t>& contents) : GpuMemory(contents.size()) { put(contents); }
  GpuMemory(GpuMemory&& other) noexcept
      : bytes_(std::exchange(other.bytes_, 0)), address_(std::exchange(other.address_, 0)) {}
  ~GpuMemory() {
    if (address_) cuda().call("cuMemFree_v2", address_);
  }

  uint8_t* data() const { return reinterpret_cast<uint8_t*>(address_); }
  void put(const std::vector<uint8_t>& contents) const {
    in_context([&] {
      cuda().call("cuMemcpyHtoD_v2", address_, static_cast<const void*>(contents.data()), contents.size());
    });
  }
  std::vector<uint8_t> get() const {
    std::vector<uint8_t> contents(bytes_);
    in_context(
        [&] { cuda().call("cuMemcpyDtoH_v2", static_cast<void*>(contents.data()), address_, bytes_); });
    return contents;
  }

 private:
  // No context is current while MPI is called, so code that copies then needs a context of its own.
  template <typename Work>
  static void in_context(Work work) {
    void* context = nullptr;
    cuda().call("cuDevicePrimaryCtxRetain", &context, 0);
    cuda().call("cuCtxPushCurrent_v2", context);
    work();
    cuda().call("cuCtxPopCurrent_v2", &context);
    cuda().call("cuDevicePrimaryCtxRelease", 0);
  }

  size_t bytes_;
  uintptr_t address_ = 0;
};
