// What the library moves in a call of ranks that ask alike, counted from the call's plan without running it:
// the messages between nodes, and the requests to storage. Runs of the same ranks, real or simulated, count
// the same (tests/smpi/counted.py).
#pragma once

#include <cstdint>

#include "plan/choose/hole_filling.h"
#include "plan/plan.h"
#include "sim/alike.h"

namespace concilio::sim {

// Of all ranks together, under the names of the library's counters. Rounds are those of the rank with most.
struct Counts {
  int64_t messages_sent = 0, message_bytes_sent = 0, rounds = 0;
  int64_t storage_reads = 0, storage_writes = 0;
  int64_t storage_bytes_read = 0, storage_bytes_written = 0;
  int64_t windows_whole = 0, windows_rmw = 0, windows_list = 0, windows_batch = 0;
  // False: what nodes have does not fit the buffers of the plan's relays. The call is not made by this plan,
  // but by one without relays (exec/collective.cpp).
  bool relays_fit = true;
};

// Counts a call that repeats one before it, so that nodes know already what the others ask for. The file has
// all the bytes that the ranks ask for. `rules` is for windows with holes. The error says what cannot be
// counted.
Result<Counts> count(const Alike& alike, const plan::Facts& facts, const plan::Plan& plan,
                     const plan::FlushRules& rules);

}  // namespace concilio::sim
