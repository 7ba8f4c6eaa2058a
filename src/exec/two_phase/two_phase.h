// Generalised two-phase I/O (ROMIO, section 4.2; flexible collective I/O, section 5), with the exchange on a
// node done in memory that its ranks share: every rank copies its pieces straight between the user's buffer
// and the aggregators' windows. Windows alternate between slots, so that ranks fill one while an aggregator
// flushes the other.
#pragma once

#include <memory>
#include <vector>

#include "exec/running_call.h"
#include "exec/two_phase/exchange.h"
#include "exec/two_phase/images.h"
#include "exec/workspace.h"

namespace concilio {

// What one rank goes through the rounds of a plan's calls with. All memory is had when it is made, before the
// ranks agree on the plan: later no rank can be without it while others wait for its next step.
class RoundGear {
 public:
  // Plan and workspace must outlive it.
  RoundGear(const OpenFile& opened, const Plan& plan, const Workspace& workspace);
  Images& images() { return images_; }

 private:
  friend class TwoPhase;
  const Group& group_;
  Images images_;
  std::unique_ptr<Exchange> exchange_;
  std::vector<Transfer> transfers_;  // room for those of a window
};

// Collective over the file's team, with the same plan on every rank; a rank without data takes every step.
// The result is this rank's own: errors are agreed on by the caller. The workspace is prepared for the plan,
// the images lie in it, and their headers have been reset.
Outcome run_two_phase(const RunningCall& call, const Request& request, const Plan& plan, Workspace& workspace,
                      RoundGear& gear);

}  // namespace concilio
