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

namespace {

// What of a copy the driver can carry out at once: all of it, a plane, or a row.
Shape at_once(const Shape& shape) {
  // Drivers copy rows at once if they are in ascending order and do not overlap. They know how far planes are
  // apart only as a number of rows.
  const auto rows_fit = [&](int64_t stride) {
    return shape.rows == 1 || (stride >= shape.bytes && stride <= GpuDriver::most_stride);
  };
  const auto planes_fit = [&](int64_t stride, int64_t row_stride) {
    return shape.planes == 1 ||
           (shape.rows > 1 && stride % row_stride == 0 && stride / row_stride >= shape.rows);
  };
  Shape part = shape;
  if (!rows_fit(shape.device_stride) || !rows_fit(shape.host_stride)) {
    part.rows = part.planes = 1;
  } else if (!planes_fit(shape.device_plane_stride, shape.device_stride) ||
             !planes_fit(shape.host_plane_stride, shape.host_stride)) {
    part.planes = 1;
  }
  return part;
}

}  // namespace

int64_t DeviceStream::copies_of(const Shape& shape) {
  const Shape part = at_once(shape);
  return shape.rows / part.rows * (shape.planes / part.planes);
}

Status DeviceStream::copy(Towards towards, std::byte* device, std::byte* host, const Shape& shape) {
  const Shape part = at_once(shape);
  for (int64_t plane = 0; plane < shape.planes; plane += part.planes) {
    for (int64_t row = 0; row < shape.rows; row += part.rows) {
      auto status = driver_->copy(stream_, towards,
                                  device + plane * shape.device_plane_stride + row * shape.device_stride,
                                  host + plane * shape.host_plane_stride + row * shape.host_stride, part);
      if (!status) return status;
    }
  }
  return {};
}

}  // namespace concilio
