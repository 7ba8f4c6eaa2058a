// A user's buffer in the memory of a GPU. Its data are copied to and from the host's memory piece by piece,
// as the datatype describes them, so that the bytes between the pieces are never changed.
#pragma once

#include "base/gpu/device_memory.h"
#include "pattern/access.h"

namespace concilio::mpiio {

class DeviceBuffer {
 public:
  DeviceBuffer() = default;  // a buffer in the host's memory
  // The offsets of `layout` count from `base`, and there must be data. The first byte of the data decides in
  // which memory all of the buffer lies.
  DeviceBuffer(const pattern::Access& layout, std::byte* base);

  explicit operator bool() const { return static_cast<bool>(memory_); }

  // Copies the data to or from `host`, where they are packed without gaps.
  Status copy_packed(Towards towards, pattern::Interval data, std::byte* host) const;
  // Copies the data to or from `host`, where they have the same offsets to each other as in the buffer.
  // host[0] belongs to the first offset of their bounds.
  Status copy_spread(Towards towards, pattern::Interval data, std::byte* host) const;
  pattern::Interval bounds(pattern::Interval data) const { return layout_.bounds(data.begin, data.end); }

 private:
  DeviceMemory memory_;
  pattern::Access layout_;
  std::byte* base_ = nullptr;
};

}  // namespace concilio::mpiio
