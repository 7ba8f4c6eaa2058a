#include "exec/call/device_link.h"

#include <algorithm>
#include <utility>

#include "base/checked.h"
#include "base/log.h"
#include "base/permanent.h"
#include "pattern/boxes.h"

namespace concilio::exec {
namespace {

// To pin memory takes about as long as to copy some hundred KiB to it.
constexpr int64_t pays_to_pin_bytes = 1 << 20;

constexpr int64_t half_alignment = 64;
// A smaller half would hold few pieces.
constexpr int64_t least_half_bytes = 256;
// Longer pieces are several to the kernel, which gives each to a few threads.
constexpr int64_t most_piece_bytes = 4096;

const pattern::Access& packed() {
  static const Permanent<pattern::Access> bytes(pattern::Access::contiguous(0));
  return *bytes;
}

pattern::Side behind(pattern::Side side, int64_t bytes) {
  side.position += bytes;
  return side;
}

Shape shape_of(const pattern::Box& box) {
  return {box.length,
          box.rows,
          box.first.row_stride,
          box.second.row_stride,
          box.planes,
          box.first.plane_stride,
          box.second.plane_stride};
}

// What the driver copies between two sides, and the seconds that this takes, but for what the bytes take in
// any case: some microseconds to be given a copy, and for each row of it some transactions of the bus. The
// prices are assumed.
struct Effort {
  double copies = 0, rows = 0;
  double seconds() const { return copies * 4e-6 + rows * 5e-8; }
  // The same for a kernel, for which the CPU makes a list of the rows.
  double seconds_by_kernel() const { return 2e-5 + rows * 1e-8; }
};
Effort effort_of(const pattern::Side& device, const pattern::Side& host, int64_t bytes) {
  Effort effort;
  (void)for_each_box(device, host, bytes, [&](const pattern::Box& box) -> Status {
    effort.copies += static_cast<double>(DeviceStream::copies_of(shape_of(box)));
    effort.rows += static_cast<double>(box.rows * box.planes);
    return {};
  });
  return effort;
}

// The address of the side's data that lie at the lowest, and behind those at the highest one.
struct Stretch {
  std::byte *begin, *end;
};
Stretch stretch_of(const pattern::Side& side, int64_t bytes) {
  const pattern::Interval bounds = side.access->bounds(side.position, side.position + bytes);
  return {side.base + (bounds.begin - side.origin), side.base + (bounds.end - side.origin)};
}

}  // namespace

Status DeviceLink::begin(const DeviceMemory& memory) {
  auto made = DeviceStream::begin(memory);
  if (!made) return made.error();
  stream_ = std::move(*made);
  memory_ = memory;
  return {};
}

Status DeviceLink::make_room(Budget& budget, int64_t most_bytes, int64_t call_bytes, GpuKernel kernel) {
  wish_ = kernel;
  call_bytes_ = call_bytes;
  // A little is left for what is kept of the call's datatypes.
  const int64_t wanted =
      align_up(std::min(call_bytes, std::max<int64_t>(1, most_bytes / 32 * 15)), half_alignment);
  if (room_.size() >= 2 * wanted) return {};
  pinned_room_ = Pinned();
  if (auto status = room_.reserve(budget, 2 * wanted); !status) return status;
  half_bytes_ = wanted;
  budget_ = &budget;
  pays_to_pin_ = call_bytes >= pays_to_pin_bytes;
  tried_to_pin_ = false;
  return {};
}

// Whether the kernel packs data that the driver would copy in so many copies. To load it takes some
// milliseconds in each call, and to compile it some tenths of a second in the first.
bool DeviceLink::kernel_packs(double copies, int64_t bytes) {
  constexpr double least_of_part = 16, least_of_call = 2500;
  const double of_call = copies * static_cast<double>(call_bytes_) / static_cast<double>(bytes);
  const bool pays =
      wish_ == GpuKernel::always ? copies > 1 : copies >= least_of_part && of_call >= least_of_call;
  return pays && wish_ != GpuKernel::never && half_bytes_ >= least_half_bytes && load_kernel();
}

bool DeviceLink::load_kernel() {
  if (kernel_ != Kernel::untried) return kernel_ == Kernel::loaded;
  kernel_ = Kernel::none;
  pays_to_pin_ = true;  // the kernel reaches only what is pinned
  pin_room();
  Status loaded =
      pinned_room_ ? stream_.load_kernel() : Status(Error{ErrorKind::unsupported, 0, "no memory is pinned"});
  if (!loaded) {
    log_once(LogLevel::info,
             "pieces in the memory of a GPU are copied one by one: " + loaded.error().message);
    return false;
  }
  kernel_ = Kernel::loaded;
  return true;
}

// Not every call needs the room.
void DeviceLink::pin_room() {
  if (!pays_to_pin_ || std::exchange(tried_to_pin_, true)) return;
  pinned_room_ = Pinned(memory_, *budget_, room_.data(), room_.size());
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
    go_on();
    return stream_.wait_for_all();
  }
  // Somebody else will wait.
  void go_on() { waited_ = true; }

