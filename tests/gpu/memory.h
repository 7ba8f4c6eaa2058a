// Buffers of a test program in the memory of a GPU, by CUDA's driver or Level Zero.
#pragma once

#include <fcntl.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
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

// Whether data can go directly between a GPU and files in a folder: they can be opened with O_DIRECT, and are
// not in memory.
inline bool has_direct_files(const std::string& folder) {
  constexpr long tmpfs = 0x01021994;
  struct statfs status;
  const std::string path = folder + "/direct." + std::to_string(getpid());
  const int file = open(path.c_str(), O_CREAT | O_RDWR | O_DIRECT, 0600);
  const bool direct = file >= 0 && fstatfs(file, &status) == 0 && status.f_type != tmpfs;
  if (file >= 0) close(file);
  unlink(path.c_str());
  return direct;
}

// Memory of Intel's GPUs, as a program has it that has a context of its own.
class LevelZeroProgram {
 public:
  LevelZeroProgram() {
    library_.call("zeInit", 0U);
    unsigned count = 2;
    void* drivers[2];
    library_.call("zeDriverGet", &count, static_cast<void**>(drivers));
    count = 1;
    library_.call("zeDeviceGet", drivers[1], &count, &device_);
    Description context{0xd, nullptr, {}};
    library_.call("zeContextCreate", drivers[1], &context, &context_);
    Description queue{0xe, nullptr, {0, 0, 0, 2, 0}};
    library_.call("zeCommandListCreateImmediate", context_, device_, &queue, &list_);
  }
  const GpuLibrary& library() const { return library_; }
  uintptr_t allocate(size_t bytes, const char* how = "zeMemAllocDevice") const {
    Description memory{0x15, nullptr, {}};
    uintptr_t address = 0;
    if (std::string(how) == "zeMemAllocDevice")
      library_.call(how, context_, &memory, bytes, size_t{64}, device_, &address);
    else if (std::string(how) == "zeMemAllocShared")
      library_.call(how, context_, &memory, &memory, bytes, size_t{64}, device_, &address);
    else
      library_.call(how, context_, &memory, bytes, size_t{64}, &address);
    return address;
  }
  void release(uintptr_t address) const { library_.call("zeMemFree", context_, address); }
  void copy(const void* to, const void* from, size_t bytes) const {
    library_.call("zeCommandListAppendMemoryCopy", list_, to, from, bytes, nullptr, 0U, nullptr);
    library_.call("zeCommandListHostSynchronize", list_, UINT64_MAX);
  }

 private:
  // Any structure that a program describes things with.
  struct Description {
    int structure;
    const void* next;
    unsigned values[5];
  };
  GpuLibrary library_{LEVEL_ZERO_STAND_IN};
  void *device_ = nullptr, *context_ = nullptr, *list_ = nullptr;
};
inline const LevelZeroProgram& level_zero() {
  static const auto* program = new LevelZeroProgram;
  return *program;
}

// Whether a test's buffers are in memory of Intel's GPUs, as TEST_GPU=level_zero in the environment says, and
// not of NVIDIA's.
inline bool is_level_zero() {
  static const bool wanted = [] {
    const char* name = std::getenv("TEST_GPU");
    return name && std::string(name) == "level_zero";
  }();
  return wanted;
}
// The driver of these buffers.
inline const GpuLibrary& gpu() {
  return is_level_zero() ? level_zero().library() : cuda();
}

class GpuMemory {
 public:
  explicit GpuMemory(size_t bytes) : bytes_(bytes) {
    if (is_level_zero())
      address_ = level_zero().allocate(bytes + 1);
    else
      cuda().call("cuMemAlloc_v2", &address_, bytes + 1);
  }
  explicit GpuMemory(const std::vector<uint8_t>& contents) : GpuMemory(contents.size()) { put(contents); }
  GpuMemory(GpuMemory&& other) noexcept
      : bytes_(std::exchange(other.bytes_, 0)), address_(std::exchange(other.address_, 0)) {}
  ~GpuMemory() {
    if (address_ && is_level_zero())
      level_zero().release(address_);
    else if (address_)
      cuda().call("cuMemFree_v2", address_);
  }

  uint8_t* data() const { return reinterpret_cast<uint8_t*>(address_); }
  void put(const std::vector<uint8_t>& contents) const {
    if (is_level_zero()) return level_zero().copy(data(), contents.data(), contents.size());
    in_context([&] {
      cuda().call("cuMemcpyHtoD_v2", address_, static_cast<const void*>(contents.data()), contents.size());
    });
  }
  std::vector<uint8_t> get() const {
    std::vector<uint8_t> contents(bytes_);
    if (is_level_zero())
      level_zero().copy(contents.data(), data(), bytes_);
    else
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
