#include "base/system/core_offer.h"

#include <sched.h>

#include <algorithm>

#include "base/waiting.h"

namespace concilio {

static bool offer_core(TurnsOfOthers& turns) {
  const int64_t begin_ns = now_ns();
  if (!turns.may_begin(begin_ns)) return false;
  sched_yield();
  return turns.note(begin_ns, now_ns());
}

bool offer_core() {
  thread_local TurnsOfOthers turns(1);
  return offer_core(turns);
}

void let_others_run(int64_t waited_ns) {
  // Whoever sends the message may copy all of a call's data first, on this core, which is one long turn.
  thread_local TurnsOfOthers turns(2);
  // A message in parts may need a look for each of them, and a network moves tens of KiB in 20 microseconds.
  constexpr int64_t shortest_pause_ns = 20'000, longest_pause_ns = 200'000;
  if (!offer_core(turns)) sleep_ns(std::clamp(waited_ns / 8, shortest_pause_ns, longest_pause_ns));
}

}  // namespace concilio
