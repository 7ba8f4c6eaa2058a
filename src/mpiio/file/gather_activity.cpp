#include "mpiio/file/gather_activity.h"

#include <algorithm>

#include "base/exceptions.h"

namespace concilio::mpiio {

namespace {

constexpr int64_t most_rows = 32;
// The ranks meet once for each row. So that this takes less than about a hundredth of what the calls took,
// the ranks of a file that was used for a short time have few rows.
constexpr int64_t call_ns_a_row = 2'000'000;

// What comes together in one meeting, before the rows.
struct Common {
  std::array<Powers, moved_count> lengths, alignments;
  BinRange time, offsets;
  WaitedLeast waited_least;
};
Common combine(const Common& a, const Common& b) {
  Common both = a;
  for (size_t moved = 0; moved < moved_count; ++moved) {
    for (size_t power = 0; power < a.lengths[moved].size(); ++power) {
      both.lengths[moved][power] += b.lengths[moved][power];
      both.alignments[moved][power] += b.alignments[moved][power];
    }
  }
  both.time = around(a.time, b.time, ActivityRow::most_bins);
  both.offsets = around(a.offsets, b.offsets, ActivityRow::most_bins);
  both.waited_least = concilio::combine(a.waited_least, b.waited_least);
  return both;
}

}  // namespace

Status ActivityGathering::prepare(const mpi::Team& team) {
  if (team.rank() == 0) all_.rows.reserve(static_cast<size_t>(std::min<int64_t>(most_rows, team.size())));
  return {};
}

bool ActivityGathering::gather(mpi::Team& team, Activity* activity, const Counters& counters,
                               int64_t slowest_call_ns) {
  ActivityData mine = activity ? activity->data() : ActivityData();
  const int64_t waited_ns = counters[Counter::exchange_ns];
  Common common{mine.lengths, mine.alignments, mine.time.range(), mine.offsets.range(), {}};
  if (counters[Counter::call_ns] > 0)
    common.waited_least[0] = {team.rank(), waited_ns,
                              std::max<int64_t>(0, counters[Counter::call_ns] - waited_ns)};
  if (!team.allreduce(common)) return false;
  mine.time.widen_to(common.time);
  mine.offsets.widen_to(common.offsets);
  const int64_t ranks = team.size();
  const int64_t wanted =
      std::clamp<int64_t>(slowest_call_ns / call_ns_a_row, 1, std::min<int64_t>(most_rows, ranks));
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
  all_.waited_least = common.waited_least;
  return true;
}

}  // namespace concilio::mpiio
