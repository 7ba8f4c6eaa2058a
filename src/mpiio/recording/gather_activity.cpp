#include "mpiio/recording/gather_activity.h"

#include <algorithm>

#include "base/exceptions.h"
#include "base/waiting.h"
#include "mpiio/recording/recording.h"

namespace concilio::mpiio {

namespace {

// The ranks meet once for each row. So that this takes less than about a hundredth of what the calls took,
// the ranks of a file that was used for a short time have few rows.
constexpr int64_t call_ns_a_row = 2'000'000;

// What comes together in one meeting, before the rows.
struct Common {
  PowersOfMoved lengths, alignments;
  BinRange time, offsets;
  int64_t left_out;
  int64_t ranks_without;  // that have no activity
  int64_t rows;           // for which rank 0 has memory
  WaitedLeast waited_least;
};
Common combine(const Common& a, const Common& b) {
  Common both = a;
  add(both.lengths, b.lengths);
  add(both.alignments, b.alignments);
  both.time = around(a.time, b.time, ActivityRow::most_bins);
  both.offsets = around(a.offsets, b.offsets, ActivityRow::most_bins);
  both.left_out += b.left_out;
  both.ranks_without += b.ranks_without;
  both.rows = std::min(a.rows, b.rows);
  both.waited_least = concilio::combine(a.waited_least, b.waited_least);
  return both;
}

}  // namespace

Status ActivityGathering::prepare(const mpi::Team& team) {
  if (team.rank() == 0)
    all_.rows.reserve(static_cast<size_t>(std::min<int64_t>(ActivityRow::most_rows, team.size())));
  return {};
}

bool ActivityGathering::gather(mpi::Team& team, Activity* activity, const Counters& counters,
                               int64_t slowest_call_ns) {
  ActivityData mine = activity ? activity->data(now_ns()) : ActivityData();
  Common common{mine.lengths,
                mine.alignments,
                mine.time.range(),
                mine.offsets.range(),
                mine.left_out,
                activity ? 0 : 1,
                team.rank() == 0 ? Recording::most_rows() : ActivityRow::most_rows,
                waited_least_of(mpi::rank_in_job(), counters)};
  if (!team.allreduce(common)) return false;
  all_.waited_least = common.waited_least;
  if (common.ranks_without > 0) return true;
  mine.time.widen_to(common.time);
  mine.offsets.widen_to(common.offsets);
  const int64_t ranks = team.size();
  const int64_t wanted =
      std::clamp<int64_t>(slowest_call_ns / call_ns_a_row, 1, std::min(common.rows, ranks));
  const int64_t ranks_a_row = (ranks + wanted - 1) / wanted;
  ActivityRow nothing;
  nothing.time.widen_to(common.time);
  nothing.offsets.widen_to(common.offsets);
  for (int64_t first = 0; first < ranks; first += ranks_a_row) {
    const bool own = first <= team.rank() && team.rank() < first + ranks_a_row;
    ActivityRow row = own ? ActivityRow{mine.time, mine.offsets} : nothing;
    if (!team.allreduce(row)) return false;
    if (team.rank() == 0) all_.rows.push_back(row);
  }
  all_.ranks_a_row = ranks_a_row;
  all_.lengths = common.lengths;
  all_.alignments = common.alignments;
  all_.left_out = common.left_out;
  return true;
}

}  // namespace concilio::mpiio
