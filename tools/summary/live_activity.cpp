#include "summary/live_activity.h"

#include <algorithm>

#include "base/activity/activity_json.h"

namespace concilio::tools {

std::string activity_of_open_file(std::vector<LiveActivity> ranks) {
  constexpr int64_t most_rows = 32;
  std::ranges::sort(ranks, {}, &LiveActivity::rank);
  ActivityOfFile all;
  all.ranks_a_row = std::max<int64_t>(1, (std::ssize(ranks) + most_rows - 1) / most_rows);
  BinRange time, offsets;
  for (const LiveActivity& rank : ranks) {
    time = around(time, rank.data.time.range(), ActivityRow::most_bins);
    offsets = around(offsets, rank.data.offsets.range(), ActivityRow::most_bins);
  }
  for (size_t i = 0; i < ranks.size(); ++i) {
    ActivityRow row{ranks[i].data.time, ranks[i].data.offsets};
    row.time.widen_to(time);
    row.offsets.widen_to(offsets);
    if (static_cast<int64_t>(i) % all.ranks_a_row == 0)
      all.rows.push_back(row);
    else
      all.rows.back() = combine(all.rows.back(), row);
    for (size_t moved = 0; moved < moved_count; ++moved) {
      for (size_t power = 0; power < all.lengths[moved].size(); ++power) {
        all.lengths[moved][power] += ranks[i].data.lengths[moved][power];
        all.alignments[moved][power] += ranks[i].data.alignments[moved][power];
      }
    }
    const int64_t call_ns = ranks[i].counters[Counter::call_ns],
                  waited_ns = ranks[i].counters[Counter::exchange_ns];
    if (call_ns > 0)
      all.waited_least = combine(
          all.waited_least, {Waited{ranks[i].rank, waited_ns, std::max<int64_t>(0, call_ns - waited_ns)}});
  }
  JsonText json;
  write_activity(all, json);
  return json.text();
}

}  // namespace concilio::tools
