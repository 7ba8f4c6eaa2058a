#include "mpiio/transfer/staged.h"

#include <algorithm>

#include "base/exceptions.h"

namespace concilio::mpiio {

Staged::Staged(const exec::Request& whole, const mpi::Conversion* conversion, const DeviceBuffer& device,
               bool at_once)
    : whole_(whole), conversion_(conversion), device_(device) {
  // A conversion of a GPU's buffer needs two buffers.
  room_ = conversion && device ? whole.staging_bytes / 2 : whole.staging_bytes;
  if (conversion) room_ = std::max(room_, conversion->widest_item_bytes());
  if (at_once) room_ = INT64_MAX;
}

// Which data of the user's buffer belong to a part of the request.
pattern::Interval Staged::in_memory(pattern::Interval part) const {
  if (!conversion_) return part;
  return {conversion_->native_bytes(part.begin), conversion_->native_bytes(part.end)};
}

int64_t Staged::end_of_round(int64_t begin) const {
  int64_t end = whole_.bytes - begin <= room_ ? whole_.bytes : boundary(begin + room_);
  if (!conversion_ || !device_) return end;
  // The image also holds the bytes between the items.
  while (device_.bounds(in_memory({begin, end})).length() > room_) {
    const int64_t half = boundary(begin + (end - begin) / 2);
    if (half == begin) break;
    end = half;
  }
  return end;
}

Status Staged::allocate(Budget& budget) {
  if (auto status = staging_.reserve(budget, std::min(whole_.bytes, room_)); !status) return status;
  if (!conversion_ || !device_) return {};
  return image_.reserve(budget, device_.bounds(in_memory({begin_, end_})).length());
}

Status Staged::fill(const exec::OpenFile& opened) {
  Stopwatch time(opened.counters, Counter::copy_ns);
  const pattern::Interval part{begin_, end_};
  if (!conversion_) return device_.copy_packed(Towards::host, part, staging_.data());
  if (!device_) return conversion_->to_file(whole_.buffer, part, staging_.data());
  const pattern::Interval data = in_memory(part);
  if (auto status = device_.copy_spread(Towards::host, data, image_.data()); !status) return status;
  return conversion_->to_file(image_.data() - device_.bounds(data).begin, part, staging_.data());
}

Status Staged::empty(const exec::OpenFile& opened) {
  Stopwatch time(opened.counters, Counter::copy_ns);
  const pattern::Interval part{begin_, end_};
  if (!conversion_) return device_.copy_packed(Towards::device, part, staging_.data());
  if (!device_) return conversion_->from_file(whole_.buffer, part, staging_.data());
  const pattern::Interval data = in_memory(part);
  auto status = conversion_->from_file(image_.data() - device_.bounds(data).begin, part, staging_.data());
  return status ? device_.copy_spread(Towards::device, data, image_.data()) : status;
}

Result<exec::Request> Staged::next(const exec::OpenFile& opened) {
  if (!ready_) {
    begin_ = end_;
    if (more()) end_ = end_of_round(begin_);
    auto status = without_exceptions([&]() -> Status {
      if (end_ == begin_) return {};
      if (auto room = allocate(opened.budget); !room) return room;
      return reads() ? Status() : fill(opened);
    });
    if (!status) {
      end_ = begin_;
      return status.error();
    }
    ready_ = true;
  }
  exec::Request round = whole_;
  round.buffer = staging_.data();
  round.position = whole_.position + begin_;
  round.bytes = end_ - begin_;
  round.more = more();
  return round;
}

Status Staged::take(const exec::OpenFile& opened, int64_t moved_bytes) {
  ready_ = false;
  if (moved_bytes < end_ - begin_) {
    ended_ = true;
    end_ = boundary(begin_ + moved_bytes);
  }
  if (!reads() || end_ == begin_) return {};
  return without_exceptions([&] { return empty(opened); });
}

exec::Outcome Staged::run_alone(const exec::OpenFile& opened, const Run& run) {
  while (more()) {
    auto round = next(opened);
    if (!round) return round.error();
    auto moved = run(*round);
    if (!moved) return moved;
    if (auto status = take(opened, *moved); !status) return status.error();
  }
  return moved_bytes();
}

}  // namespace concilio::mpiio
