// Tells what happened to a file when it is closed: the ranks bring together what they counted, and rank 0
// appends a record to the file that CONCILIO_REPORT names.
#pragma once

#include <algorithm>
#include <vector>

#include "base/activity/closed_totals.h"
#include "base/activity/live_record.h"
#include "mpi/nodes/agree.h"
#include "mpiio/file/file.h"
#include "mpiio/recording/gather_activity.h"

namespace concilio::mpiio {

class Report {
 public:
  // Of a file that this rank, like all others, is closing. `now_ns`: the time by now_ns().
  Report(File& file, int64_t now_ns);
  // Returns the first error of any rank, on every rank, as File::agree does; totals of what the ranks counted
  // travel along. Collective.
  Status agree(const Status& mine);
  // Tells of the file: a record of its own, if all ranks have time for that (closing_allowance()), and else
  // its totals later together with others (brief_opens.h). False: the ranks could not meet. Collective.
  bool tell();

 private:
  struct NodePeak {
    int64_t bytes;
  };
  friend NodePeak combine(const NodePeak& a, const NodePeak& b) { return {a.bytes + b.bytes}; }
  // What all ranks tell each other.
  struct Closing {
    mpi::Failure failure;
    int64_t in_full = 0;             // whether all ranks have time and memory for a record of this file alone
    int64_t error_rank = INT64_MAX;  // the lowest that has a call that failed
    ClosedTotals totals;
  };
  friend Closing combine(const Closing& a, const Closing& b) {
    return {mpi::combine(a.failure, b.failure), std::min(a.in_full, b.in_full),
            std::min(a.error_rank, b.error_rank), concilio::combine(a.totals, b.totals)};
  }
  struct FirstError {
    LiveText<240> message;
  };
  friend FirstError combine(const FirstError& a, const FirstError& b) { return a.message.is({}) ? b : a; }
  void add_this_rank(ClosedTotals& totals) const;
  bool learn_first_error();
  bool tell_in_full();
  void write_record();

  File& file_;
  const int64_t now_ns_;
  bool met_ = false;
  Closing all_;
  FirstError first_error_;  // of the lowest rank that has one
  std::vector<NodePeak> node_peaks_;
  ActivityGathering gathering_;
};

// Appends to the report that a file could not be opened by the ranks of `comm`.
void report_failed_open(MPI_Comm comm, const char* path, const Error& error);
// Appends what is still to be told, when MPI ends.
void report_ends();

}  // namespace concilio::mpiio
