#include "summary/live_activity.h"

#include <algorithm>

#include "base/activity/activity_json.h"

namespace concilio::tools {

void add_activity(FileRecord& file, std::vector<LiveActivity> ranks) {
  std::ranges::sort(ranks, {}, &LiveActivity::rank);
  ActivityOfFile all;
  all.ranks_a_row =
      std::max<int64_t>(1, (std::ssize(ranks) + ActivityRow::most_rows - 1) / ActivityRow::most_rows);
  all.first_rank = ranks.empty() ? 0 : ranks[0].rank;
  BinRange time, offsets;
  bool all_known = true;
  for (const LiveActivity& rank : ranks) {
    all.waited_least = combine(all.waited_least, waited_least_of(rank.rank, rank.counters));
    all_known = all_known && rank.data;
    if (!rank.data) continue;
    time = around(time, rank.data->time.range(), ActivityRow::most_bins);
    offsets = around(offsets, rank.data->offsets.range(), ActivityRow::most_bins);
  }
  for (size_t i = 0; all_known && i < ranks.size(); ++i) {
    ActivityRow row{ranks[i].data->time, ranks[i].data->offsets};
    row.time.widen_to(time);
    row.offsets.widen_to(offsets);
    if (static_cast<int64_t>(i) % all.ranks_a_row == 0)
      all.rows.push_back(row);
    else
      all.rows.back() = combine(all.rows.back(), row);
    add(all.lengths, ranks[i].data->lengths);
    add(all.alignments, ranks[i].data->alignments);
    all.left_out += ranks[i].data->left_out;
  }
  JsonText json;
  write_activity(all, json);
  file.activities.push_back(json.text());
  if (const Waited& late = all.waited_least[0]; late.rank >= 0) {
    file.late_rank = {late.rank, static_cast<double>(late.waited_ns) * 1e-9,
                      static_cast<double>(late.own_ns) * 1e-9};
  }
}

}  // namespace concilio::tools
