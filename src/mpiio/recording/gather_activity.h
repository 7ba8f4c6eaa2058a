// What all ranks of a file did to it, brought together on rank 0 for the report.
#pragma once

#include <vector>

#include "base/activity/activity_json.h"
#include "base/result.h"
#include "mpi/nodes/team.h"

namespace concilio::mpiio {

class ActivityGathering {
 public:
  // Gets the memory that rank 0 needs for gather().
  Status prepare(const mpi::Team& team);
  // Collective over the team; all ranks pass the same `slowest_call_ns`, the time in calls of the slowest
  // rank. `activity` is this rank's. Where it is null on any rank, there are no rows. Returns false if the
  // ranks could not meet.
  bool gather(mpi::Team& team, Activity* activity, const Counters& counters, int64_t slowest_call_ns);
  // Of rank 0.
  const ActivityOfFile& activity() const { return all_; }

 private:
  ActivityOfFile all_;
};

}  // namespace concilio::mpiio