 private:
  DeviceStream& stream_;
  bool waited_ = false;
};

// Begins to copy, in as few copies of the driver as the two sides allow.
Status DeviceLink::begin_copies(Towards towards, const pattern::Side& device, const pattern::Side& host,
                                int64_t bytes) {
  return for_each_box(device, host, bytes, [&](const pattern::Box& box) {
    return stream_.copy(towards, box.first.address, box.second.address, shape_of(box));
  });
}

Status DeviceLink::copy_straight(Towards towards, const pattern::Side& device, const pattern::Side& host,
                                 int64_t bytes) {
  UntilAllIsCopied copies(stream_);
  auto status = begin_copies(towards, device, host, bytes);
  auto done = copies.wait();
  return status ? done : status;
}

namespace {

// A half of the room whose data a kernel moves: data, then addresses, then positions.
struct KernelHalf {
  explicit KernelHalf(int64_t bytes)
      : data_bytes(align_down(bytes / 2, half_alignment)),
        most_pieces((bytes - data_bytes) / static_cast<int64_t>(sizeof(uint64_t) + sizeof(uint32_t)) - 1) {}
  uint64_t* addresses(std::byte* half) const { return reinterpret_cast<uint64_t*>(half + data_bytes); }
  uint32_t* positions(std::byte* half) const {
    return reinterpret_cast<uint32_t*>(addresses(half) + most_pieces);
  }
  int64_t data_bytes, most_pieces;
};

}  // namespace

// Where the part ends that begins there.
int64_t DeviceLink::end_of_part(const pattern::Side& device, int64_t begin, int64_t bytes) const {
  if (!by_kernel_) return std::min(bytes, begin + half_bytes_);
  const KernelHalf half(half_bytes_);
  int64_t length = std::min(bytes - begin, half.data_bytes);
  const int64_t first = device.position + begin;
  while (length > 1 &&
         device.access->pieces(first, first + length) + length / most_piece_bytes > half.most_pieces)
    length /= 2;
  return begin + length;
}

// Returns false, and has begun nothing, if the lists have no room for all pieces.
Result<bool> DeviceLink::begin_by_kernel(Towards towards, const pattern::Side& device, int64_t bytes,
                                         size_t which) {
  const KernelHalf half(half_bytes_);
  std::byte* const memory = this->half(which);
  uint64_t* const addresses = half.addresses(memory);
  uint32_t* const positions = half.positions(memory);
  const auto base = reinterpret_cast<uintptr_t>(device.base) - static_cast<uintptr_t>(device.origin);
  int64_t count = 0, done = 0;
  pattern::Cursor cursor(*device.access, device.position);
  while (done < bytes) {
    const pattern::Chunk chunk = cursor.next(bytes - done);
    for (int64_t i = 0; i < chunk.count; ++i) {
      for (int64_t begin = 0; begin < chunk.length; begin += most_piece_bytes) {
        if (count == half.most_pieces) return false;
        addresses[count] = base + static_cast<uintptr_t>(chunk.offset(i) + begin);
        positions[count++] = static_cast<uint32_t>(done + begin);
      }
      done += chunk.length;
    }
  }
  positions[count] = static_cast<uint32_t>(bytes);
  if (auto status = stream_.move_pieces(towards, {room_.data(), addresses, positions, count, memory});
      !status)
    return status.error();
  return true;
}

// Begins to copy a part between the device and a half of the room, and marks the end of that.
Status DeviceLink::begin_packed(Towards towards, pattern::Side device, pattern::Interval part, size_t half) {
  device.position += part.begin;
  bool begun = false;
  if (by_kernel_ && !part.empty()) {
    auto by_kernel = begin_by_kernel(towards, device, part.length(), half);
    if (!by_kernel) return by_kernel.error();
    begun = *by_kernel;
  }
  if (!begun) {
    const pattern::Side host{&packed(), 0, this->half(half)};
    if (auto status = begin_copies(towards, device, host, part.length()); !status) return status;
  }
  return stream_.mark(half);
}

