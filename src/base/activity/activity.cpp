#include "base/activity/activity.h"

#include <algorithm>
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
  static const int64_t begin_ns = [] {
    const int64_t begin = now_ns();
    if (ranks_are_simulated()) return begin;
    recording_allowance().begin(begin);
    closing_allowance().begin(begin);
    return begin;
  }();
  return begin_ns;
}

TimeAllowance& recording_allowance() {
  static constinit TimeAllowance allowance;
  return allowance;
}
TimeAllowance& closing_allowance() {
  static constinit TimeAllowance allowance;
  return allowance;
}

namespace {

// By ShortOnes::Kind.
constexpr bool holds(ShortOnes::Kind kind, Moved moved) {
  const bool stored = moved == Moved::stored_read || moved == Moved::stored_written;
  return kind == ShortOnes::Kind::both || stored == (kind == ShortOnes::Kind::stored);
}
// What a call or a request moved, by Moved.
template <typename Use>
void for_each_moved(Operation operation, ShortOnes::Kind kind, const Use& use) {
  for (const Moved reading : {Moved::asked_read, Moved::stored_read}) {
    if (holds(kind, reading)) use(static_cast<size_t>(reading) + static_cast<size_t>(operation));
  }
}
static_assert(static_cast<size_t>(Moved::asked_written) == static_cast<size_t>(Moved::asked_read) + 1 &&
              static_cast<size_t>(Moved::stored_written) == static_cast<size_t>(Moved::stored_read) + 1);

size_t power_of_length(int64_t length) {
  return static_cast<size_t>(std::bit_width(static_cast<uint64_t>(length)) - 1);
}

}  // namespace

void Activity::passed_on(const Call& call, int64_t stands_for) {
  const Lock lock(mutex_, alone_);
  const int64_t ns = call.end_ns - call.start_ns;
  has_time_ = allowance_.covers(call.end_ns);
  if (has_time_ && (ns >= long_ns || call.bytes >= ShortOnes::end_bytes)) {
    allowance_.spend(enter_price_ns);
    if (has_noted()) enter_short_ones(noted_ns_);
    AmountsOfTime amounts{ns * stands_for, 0, ns * stands_for};
    if (call.bytes > 0) {
      count(call.operation, Kind::both, call.begin, call.bytes);
      add_bytes(call.operation, Kind::both, {call.begin, call.end}, call.bytes, amounts);
    }
    return add(call.start_ns, call.end_ns, amounts);
  }
  enter_earlier(call.start_ns);
  join_run(call.operation, call.begin, call.bytes);
  at(short_, TimeOf::calls) += ns * stands_for;
  at(short_, TimeOf::storage) += ns * stands_for;
  enter_short_ones_if_due(call.end_ns);
}

void Activity::join_run_apart(Operation operation, int64_t offset, int64_t bytes) {
  const Lock lock(mutex_, alone_);
  join_run(operation, offset, bytes);
}

void Activity::note_run() {
  const auto [operation, bytes, number, first, last] = run_;
  run_ = {};
  if (number == 0 || bytes == 0) return;
  // They are side by side if the last one is about as far from the first as there are calls between them.
  const auto [begin, end] = std::minmax(first, last);
  const bool side_by_side = (end - begin) / number <= near();
  const Stretch where = side_by_side ? Stretch{begin, end + bytes} : Stretch{first, first + bytes};
  allowance_.spend(note_price_ns);
  comes_after_left_out(operation, Kind::both, last, bytes);
  short_ones_.add(operation, Kind::both, number, bytes, where, first, near());
}

bool Activity::leaves_out_after_a_look(Operation operation, int64_t start_ns, int64_t end_ns,
                                       int64_t exchange_ns, int64_t bytes) {
  has_time_ = allowance_.covers(end_ns);
  if (has_time_ || is_due(asked_ns_, end_ns)) return false;
  const Lock lock(mutex_, alone_);
  enter_earlier(start_ns);
  leave_out(operation, Kind::asked, bytes);
  at(short_, TimeOf::calls) += end_ns - start_ns;
  at(short_, TimeOf::exchange) += exchange_ns;
  enter_short_ones_if_due(end_ns);
  // Till then they need not enter, either.
  asked_until_ns_ = std::min(left_out_until_ns(asked_ns_), entered_ns_ + most_between_ns);
  return true;
}

void Activity::enter_call(const Call& call) {
  const Lock lock(mutex_, alone_);
  allowance_.spend(enter_price_ns);
  asked_ns_ = call.end_ns;
  if (has_noted()) enter_short_ones(noted_ns_);
  AmountsOfTime amounts{call.end_ns - call.start_ns, call.exchange_ns};
  if (call.bytes > 0) {
    count(call.operation, Kind::asked, call.begin, call.bytes);
    add_bytes(call.operation, Kind::asked, {call.begin, call.end}, call.bytes, amounts);
  }
  add(call.start_ns, call.end_ns, amounts);
}

