// A buffer in the memory of a GPU, by CUDA's driver as the system has it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace concilio::bench {

struct CudaFunctions;

// Functions that return a text return what failed, and what helps, or an empty text.
class DeviceBuffer {
 public:
  DeviceBuffer();
  DeviceBuffer(const DeviceBuffer&) = delete;
  ~DeviceBuffer();

  // Makes the buffer on one of the node's devices, which the ranks of the node take by turns.
  std::string make(size_t bytes, int rank_of_node);
  explicit operator bool() const { return address_ != 0; }
  unsigned char* data() const { return reinterpret_cast<unsigned char*>(address_); }
  std::string put(const unsigned char* from, size_t bytes) const;
  std::string get(unsigned char* to, size_t bytes) const;

 private:
  std::string said(const char* function, int code) const;
  std::unique_ptr<CudaFunctions> cuda_;
  uintptr_t address_ = 0;
};

}  // namespace concilio::bench
