// What all ranks of a file did to it, as a part of its record in a report.
#pragma once

#include <cstdint>
#include <vector>

#include "base/activity/activity.h"
#include "base/activity/rank_times.h"
#include "base/counters.h"
#include "base/json_text.h"

namespace concilio {

// What neighbouring ranks did together. The bins of all rows lie alike.
struct ActivityRow {
  static constexpr int64_t most_rows = 32, most_bins = Bins<1>::most;
  Bins<times_count + moved_count> time{0};
  Bins<moved_count> offsets{0};
  // How much text a row becomes: each of its cells has an index and a value, of up to 14 digits.
  static constexpr size_t most_text_bytes = size_t{20} * most_bins * (times_count + 2 * moved_count);
};
ActivityRow combine(const ActivityRow& a, const ActivityRow& b);
void add(PowersOfMoved& sums, const PowersOfMoved& more);

// A rank that spent little time waiting for others in collective calls.
struct Waited {
  int64_t rank = -1;                  // of MPI_COMM_WORLD; -1: none
  int64_t waited_ns = 0, own_ns = 0;  // in calls; `own_ns` is the rest of the time in them
};
// Those that waited least, the least first. Others waited for these.
using WaitedLeast = std::array<Waited, 4>;
WaitedLeast combine(const WaitedLeast& a, const WaitedLeast& b);
// The rank alone; none if it was in no call.
WaitedLeast waited_least_of(int64_t rank, const Counters& counters);

struct ActivityOfFile {
  int64_t first_rank = 0;         // of the first row
  int64_t ranks_a_row = 1;        // of the last row perhaps fewer
  std::vector<ActivityRow> rows;  // none: only `waited_least` is known, or only that is to be written
  PowersOfMoved lengths{}, alignments{};
  int64_t left_out = 0;  // calls that were told like others
  WaitedLeast waited_least;
};

// A member "slowest_rank".
void write_slowest(const RankTimes& times, JsonText& json);

// An object. Tables are lists of index, value, index, value, ... without what is zero.
void write_activity(const ActivityOfFile& activity, JsonText& json);

}  // namespace concilio
