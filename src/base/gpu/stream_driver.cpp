#include "base/gpu/stream_driver.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/checked.h"
#include "base/exceptions.h"

namespace concilio {
namespace {

// These have the same values in both drivers.
constexpr unsigned not_blocking = 1;    // a stream that the default stream does not wait for
constexpr unsigned without_times = 2;   // an event
constexpr unsigned for_all_places = 1;  // pinned memory

#define KERNEL(...) #__VA_ARGS__
constexpr const char* piece_kernel =
#include "base/gpu/piece_kernel.inc"
    ;
#undef KERNEL

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

// It is compiled without the lock, since that may load the compiler: see DeviceMemory::look_for_drivers().
const Result<std::string>& StreamDriver::compiled_kernel() const {
  {
    std::lock_guard lock(compiled_guard_);
    if (compiled_) return *compiled_;
  }
  Result<std::string> made = compiler().compile(piece_kernel);
  std::lock_guard lock(compiled_guard_);
  if (!compiled_) compiled_ = std::move(made);
  return *compiled_;
}

// A module is loaded for each stream that needs it: a context that the program destroys takes its modules
// with it, and nobody tells us.
Status StreamDriver::load_kernel(GpuStream& stream) const {
  if (!kernels_.launch) return Error{ErrorKind::unsupported, 0, "the driver launches no kernels"};
  Status compiled;
  const Code code = within(stream.place, [&]() -> Code {
    const char* kernel = nullptr;
    compiled = without_exceptions([&]() -> Status {
      const Result<std::string>& made = compiled_kernel();
      if (!made) return made.error();
      kernel = made->c_str();
      return {};
    });
    if (!kernel) return success;
    const Code loaded = kernels_.load(&stream.module, kernel);
    return loaded == success ? kernels_.find(&stream.kernel, stream.module, "concilio_move_pieces") : loaded;
  });
  return compiled ? said("load a kernel", code) : compiled;
}

Status StreamDriver::move_pieces(const GpuStream& stream, Towards towards, const PieceList& pieces) const {
  constexpr unsigned threads_of_a_piece = 32, pieces_of_a_block = 8;
  constexpr int64_t most_blocks = 1024;
  const auto launch = [&]() -> Code {
    void* pinned = nullptr;  // where the device reaches that
    if (const Code code = kernels_.device_address(&pinned, pieces.pinned, 0); code != success) return code;
    const auto at_device = [&](const void* at_host) -> void* {
      return static_cast<std::byte*>(pinned) + (static_cast<const std::byte*>(at_host) - pieces.pinned);
    };
    void *addresses = at_device(pieces.addresses), *positions = at_device(pieces.positions),
         *packed = at_device(pieces.packed);
    auto count = static_cast<unsigned long long>(pieces.count);
    int gathers = towards == Towards::host;
    void* arguments[] = {&addresses, &positions, &count, &packed, &gathers};
    const auto blocks =
        static_cast<unsigned>(std::min(most_blocks, ceil_divide(pieces.count, pieces_of_a_block)));
    return kernels_.launch(stream.kernel, blocks, 1, 1, threads_of_a_piece, pieces_of_a_block, 1, 0,
                           stream.stream, arguments, nullptr);
  };
  return said("move pieces of a buffer", within(stream.place, launch));
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
    if (stream.module) kernels_.unload(stream.module);
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
