// Copies between the memory of a GPU and that of the host, which go on while the caller does something else.
#pragma once

#include "base/gpu/gpu_driver.h"

namespace concilio {

class DeviceStream {
 public:
  DeviceStream() = default;
  // All that the program has given its default stream by now comes before the copies.
  static Result<DeviceStream> begin(const DeviceMemory& memory);
  DeviceStream(DeviceStream&& other) noexcept { swap(other); }
  DeviceStream& operator=(DeviceStream&& other) noexcept {
    swap(other);
    return *this;
  }
  ~DeviceStream();  // waits for the copies that have begun

  explicit operator bool() const { return driver_ != nullptr; }
  // These may be called from any thread, by one at a time. copy() begins a copy; the driver gets it in one
  // part if it can carry it out so.
  Status copy(Towards towards, std::byte* device, std::byte* host, const Shape& shape);
  // In how many parts the driver gets such a copy.
  static int64_t copies_of(const Shape& shape);
  Status load_kernel() { return driver_->load_kernel(stream_); }
  Status move_pieces(Towards towards, const PieceList& pieces) {
    return driver_->move_pieces(stream_, towards, pieces);
  }
  Status mark(size_t which) { return driver_->mark(stream_, which); }
  Status wait(size_t which) { return driver_->wait(stream_, which); }
  Status wait_for_all() { return driver_->wait_for_all(stream_); }
  // As the driver's.
  const CuFile* cufile() const { return driver_->cufile(); }
  Status in_place(FunctionRef<void()> work) const { return driver_->in_place_of(stream_, work); }

 private:
  void swap(DeviceStream& other) {
    std::swap(driver_, other.driver_);
    std::swap(stream_, other.stream_);
  }
  const GpuDriver* driver_ = nullptr;
  GpuStream stream_;
};

}  // namespace concilio