Result<int64_t> DeviceLink::parts_to_host(const pattern::Side& device, int64_t bytes, Use use) {
  const auto part_from = [&](int64_t begin) {
    return pattern::Interval{begin, end_of_part(device, begin, bytes)};
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
    const pattern::Interval part{moved, end_of_part(device, moved, bytes)};
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
  for (int64_t begin = 0; begin < bytes;) {
    const pattern::Interval part{begin, end_of_part(device, begin, bytes)};
    if (auto status = begin_packed(Towards::host, device, part, 0); !status) return status.error();
    if (auto status = stream_.wait(0); !status) return status.error();
    auto used = use(part, half(0));
    if (!used) return used;
    if (auto status = begin_packed(Towards::device, device, part, 0); !status) return status.error();
    if (auto status = stream_.wait(0); !status) return status.error();
    moved += *used;
    begin = part.end;
  }
  return moved;
}

// Before parts of these data are copied.
void DeviceLink::begin_parts(const pattern::Side& device, int64_t bytes) {
  pin_room();
  const int64_t part = std::min(bytes, half_bytes_);
  by_kernel_ = kernel_packs(effort_of(device, {&packed(), 0, room_.data()}, part).copies, part);
}

Result<int64_t> DeviceLink::in_parts_with_gaps(const pattern::Side& device, int64_t bytes, Use use) {
  if (bytes <= 0) return 0;
  begin_parts(device, bytes);
  UntilAllIsCopied copies(stream_);
  auto moved = parts_to_host_and_back(device, bytes, use);
  auto done = copies.wait();
  if (moved && !done) return done.error();
  return moved;
}

Result<int64_t> DeviceLink::in_parts(Towards towards, const pattern::Side& device, int64_t bytes, Use use) {
  if (bytes <= 0) return 0;
  begin_parts(device, bytes);
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

// Whether the driver had better copy between the device and where the data belong, than between the device
// and the room, which leaves the rest to the CPU. That saves what the CPU's copy takes. But where the host's
// pieces are smaller than the device's, the driver has more rows to copy, or more copies to make; the CPU is
// better at pieces below some hundred bytes.
bool DeviceLink::goes_straight(const pattern::Side& device, const pattern::Side& host, int64_t bytes) {
  constexpr double cpu_bytes_per_s = 10e9;
  const Effort packed_up = effort_of(device, {&packed(), 0, room_.data()}, bytes);
  double seconds = packed_up.seconds();
  if (kernel_packs(packed_up.copies, bytes)) {
    if (wish_ == GpuKernel::always) return false;
    seconds = std::min(seconds, packed_up.seconds_by_kernel());
  }
  return effort_of(device, host, bytes).seconds() <= seconds + static_cast<double>(bytes) / cpu_bytes_per_s;
}

// To memory that is not pinned the driver copies through a small buffer of its own, and lets the CPU wait.
// The room is better, if it is pinned.
Status DeviceLink::begin_copy_in_slice(Towards towards, const pattern::Side& device,
                                       const pattern::Side& host, int64_t bytes, bool pinned) {
  const bool room_is_pinned = tried_to_pin_ ? static_cast<bool>(pinned_room_) : pays_to_pin_;
  if ((pinned || !room_is_pinned) && goes_straight(device, host, bytes))
    return begin_copies(towards, device, host, bytes);
  straight_ = false;
  return copy_by_parts(towards, device, host, bytes);
}

Status DeviceLink::begin_copy(Towards towards, const pattern::Side& device, const pattern::Side& host,
                              int64_t bytes) {
  if (bytes <= 0) return {};
  const Stretch stretch = stretch_of(host, bytes);
  straight_ = reached_ && reached_->holds(stretch.begin);
  if (!straight_) return copy_by_parts(towards, device, host, bytes);
  UntilAllIsCopied copies(stream_);
  const int64_t spare_bytes = pinned_room_ ? 0 : room_.size();
  for (int64_t done = 0; done < bytes;) {
    const pattern::Side there = behind(host, done);
    const std::byte* const first = stretch_of(there, 1).begin;
    const PinnedSlices::Slice slice =
        reached_->use(first, std::min(bytes - done, stretch.end - first), {memory_, *budget_, spare_bytes});
    int64_t end = bytes;
    if (slice.end < stretch.end) {
      const int64_t offset = host.origin + (slice.end - host.base);
      end = std::clamp(host.access->data_before(offset) - host.position, done + 1, bytes);
    }
    auto status = begin_copy_in_slice(towards, behind(device, done), there, end - done, slice.pinned);
    if (!status) return status;
    done = end;
  }
  copies.go_on();
  return {};
}

Status DeviceLink::copy(Towards towards, const pattern::Side& device, const pattern::Side& host,
                        int64_t bytes) {
  auto status = begin_copy(towards, device, host, bytes);
  return status ? finish() : status;
}

}  // namespace concilio::exec
