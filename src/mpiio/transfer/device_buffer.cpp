#include "mpiio/transfer/device_buffer.h"

namespace concilio::mpiio {
namespace {

// Calls use(offset, position, rows) for all data of the interval. `rows` begin at `offset` in the buffer, and
// their first byte has `position` in the data. Regularly strided data of the buffer make one rectangle for
// the driver.
template <typename Use>
Status for_each_rows(const pattern::Access& layout, pattern::Interval data, const Use& use) {
  pattern::Cursor cursor(layout, data.begin);
  while (cursor.position() < data.end) {
    const int64_t position = cursor.position();
    const pattern::Chunk chunk = cursor.next(data.end - position);
    if (!chunk.offsets) {
      auto status = use(chunk.base, position, Rows{chunk.length, chunk.count, chunk.stride, 0});
      if (!status) return status;
      continue;
    }
    for (int64_t i = 0; i < chunk.count; ++i) {
      auto status = use(chunk.offset(i), position + i * chunk.length, Rows{chunk.length, 1, 0, 0});
      if (!status) return status;
    }
  }
  return {};
}

}  // namespace

DeviceBuffer::DeviceBuffer(const pattern::Access& layout, std::byte* base)
    : memory_(DeviceMemory::at(base + layout.offset_of(0))) {
  if (!memory_) return;
  layout_ = layout;
  base_ = base;
}

Status DeviceBuffer::copy_packed(Towards towards, pattern::Interval data, std::byte* host) const {
  return for_each_rows(layout_, data, [&](int64_t offset, int64_t position, Rows rows) {
    rows.host_stride = rows.bytes;
    return memory_.copy(towards, base_ + offset, host + (position - data.begin), rows);
  });
}

Status DeviceBuffer::copy_spread(Towards towards, pattern::Interval data, std::byte* host) const {
  const int64_t first = bounds(data).begin;
  return for_each_rows(layout_, data, [&](int64_t offset, int64_t, Rows rows) {
    rows.host_stride = rows.device_stride;
    return memory_.copy(towards, base_ + offset, host + (offset - first), rows);
  });
}

}  // namespace concilio::mpiio
