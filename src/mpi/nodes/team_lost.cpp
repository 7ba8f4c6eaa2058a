// Ranks that end while others count on them. Once one has, the team fails.

#include <fmt/format.h>

#include "base/exceptions.h"
#include "base/waiting.h"
#include "mpi/nodes/team_control.h"

namespace concilio::mpi {
namespace {

// The exchange of windows uses smaller tags, and never_sent_tag is one less.
constexpr int lost_rank_tag = 32767;

}  // namespace

Status Team::failure() const {
  const int64_t lost = control().lost.load(std::memory_order_acquire);
  if (lost == 0) return {};
  return error_with(ErrorKind::rank_lost, 0, [&] {
    const std::string what = lost == Control::no_messages
                                 ? "messages between nodes fail"
                                 : fmt::format("rank {} has ended", lost - Control::first_rank);
    return what +
           " while other ranks count on it: this file can only be closed, and its collective calls "
           "since then may be incomplete";
  });
}

// Without memory for it the next look finds them.
void Team::look_for_ended_ranks() {
  if_there_is_memory([&] {
    for (int i = 0; i < local_size_; ++i) {
      if (i != local_rank_ && has_ended(resident(i).process))
        give_up_on(resident(i).rank + Control::first_rank);
    }
  });
}

// The rank that finds it out first tells the leaders of all other nodes.
void Team::give_up_on(int64_t lost) {
  int64_t nothing = 0;
  if (!control().lost.compare_exchange_strong(nothing, lost)) return;
  for (size_t node = 0; node < nodes_.size(); ++node) {
    if (node == static_cast<size_t>(node_)) continue;
    // The shared memory stays when the team has failed, as the message may still be under way.
    MPI_Request request;
    if (PMPI_Isend(&control().lost, 1, MPI_INT64_T, nodes_[node].candidates.front(), lost_rank_tag, comm_,
                   &request) == MPI_SUCCESS)
      PMPI_Request_free(&request);
  }
}

void Team::hear_of_lost_ranks() {
  if (nodes_.size() <= 1 || local_rank_ != 0 || ranks_are_simulated()) return;
  int told = 0;
  MPI_Status status;
  PMPI_Iprobe(MPI_ANY_SOURCE, lost_rank_tag, comm_, &told, &status);
  if (!told) return;
  int64_t lost = 0, nothing = 0;
  PMPI_Recv(&lost, 1, MPI_INT64_T, status.MPI_SOURCE, lost_rank_tag, comm_, MPI_STATUS_IGNORE);
  control().lost.compare_exchange_strong(nothing, lost);
}

}  // namespace concilio::mpi
