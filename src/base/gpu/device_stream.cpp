#include "base/gpu/device_stream.h"

namespace concilio {

Result<DeviceStream> DeviceStream::begin(const DeviceMemory& memory) {
  DeviceStream made;
  made.stream_.place = memory.place();
  if (auto status = memory.driver().begin(made.stream_); !status) return status.error();
  made.driver_ = &memory.driver();
  return made;
}

DeviceStream::~DeviceStream() {
  if (!driver_) return;
  (void)wait_for_all();
  driver_->end(stream_);
}

Status DeviceStream::copy(Towards towards, std::byte* device, std::byte* host, const Rows& rows) {
  // Drivers copy a rectangle at once if its rows are in ascending order and do not overlap.
  const auto fits = [&](int64_t stride) { return stride >= rows.bytes && stride <= GpuDriver::most_stride; };
  if (rows.count == 1 || (fits(rows.device_stride) && fits(rows.host_stride)))
    return driver_->copy(stream_, towards, device, host, rows);
  for (int64_t i = 0; i < rows.count; ++i) {
    auto status = driver_->copy(stream_, towards, device + i * rows.device_stride,
                                host + i * rows.host_stride, {rows.bytes, 1, 0, 0});
    if (!status) return status;
  }
  return {};
}

Pinned::Pinned(const DeviceStream& stream, std::byte* begin, int64_t bytes) : begin_(begin) {
  if (stream.driver_->pin(stream.stream_, begin, bytes)) stream_ = &stream;
}

Pinned::~Pinned() {
  if (stream_) stream_->driver_->unpin(stream_->stream_, begin_);
}

}  // namespace concilio
