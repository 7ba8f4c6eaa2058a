#include "exec/call/device_link.h"

#include <algorithm>

#include "base/permanent.h"
#include "pattern/boxes.h"

namespace concilio::exec {
namespace {

// To pin memory takes about as long as to copy some hundred KiB to it.
constexpr int64_t pays_to_pin_bytes = 1 << 20;

const pattern::Access& packed() {
  static const Permanent<pattern::Access> bytes(pattern::Access::contiguous(0));
  return *bytes;
}

pattern::Side behind(pattern::Side side, int64_t bytes) {
  side.position += bytes;
  return side;
}

}  // namespace

Status DeviceLink::begin(const DeviceMemory& memory) {
  auto made = DeviceStream::begin(memory);
  if (!made) return made.error();
  stream_ = std::move(*made);
  return {};
}

Status DeviceLink::make_room(Budget& budget, int64_t most_bytes, int64_t call_bytes) {
  // A little is left for what is kept of the call's datatypes.
  const int64_t wanted = std::min(call_bytes, std::max<int64_t>(1, most_bytes / 32 * 15));
  if (room_.size() >= 2 * wanted) return {};
  pinned_room_ = Pinned();
  if (auto status = room_.reserve(budget, 2 * wanted); !status) return status;
  half_bytes_ = wanted;
  if (call_bytes >= pays_to_pin_bytes) pinned_room_ = Pinned(stream_, room_.data(), room_.size());
  return {};
}

// However copies end, also by an exception, nothing may use the host's memory any longer.
class DeviceLink::UntilAllIsCopied {
 public:
  explicit UntilAllIsCopied(DeviceStream& stream) : stream_(stream) {}
  UntilAllIsCopied(const UntilAllIsCopied&) = delete;
  UntilAllIsCopied& operator=(const UntilAllIsCopied&) = delete;
  ~UntilAllIsCopied() {
    if (!waited_) (void)stream_.wait_for_all();
  }
  Status wait() {
    waited_ = true;
    return stream_.wait_for_all();
  }

 private:
  DeviceStream& stream_;
  bool waited_ = false;
};

// Begins to copy, in as few copies of the driver as the two sides allow.
Status DeviceLink::begin_copies(Towards towards, const pattern::Side& device, const pattern::Side& host,
                                int64_t bytes) {
  return for_each_box(device, host, bytes, [&](const pattern::Box& box) {
    return stream_.copy(towards, box.first.address, box.second.address,
                        {box.length, box.rows, box.first.row_stride, box.second.row_stride, box.planes,
                         box.first.plane_stride, box.second.plane_stride});
  });
}

Status DeviceLink::copy_straight(Towards towards, const pattern::Side& device, const pattern::Side& host,
                                 int64_t bytes) {
  UntilAllIsCopied copies(stream_);
  auto status = begin_copies(towards, device, host, bytes);
  auto done = copies.wait();
  return status ? done : status;
}

// Begins to copy a part between the device and a half of the room, and marks the end of that.
Status DeviceLink::begin_packed(Towards towards, pattern::Side device, pattern::Interval part, size_t half) {
  const pattern::Side host{&packed(), 0, this->half(half)};
  auto status = begin_copies(towards, behind(device, part.begin), host, part.length());
  return status ? stream_.mark(half) : status;
}

Result<int64_t> DeviceLink::parts_to_host(const pattern::Side& device, int64_t bytes, Use use) {
  const auto part_from = [&](int64_t begin) {
    return pattern::Interval{begin, std::min(bytes, begin + half_bytes_)};
  };
  int64_t moved = 0;
  pattern::Interval next = part_from(0);
  if (auto status = begin_packed(Towards::host, device, next, 0); !status) return status.error();
  for (size_t half = 0; next.begin < bytes; half ^= 1) {
    const pattern::Interval part = next;
    next = part_from(part.end);
    if (next.begin < bytes) {
      if (auto status = begin_packed(Towards::host, device, next, half ^ 1); !status) return status.error();
    }
    if (auto status = stream_.wait(half); !status) return status.error();
    auto used = use(part, this->half(half));
    if (!used) return used;
    moved += *used;
    if (*used < part.length()) break;
  }
  return moved;
}

Result<int64_t> DeviceLink::parts_to_device(const pattern::Side& device, int64_t bytes, Use use) {
  int64_t moved = 0;
  for (size_t half = 0; moved < bytes; half ^= 1) {
    const pattern::Interval part{moved, std::min(bytes, moved + half_bytes_)};
    if (auto status = stream_.wait(half); !status) return status.error();
    auto used = use(part, this->half(half));
    if (!used) return used;
    if (auto status = begin_packed(Towards::device, device, {part.begin, part.begin + *used}, half); !status)
      return status.error();
    moved += *used;
    if (*used < part.length()) break;
  }
  return moved;
}

Result<int64_t> DeviceLink::parts_to_host_and_back(const pattern::Side& device, int64_t bytes, Use use) {
  int64_t moved = 0;
  for (int64_t begin = 0; begin < bytes; begin += half_bytes_) {
    const pattern::Interval part{begin, std::min(bytes, begin + half_bytes_)};
    if (auto status = begin_packed(Towards::host, device, part, 0); !status) return status.error();
    if (auto status = stream_.wait(0); !status) return status.error();
    auto used = use(part, half(0));
    if (!used) return used;
    if (auto status = begin_packed(Towards::device, device, part, 0); !status) return status.error();
    if (auto status = stream_.wait(0); !status) return status.error();
    moved += *used;
  }
  return moved;
}

Result<int64_t> DeviceLink::in_parts_with_gaps(const pattern::Side& device, int64_t bytes, Use use) {
  UntilAllIsCopied copies(stream_);
  auto moved = parts_to_host_and_back(device, bytes, use);
  auto done = copies.wait();
  if (moved && !done) return done.error();
  return moved;
}

Result<int64_t> DeviceLink::in_parts(Towards towards, const pattern::Side& device, int64_t bytes, Use use) {
  if (bytes <= 0) return 0;
  UntilAllIsCopied copies(stream_);
  auto moved =
      towards == Towards::host ? parts_to_host(device, bytes, use) : parts_to_device(device, bytes, use);
  auto done = copies.wait();
  if (moved && !done) return done.error();
  return moved;
}

Status DeviceLink::copy_by_parts(Towards towards, const pattern::Side& device, const pattern::Side& host,
                                 int64_t bytes) {
  auto moved =
      in_parts(towards, device, bytes, [&](pattern::Interval part, std::byte* memory) -> Result<int64_t> {
        const pattern::Side here{&packed(), 0, memory}, there = behind(host, part.begin);
        pattern::copy(towards == Towards::host ? here : there, towards == Towards::host ? there : here,
                      part.length());
        return part.length();
      });
  return moved ? Status() : Status(moved.error());
}

Status DeviceLink::copy(Towards towards, const pattern::Side& device, const pattern::Side& host,
                        int64_t bytes) {
  return copy_by_parts(towards, device, host, bytes);
}

}  // namespace concilio::exec
