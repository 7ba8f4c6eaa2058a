// What the ranks of a node share of their team, and what the files that make up a team have in common: it is
// made (team.cpp), kept for later files (team_kept.cpp), its ranks meet (team_meetings.cpp), and some may end
// before they should (team_lost.cpp).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/exceptions.h"
#include "mpi/nodes/team.h"

namespace concilio::mpi {

// State that the ranks of a node share. It lies at the beginning of the control segment. Behind it lie one
// slot of max_value_bytes for each rank of the node, one slot for the result, the writers' board, and a
// Resident for each rank.
struct Team::Control {
  alignas(64) Gate arrived;                  // all ranks of the node have come to the meeting
  alignas(64) Gate done;                     // the meeting's work is done
  alignas(64) std::atomic<int64_t> counter;  // the value of SharedCounter if all ranks are on this node
  std::atomic<int64_t> lost;                 // why the team has failed; 0: it has not failed
  std::atomic<bool> keeps_segment;           // when its file is closed

  // Values of lost: the number of a rank that has ended, plus first_rank; or no_messages, if messages between
  // nodes fail.
  static constexpr int64_t first_rank = 1, no_messages = -1;
};

// Which process a rank of the node is. One for each rank lies behind the writers' board.
struct Team::Resident {
  ProcessId process;
  int rank;
  std::atomic<uint64_t> offered;  // the last call that this rank was ready for, counted from 1
  std::atomic<int> core;  // that it ran on at one of the last meetings, counted from 1; or unknown_core
  static constexpr int unknown_core = 0;
};

// What may change while a team is used is looked at so often at most.
inline constexpr int64_t look_interval_ns = 1'000'000'000;

inline Team::Control& Team::control() const {
  return *reinterpret_cast<Control*>(control_segment_.data());
}

inline std::byte* Team::slot(int local_rank) const {
  return control_segment_.data() + sizeof(Control) + local_rank * max_value_bytes;
}

inline Team::Resident& Team::resident(int local_rank) const {
  std::byte* first = slot(local_size_ + 1) + WritersBoard::bytes_needed(local_size_);
  return reinterpret_cast<Resident*>(first)[local_rank];
}

inline Error no_memory_for_team() {
  return error_with(ErrorKind::no_memory, 0, [] { return "a rank has no memory for a team of ranks"; });
}

}  // namespace concilio::mpi
