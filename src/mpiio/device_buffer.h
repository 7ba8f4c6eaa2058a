// A user's buffer in the memory of a GPU: copied to and from memory of the host, piece by piece as its
// datatype has them, so that what lies between the pieces is left alone.
#pragma once

#include "base/gpu/device_memory.h"
#include "pattern/access.h"

namespace concilio::mpiio {

class DeviceBuffer {
 public:
  DeviceBuffer() = default;  // a buffer of the host's
  // `base`: what the offsets of `layout` count from; there is data. Its first byte says in what memory all of
  // it lies.
  DeviceBuffer(const Access& layout, std::byte* base);

  explicit operator bool() const { return static_cast<bool>(memory_); }

  // The data, one byte behind the other.
  Status copy_packed(Towards towards, Interval data, std::byte* host) const;
  // As they lie in the buffer, from the first offset of their bounds on.
  Status copy_spread(Towards towards, Interval data, std::byte* host) const;
  Interval bounds(Interval data) const { return layout_.bounds(data.begin, data.end); }

 private:
  DeviceMemory memory_;
  Access layout_;
  std::byte* base_ = nullptr;
};

}  // namespace concilio::mpiio
