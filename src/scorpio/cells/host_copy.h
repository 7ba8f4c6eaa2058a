// A rank's cells in memory of the host, also if the program has them in that of a GPU, which neither HDF5 nor
// messages reach.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/gpu/device_stream.h"

namespace concilio::scorpio {

class HostCopy {
 public:
  // `buffer` itself if the CPU may touch it; else a copy of its `bytes` bytes. It has these also before a
  // read, which may leave some as they were.
  Status make(void* buffer, int64_t bytes);
  std::byte* data() const { return copy_ ? copy_.get() : buffer_; }
  // After a read.
  Status give_back();

 private:
  Status copy(Towards towards);

  std::byte* buffer_ = nullptr;
  int64_t bytes_ = 0;
  std::unique_ptr<std::byte[]> copy_;
  DeviceStream stream_;  // ends before the copy does
};

}  // namespace concilio::scorpio
