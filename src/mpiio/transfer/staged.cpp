#include "mpiio/transfer/staged.h"

#include <algorithm>

#include "base/exceptions.h"

namespace concilio::mpiio {

Staged::Staged(const exec::Request& whole, const mpi::Conversion& conversion, bool at_once)
    : whole_(whole), conversion_(conversion) {
  // A GPU's buffer needs an image too.
  room_ =
      std::max(whole.device ? whole.staging_bytes / 2 : whole.staging_bytes, conversion.widest_item_bytes());
  if (at_once) room_ = INT64_MAX;
}

int64_t Staged::end_of_round(int64_t begin) const {
  const auto boundary = [&](int64_t position) { return conversion_.item_boundary(position); };
  int64_t end = whole_.bytes - begin <= room_ ? whole_.bytes : boundary(begin + room_);
  if (!whole_.device) return end;
  // The image also holds the bytes between the items.
  while (bounds(in_memory({begin, end})).length() > room_) {
    const int64_t half = boundary(begin + (end - begin) / 2);
    if (half == begin) break;
    end = half;
  }
  return end;
}

Status Staged::allocate(Budget& budget) {
  if (auto status = staging_.reserve(budget, std::min(whole_.bytes, room_)); !status) return status;
  if (!whole_.device) return {};
  return image_.reserve(budget, bounds(in_memory({begin_, end_})).length());
}

// Copies data between a GPU's buffer and the image, where they have the same offsets to each other.
Status Staged::copy_image(Towards towards, pattern::Interval data) {
  const pattern::Access& memory = conversion_.memory();
  return whole_.device->copy_straight(towards, {&memory, data.begin, whole_.buffer},
                                      {&memory, data.begin, image_.data(), bounds(data).begin},
                                      data.length());
}

Status Staged::fill(const exec::OpenFile& opened) {
  Stopwatch time(opened.counters, Counter::copy_ns);
  const pattern::Interval part{begin_, end_};
  if (!whole_.device) return conversion_.to_file(whole_.buffer, part, staging_.data());
  const pattern::Interval data = in_memory(part);
  if (auto status = copy_image(Towards::host, data); !status) return status;
  return conversion_.to_file(image_.data() - bounds(data).begin, part, staging_.data());
}

Status Staged::empty(const exec::OpenFile& opened, pattern::Interval part) {
  Stopwatch time(opened.counters, Counter::copy_ns);
  const std::byte* const staged = staging_.data() + (part.begin - begin_);
  if (!whole_.device) return conversion_.from_file(whole_.buffer, part, staged);
  const pattern::Interval data = in_memory(part);
  auto status = conversion_.from_file(image_.data() - bounds(data).begin, part, staged);
  return status ? copy_image(Towards::device, data) : status;
}

Result<exec::Request> Staged::next(const exec::OpenFile& opened) {
  if (!ready_) {
    begin_ = end_;
    arrived_ = {begin_, begin_};
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
  round.device = nullptr;
  round.position = whole_.position + begin_;
  round.bytes = end_ - begin_;
  round.more = more();
  if (reads() && !ascends_until(end_)) round.arrivals = this;
  return round;
}

// What adjoins is finished together, so that an item may come in several parts.
Status Staged::arrived(const exec::OpenFile& opened, pattern::Interval data) {
  const pattern::Interval part{begin_ + data.begin, begin_ + data.end};
  if (part.begin != arrived_.end) {
    if (auto status = finish_arrived(opened); !status) return status;
    arrived_.begin = part.begin;
  }
  arrived_.end = part.end;
  return {};
}

Status Staged::finish_arrived(const exec::OpenFile& opened) {
  const pattern::Interval part = conversion_.whole_items(arrived_);
  if (part.empty()) return {};
  moved_bytes_ += in_memory(part).length();
  return reads() ? empty(opened, part) : Status();
}

Status Staged::take(const exec::OpenFile& opened, int64_t moved_bytes) {
  ready_ = false;
  if (!reads() || ascends_until(end_)) arrived_ = {begin_, begin_ + moved_bytes};
  if (moved_bytes < end_ - begin_ && ascends_until(whole_.bytes)) ended_ = true;
  return without_exceptions([&] { return finish_arrived(opened); });
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
