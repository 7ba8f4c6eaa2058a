// Generalised two-phase I/O (ROMIO, section 4.2; flexible collective I/O, section 5). Within a node data are
// exchanged in memory that its ranks share: every rank copies its pieces directly between the user's buffer
// and the images of the aggregators' windows. Windows alternate between slots, so that ranks fill one while
// an aggregator flushes the other.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "exec/call/running_call.h"
#include "exec/call/workspace.h"
#include "exec/two_phase/exchange.h"
#include "exec/two_phase/parcels.h"
#include "exec/windows/images.h"

namespace concilio::exec {

// What one rank needs for the rounds of a plan's calls. All its memory is allocated when it is made, before
// the ranks agree on the plan: later no rank can run out of memory while others wait for its next step.
class RoundGear {
 public:
  // `plan` and `workspace` must outlive this.
  RoundGear(const OpenFile& opened, const plan::Facts& facts, const plan::Plan& plan,
            const Workspace& workspace);
  Images& images() { return images_; }
  // The nodes tell each other what must be known beforehand of the requests of a pattern; this rank's is
  // given. `fit` is set to false if the nodes cannot exchange as planned. Nobody may use `segment`, which the
  // node's ranks share, until all ranks have met again. Collective over the team; the outcome is this rank's
  // own.
  Status tell_requests(const OpenFile& opened, const Request& request, const plan::Plan& plan,
                       std::byte* segment, bool& fit);
  // All requests have moved in the file, and the plan with them.
  void move(int64_t shift_bytes);

 private:
  friend class TwoPhase;
  Parcels* parcels() { return parcels_ ? &*parcels_ : nullptr; }
  const plan::Group& group_;
  Images images_;
  // One of the two, if nodes exchange at all.
  std::optional<Parcels> parcels_;
  std::unique_ptr<Exchange> exchange_;
  // Room for the parts and the transfers of the window that storage is at work on.
  std::vector<WindowPart> at_storage_;
  std::vector<store::Transfer> transfers_;
};

// Collective over the file's team, with the same plan on every rank; a rank without data takes every step.
// The outcome is this rank's own; the caller makes the ranks agree on errors. Before the call the workspace
// has been prepared for the plan, the images have been placed in it, and their headers have been reset.
Outcome run_two_phase(const RunningCall& call, const Request& request, const plan::Plan& plan,
                      Workspace& workspace, RoundGear& gear);

}  // namespace concilio::exec
