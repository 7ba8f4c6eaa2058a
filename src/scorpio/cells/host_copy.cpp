#include "scorpio/cells/host_copy.h"

#include <fmt/format.h>

#include <new>

namespace concilio::scorpio {

Status HostCopy::make(void* buffer, int64_t bytes) {
  buffer_ = static_cast<std::byte*>(buffer);
  bytes_ = bytes;
  const DeviceMemory memory = buffer && bytes > 0 ? DeviceMemory::at(buffer) : DeviceMemory();
  if (!memory) return {};
  copy_.reset(new (std::nothrow) std::byte[static_cast<size_t>(bytes)]);
  if (!copy_) {
    return Error{ErrorKind::no_memory, 0,
                 fmt::format("no memory for a copy of the {} bytes that are on a GPU", bytes)};
  }
  auto stream = DeviceStream::begin(memory);
  if (!stream) return stream.error();
  stream_ = std::move(*stream);
  return copy(Towards::host);
}

Status HostCopy::give_back() {
  return stream_ ? copy(Towards::device) : Status();
}

Status HostCopy::copy(Towards towards) {
  const Status begun = stream_.copy(towards, buffer_, copy_.get(), {bytes_});
  const Status done = stream_.wait_for_all();
  return begun ? done : begun;
}

}  // namespace concilio::scorpio
