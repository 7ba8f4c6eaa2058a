#include "exec/two_phase/beside.h"

namespace concilio::exec {

Beside::~Beside() {
  wait();
  // The thread that did the work may not have left the strand yet.
  if (!ranks_are_simulated()) strand_.wait();
}

void Beside::start() {
  ++started_;
  if (work_beside_simulated_rank([this] { run(); })) return;
  strand_.post(*this);
  if (strand_.claim()) strand_.run_claimed();
}

void Beside::run() noexcept {
  work_();
  ended_.increment();
}

void Beside::wait() {
  while (!team_.wait(ended_, started_, messages_)) continue;
}

}  // namespace concilio::exec