// They are side by side by the rule for a run.
void Activity::tell_left_out(Operation operation, Kind kind, int64_t place, int64_t length) {
  LeftOut& left = left_out(kind, operation);
  const auto [begin, end] = std::minmax(left.length > 0 ? left.place : place, place);
  const bool side_by_side = (end - begin) / left.number <= near();
  const Stretch where = side_by_side ? Stretch{begin, end + length} : Stretch{place, place + length};
  for_each_moved(operation, kind, [&](size_t moved) {
    data_.lengths[moved][power_of_length(length)] += left.number;
    data_.alignments[moved][alignment_of(place)] += left.number;
  });
  if (kind != Kind::stored) data_.left_out += left.number;
  add_bytes(operation, kind, where, left.bytes, short_);
  left.spacing = side_by_side && place > left.place ? (end - begin) / left.number : 0;
  left.number = left.bytes = 0;
}

// Behind the last one that was noted they go on as before it.
void Activity::tell_rest_left_out() {
  for (size_t group = 0; group < left_out_.size(); ++group) {
    const LeftOut left = left_out_[group];
    if (left.number == 0) continue;
    int64_t length = left.length, place = left.place;
    if (length == 0) length = std::max<int64_t>(1, left.bytes / left.number);
    const double further = static_cast<double>(left.number) * static_cast<double>(left.spacing);
    if (place < int64_t{1} << 60) place += static_cast<int64_t>(std::min(further, 0x1p60));
    tell_left_out(static_cast<Operation>(group % 2), static_cast<Kind>(group / 2), place, length);
  }
}

void Activity::enter_short_ones(int64_t now_ns) {
  allowance_.spend(enter_all_price_ns);
  note_run();
  AmountsOfTime amounts = short_;
  short_ones_.take([&](Operation operation, Kind kind, size_t power, const ShortOnes::Alike& alike) {
    for_each_moved(operation, kind, [&](size_t moved) {
      data_.lengths[moved][power] += alike.number;
      data_.alignments[moved][static_cast<size_t>(alike.alignment)] += alike.number;
    });
    add_bytes(operation, kind, alike.where, alike.bytes, amounts);
  });
  add(now_ns - std::max(at(short_, TimeOf::calls), at(short_, TimeOf::storage)), now_ns, amounts);
  short_ = {};
  entered_ns_ = now_ns;
  noted_ns_ = never;
}

void Activity::count(Operation operation, Kind kind, int64_t offset, int64_t length) {
  comes_after_left_out(operation, kind, offset, length);
  for_each_moved(operation, kind, [&](size_t moved) {
    data_.lengths[moved][power_of_length(length)] += 1;
    data_.alignments[moved][alignment_of(offset)] += 1;
  });
}

void Activity::add_bytes(Operation operation, Kind kind, const Stretch& where, int64_t bytes,
                         AmountsOfTime& amounts) {
  Bins<moved_count>::Amounts of_stretch{};
  for_each_moved(operation, kind, [&](size_t moved) {
    of_stretch[moved] = bytes;
    amounts[times_count + moved] += bytes;
  });
  constexpr int64_t last_place = int64_t{1} << 62;  // the end of every bin is a number
  data_.offsets.add(std::min(where.begin, last_place), std::min(where.end, last_place), of_stretch);
}

void Activity::add(int64_t start_ns, int64_t end_ns, const AmountsOfTime& amounts) {
  data_.time.add(std::max<int64_t>(0, start_ns - begin_ns_), std::max<int64_t>(0, end_ns - begin_ns_),
                 amounts);
}

void Activity::enter_rest(int64_t now_ns) {
  const Lock lock(mutex_, alone_);
  note_run();
  tell_rest_left_out();
  if (has_noted() || short_ones_.has_any() || short_ != AmountsOfTime{})
    enter_short_ones(has_noted() ? noted_ns_ : now_ns);
}

void Activity::begin(bool alone) {
  alone_ = alone;
  data_.clear();
  if (has_noted() || run_.number > 0) short_ones_.clear();
  run_ = {};
  short_ = {};
  left_out_ = {};
  has_time_ = true;
  entered_ns_ = noted_ns_ = asked_ns_ = stored_ns_ = asked_until_ns_ = stored_until_ns_ = never;
}

ActivityData Activity::data(int64_t now_ns) {
  enter_rest(now_ns);
  const Lock lock(mutex_, alone_);
  return data_;
}

}  // namespace concilio
