#include "base/activity/activity_json.h"

#include <algorithm>
#include <tuple>

namespace concilio {

namespace {

// value_of(row, bin) is the value of a cell; its index counts the cells of all rows.
template <typename ValueOf>
void write_cells(std::string_view name, size_t rows, int64_t bins, JsonText& json, const ValueOf& value_of) {
  json.name(name);
  json.array([&] {
    for (size_t row = 0; row < rows; ++row) {
      for (int64_t bin = 0; bin < bins; ++bin) {
        const int64_t value = value_of(row, bin);
        if (value == 0) continue;
        json.value(static_cast<int64_t>(row) * bins + bin);
        json.value(value);
      }
    }
  });
}

// How much text the cells of all rows become. Text that grows by itself takes twice the memory.
size_t text_bytes(const std::vector<ActivityRow>& rows) {
  size_t bytes = 0;
  const size_t of_index = 2 + fmt::format_int(rows.size() * ActivityRow::most_bins).size();
  const auto add = [&](const auto& bins) {
    for (int64_t bin = 0; bin < bins.range().used; ++bin) {
      for (const int64_t value : bins.at(bin)) {
        if (value != 0) bytes += of_index + fmt::format_int(value).size();
      }
    }
  };
  for (const ActivityRow& row : rows) {
    add(row.time);
    add(row.offsets);
  }
  return bytes;
}

void write_range(const char* width, const BinRange& range, JsonText& json) {
  json.member(width, int64_t{1} << range.shift);
  json.member("first", range.first);
  json.member("bins", range.used);
}

void write_powers(const char* name, const PowersOfMoved& powers, JsonText& json) {
  json.name(name);
  json.object([&] {
    for (size_t moved = 0; moved < moved_count; ++moved) {
      write_cells(name_of(static_cast<Moved>(moved)), 1, 64, json,
                  [&](size_t, int64_t power) { return powers[moved][static_cast<size_t>(power)]; });
    }
  });
}

void write_tables(const ActivityOfFile& activity, JsonText& json) {
  const std::vector<ActivityRow>& rows = activity.rows;
  constexpr size_t besides = 8192;  // what is written before and behind the cells
  json.make_room(text_bytes(rows) + besides);
  if (activity.first_rank > 0) json.member("first_rank", activity.first_rank);
  json.member("ranks_a_row", activity.ranks_a_row);
  json.member("rows", rows.size());
  if (activity.left_out > 0) json.member("left_out", activity.left_out);
  json.name("time");
  json.object([&] {
    write_range("bin_ns", rows[0].time.range(), json);
    for (size_t column = 0; column < times_count + moved_count; ++column) {
      const int64_t unit = column < times_count ? 1000 : 1;
      write_cells(name_of_time_column(column), rows.size(), rows[0].time.range().used, json,
                  [&](size_t row, int64_t bin) { return rows[row].time.at(bin)[column] / unit; });
    }
  });
  json.name("offsets");
  json.object([&] {
    write_range("bin_bytes", rows[0].offsets.range(), json);
    for (size_t column = 0; column < moved_count; ++column) {
      write_cells(name_of(static_cast<Moved>(column)), rows.size(), rows[0].offsets.range().used, json,
                  [&](size_t row, int64_t bin) { return rows[row].offsets.at(bin)[column]; });
    }
  });
  write_powers("lengths", activity.lengths, json);
  write_powers("alignments", activity.alignments, json);
}

}  // namespace

ActivityRow combine(const ActivityRow& a, const ActivityRow& b) {
  ActivityRow both = a;
  both.time.add_all(b.time);
  both.offsets.add_all(b.offsets);
  return both;
}

void add(PowersOfMoved& sums, const PowersOfMoved& more) {
  for (size_t moved = 0; moved < moved_count; ++moved) {
    for (size_t power = 0; power < sums[moved].size(); ++power) sums[moved][power] += more[moved][power];
  }
}

WaitedLeast waited_least_of(int64_t rank, const Counters& counters) {
  const int64_t call_ns = counters[Counter::call_ns], waited_ns = counters[Counter::exchange_ns];
  if (call_ns <= 0) return {};
  return {Waited{rank, waited_ns, std::max<int64_t>(0, call_ns - waited_ns)}};
}

WaitedLeast combine(const WaitedLeast& a, const WaitedLeast& b) {
  WaitedLeast least;
  const auto before = [](const Waited& one, const Waited& other) {
    return std::tuple(one.rank < 0, one.waited_ns, one.rank) <
           std::tuple(other.rank < 0, other.waited_ns, other.rank);
  };
  for (size_t i = 0, j = 0; i + j < least.size();) {
    const bool from_a = before(a[i], b[j]);
    least[i + j] = from_a ? a[i] : b[j];
    from_a ? ++i : ++j;
  }
  return least;
}

void write_slowest(const RankTimes& times, JsonText& json) {
  json.name("slowest_rank");
  json.object([&] {
    for (size_t i = 0; i < times.ns.size(); ++i)
      json.member(counter_name(RankTimes::counters[i]), times.ns[i]);
  });
}

void write_activity(const ActivityOfFile& activity, JsonText& json) {
  json.object([&] {
    if (!activity.rows.empty()) write_tables(activity, json);
    json.name("waited_least");
    json.array([&] {
      for (const Waited& one : activity.waited_least) {
        if (one.rank < 0) continue;
        json.object([&] {
          json.member("rank", one.rank);
          json.member("waited_seconds", static_cast<double>(one.waited_ns) * 1e-9);
          json.member("own_seconds", static_cast<double>(one.own_ns) * 1e-9);
        });
      }
    });
  });
}

}  // namespace concilio
