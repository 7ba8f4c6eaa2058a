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

Status DeviceStream::copy(Towards towards, std::byte* device, std::byte* host, const Shape& shape) {
  // Drivers copy rows at once if they are in ascending order and do not overlap. They know how far planes are
  // apart only as a number of rows.
  const auto rows_fit = [&](int64_t stride) {
    return shape.rows == 1 || (stride >= shape.bytes && stride <= GpuDriver::most_stride);
  };
  const auto planes_fit = [&](int64_t stride, int64_t row_stride) {
    return shape.planes == 1 ||
           (shape.rows > 1 && stride % row_stride == 0 && stride / row_stride >= shape.rows);
  };
  const bool one_copy_a_plane = rows_fit(shape.device_stride) && rows_fit(shape.host_stride);
  if (one_copy_a_plane && planes_fit(shape.device_plane_stride, shape.device_stride) &&
      planes_fit(shape.host_plane_stride, shape.host_stride))
    return driver_->copy(stream_, towards, device, host, shape);
  Shape part = shape;
  part.planes = 1;
  if (!one_copy_a_plane) part.rows = 1;
  for (int64_t plane = 0; plane < shape.planes; ++plane) {
    for (int64_t row = 0; row < shape.rows; row += part.rows) {
      auto status = driver_->copy(stream_, towards,
                                  device + plane * shape.device_plane_stride + row * shape.device_stride,
                                  host + plane * shape.host_plane_stride + row * shape.host_stride, part);
      if (!status) return status;
    }
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
