#include "base/activity/activity.h"

#include <bit>

#include "base/waiting.h"

namespace concilio {

namespace {

// The same stretch in bins of another width, which is no less.
BinRange wider(const BinRange& range, int64_t shift) {
  const int64_t by = shift - range.shift;
  if (range.used == 0) return {shift, 0, 0};
  const int64_t first = range.first >> by;
  return {shift, first, ((range.first + range.used - 1) >> by) - first + 1};
}

}  // namespace

BinRange around(BinRange a, BinRange b, int64_t most) {
  for (int64_t shift = std::max(a.shift, b.shift);; ++shift) {
    a = wider(a, shift);
    b = wider(b, shift);
    if (a.used == 0) std::swap(a, b);
    if (b.used == 0 && a.used <= most) return a;
    if (b.used == 0) continue;
    const int64_t first = std::min(a.first, b.first);
    const int64_t used = std::max(a.first + a.used, b.first + b.used) - first;
    if (used <= most) return {shift, first, used};
  }
}

std::string_view name_of(Moved moved) {
  constexpr std::array<std::string_view, moved_count> names = {"asked_read", "asked_written", "stored_read",
                                                               "stored_written"};
  return names[static_cast<size_t>(moved)];
}

std::string_view name_of_time_column(size_t column) {
  constexpr std::array<std::string_view, times_count> names = {"call_us", "exchange_us", "storage_us"};
  return column < times_count ? names[column] : name_of(static_cast<Moved>(column - times_count));
}

int64_t activity_begins() {
  static const int64_t begin_ns = now_ns();
  return begin_ns;
}

Activity::Parts Activity::parts_of(const Call& call, Moved asked) {
  if (call.bytes > 0) count(asked, call.begin, call.bytes, call.like);
  Parts parts;
  parts.time[static_cast<size_t>(TimeOf::calls)] = (call.end_ns - call.start_ns) * call.like;
  parts.time[static_cast<size_t>(TimeOf::exchange)] = call.exchange_ns * call.like;
  add(parts, asked, call.bytes * call.like);
  return parts;
}

void Activity::called(const Call& call) {
  const Moved asked = call.operation == Operation::read ? Moved::asked_read : Moved::asked_written;
  std::lock_guard lock(mutex_);
  add(parts_of(call, asked), call.start_ns, call.end_ns, call.begin, call.end);
}

void Activity::passed_on(const Call& call) {
  const bool reads = call.operation == Operation::read;
  const Moved stored = reads ? Moved::stored_read : Moved::stored_written;
  std::lock_guard lock(mutex_);
  Parts parts = parts_of(call, reads ? Moved::asked_read : Moved::asked_written);
  parts.time[static_cast<size_t>(TimeOf::storage)] = parts.time[static_cast<size_t>(TimeOf::calls)];
  add(parts, stored, call.bytes * call.like);
  if (call.bytes > 0) count(stored, call.begin, call.bytes, call.like);
  add(parts, call.start_ns, call.end_ns, call.begin, call.end);
}

void Activity::count(Moved moved, int64_t offset, int64_t length, int64_t like) {
  const auto place = [](int width) { return static_cast<size_t>(std::clamp(width, 0, 63)); };
  data_.lengths[static_cast<size_t>(moved)][place(std::bit_width(static_cast<uint64_t>(length)) - 1)] += like;
  data_.alignments[static_cast<size_t>(moved)][place(std::countr_zero(static_cast<uint64_t>(offset)))] +=
      like;
}

void Activity::add(const Parts& parts, int64_t start_ns, int64_t end_ns, int64_t begin, int64_t end) {
  data_.time.add(std::max<int64_t>(0, start_ns - begin_ns_), std::max<int64_t>(0, end_ns - begin_ns_),
                 parts.time);
  if (parts.bytes == Bins<moved_count>::Amounts{}) return;
  constexpr int64_t last_place = int64_t{1} << 62;  // the end of every bin is a number
  data_.offsets.add(std::min(begin, last_place), std::min(end, last_place), parts.bytes);
}

ActivityData Activity::data() {
  std::lock_guard lock(mutex_);
  return data_;
}

}  // namespace concilio
