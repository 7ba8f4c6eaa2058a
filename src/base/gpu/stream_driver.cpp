#include "base/gpu/stream_driver.h"

#include <fmt/format.h>

namespace concilio {
namespace {

// These have the same values in both drivers.
constexpr unsigned not_blocking = 1;    // a stream that the default stream does not wait for
constexpr unsigned without_times = 2;   // an event
constexpr unsigned for_all_places = 1;  // pinned memory

}  // namespace

Status StreamDriver::said(const char* what, Code code) const {
  if (code == success) return {};
  return Error{ErrorKind::other, 0, fmt::format("{} cannot {}: {}", vendor(), what, words(code))};
}

// The mark in the default stream is behind everything that the program's ordinary streams were given, as the
// default stream waits for these.
StreamDriver::Code StreamDriver::make(GpuStream& stream) const {
  constexpr void* default_stream = nullptr;
  Code code = create_stream_(&stream.stream, not_blocking);
  for (void*& mark : stream.marks)
    if (code == success) code = create_event_(&mark, without_times);
  if (code == success) code = record_(stream.marks[0], default_stream);
  if (code == success) code = wait_in_stream_(stream.stream, stream.marks[0], 0);
  return code;
}

Status StreamDriver::begin(GpuStream& stream) const {
  if (auto status = said("use the device of a buffer", hold(stream)); !status) return status;
  auto status = said("make a stream", within(stream.place, [&] { return make(stream); }));
  if (!status) end(stream);
  return status;
}

Status StreamDriver::copy(const GpuStream& stream, Towards towards, std::byte* device, std::byte* host,
                          const Shape& shape) const {
  return said(towards == Towards::host ? "copy from the device" : "copy to the device",
              within(stream.place, [&] { return begin_copy(stream.stream, towards, device, host, shape); }));
}

Status StreamDriver::mark(const GpuStream& stream, size_t which) const {
  return said("mark a stream",
              within(stream.place, [&] { return record_(stream.marks[which], stream.stream); }));
}

Status StreamDriver::wait(const GpuStream& stream, size_t which) const {
  return said("carry out the copies of a buffer",
              within(stream.place, [&] { return wait_for_event_(stream.marks[which]); }));
}

Status StreamDriver::wait_for_all(const GpuStream& stream) const {
  return said("carry out the copies of a buffer",
              within(stream.place, [&] { return synchronise_(stream.stream); }));
}

void StreamDriver::end(GpuStream& stream) const {
  within(stream.place, [&] {
    for (void* mark : stream.marks)
      if (mark) destroy_event_(mark);
    return stream.stream ? destroy_stream_(stream.stream) : success;
  });
  let_go(stream);
  stream = {};
}

bool StreamDriver::pin(const DevicePlace& place, std::byte* begin, int64_t bytes) const {
  if (!place.context && !has_context(place.device)) return false;
  GpuStream holder;
  holder.place = place;
  if (hold(holder) != success) return false;
  const auto length = static_cast<size_t>(bytes);
  const bool pinned = within(holder.place, [&] { return pin_(begin, length, for_all_places); }) == success;
  if (!pinned) let_go(holder);
  return pinned;
}

void StreamDriver::unpin(const DevicePlace& place, std::byte* begin) const {
  GpuStream holder;
  holder.place = place;
  if (hold(holder) != success) return;
  within(holder.place, [&] { return unpin_(begin); });
  for (int held = 0; held < 2; ++held) let_go(holder);  // by this function, and by pin()
}

Status StreamDriver::in_place_of(const GpuStream& stream, FunctionRef<void()> work) const {
  return said("use the device of a buffer", within(stream.place, [&] {
                work();
                return success;
              }));
}

}  // namespace concilio
