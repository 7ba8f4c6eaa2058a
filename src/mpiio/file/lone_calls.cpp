#include "mpiio/file/lone_calls.h"

#include <algorithm>

#include "exec/gather_facts.h"

namespace concilio::mpiio {
namespace {

// Planning takes about a hundredth of this.
constexpr int64_t least_call_ns = 10'000'000;

struct CountersOf {
  Operation operation;
  Counter independent, collective, bytes, gaps;
  Moved asked;
};
constexpr CountersOf counters_of_operations[] = {
    {Operation::write, Counter::independent_writes, Counter::collective_writes, Counter::bytes_written,
     Counter::gaps_written, Moved::asked_written},
    {Operation::read, Counter::independent_reads, Counter::collective_reads, Counter::bytes_read,
     Counter::gaps_read, Moved::asked_read}};

plan::LoneCalls::Amounts amounts_of(const CountersOf& of, std::span<const int64_t> values) {
  const auto value = [&](Counter counter) { return values[static_cast<size_t>(counter)]; };
  return {value(of.independent), value(of.bytes), value(of.independent) + value(of.gaps)};
}

// The stretch of the file in which bytes were moved. It is known by bins, so where the bytes fill all of it
// but a bin at its ends, it is taken to be as long as they are.
pattern::Interval range_of(const ActivityOfFile& activity, Moved moved, int64_t bytes) {
  pattern::Interval range{INT64_MAX, 0};
  int64_t bin_bytes = 0;
  for (const ActivityRow& row : activity.rows) {
    const BinRange& bins = row.offsets.range();
    bin_bytes = int64_t{1} << bins.shift;
    for (int64_t bin = 0; bin < bins.used; ++bin) {
      if (row.offsets.at(bin)[static_cast<size_t>(moved)] == 0) continue;
      const int64_t begin = (bins.first + bin) << bins.shift;
      range = {std::min(range.begin, begin), std::max(range.end, begin + bin_bytes)};
    }
  }
  if (range.begin >= range.end) return {0, 0};
  if (bytes <= range.length() && bytes > range.length() - 2 * bin_bytes) range.end = range.begin + bytes;
  return range;
}

// The mean price of this rank's calls; nothing if it has made none. A call that needed no plan was one
// stretch of the file.
std::optional<double> seconds_of_call(const CallHistory& history, const plan::Facts& facts,
                                      int64_t mean_bytes) {
  double seconds = 0, calls = 0;
  for (const CallsAlike& alike : history.all()) {
    if (alike.operation != facts.operation || alike.collective) continue;
    const double price = alike.candidates.empty()
                             ? plan::seconds_of_stretch(facts, mean_bytes)
                             : alike.candidates[alike.reason.grounds.method].predicted_seconds;
    calls += static_cast<double>(alike.calls);
    seconds += price * static_cast<double>(alike.calls);
  }
  return calls > 0 ? std::optional(seconds / calls) : std::nullopt;
}

}  // namespace

std::vector<OneCallOf> as_one_call(const File& file, std::span<const int64_t> sums,
                                   std::span<const int64_t> maxima, const ActivityOfFile& activity) {
  std::vector<OneCallOf> all;
  if (maxima[static_cast<size_t>(Counter::call_ns)] < least_call_ns) return all;
  for (const CountersOf& of : counters_of_operations) {
    plan::LoneCalls calls;
    calls.all = amounts_of(of, sums);
    calls.most = amounts_of(of, maxima);
    if (calls.most.calls == 0 || sums[static_cast<size_t>(of.collective)] > 0) continue;
    calls.ranks = (calls.all.calls + calls.most.calls - 1) / calls.most.calls;
    calls.range = range_of(activity, of.asked, calls.all.bytes);
    const plan::Facts facts = exec::facts_of_team(*file.opened(), of.operation, file.wishes(of.operation));
    const auto seconds = seconds_of_call(file.history(), facts, calls.all.bytes / calls.all.calls);
    if (!seconds) continue;
    calls.seconds_of_call = *seconds;
    if (const auto one = plan::as_one_call(facts, calls)) all.push_back({of.operation, *one});
  }
  return all;
}

void write_one_calls(const std::vector<OneCallOf>& calls, JsonText& json) {
  json.name("as_one_call");
  json.array([&] {
    for (const auto& [operation, call] : calls) {
      json.object([&, operation = operation, &call = call] {
        json.member("operation", operation == Operation::read ? "read" : "write");
        json.member("method", method_name(call.method));
        json.member("seconds", call.seconds);
        json.member("lone_seconds", call.lone_seconds);
      });
    }
  });
}

}  // namespace concilio::mpiio
