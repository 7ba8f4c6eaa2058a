// Generalised two-phase I/O (ROMIO, section 4.2; flexible collective I/O, section 5), with the exchange on a
// node done in memory that its ranks share: every rank copies its pieces straight between the user's buffer
// and the aggregators' windows. Windows alternate between slots, so that ranks fill one while an aggregator
// flushes the other.
#pragma once

#include "exec/engine.h"
#include "exec/workspace.h"

namespace concilio {

// Collective over the engine's team, with the same plan on every rank; a rank without data takes every step.
// The result is this rank's own: errors are agreed on by the caller. The workspace is prepared for the plan,
// and the headers of its images have been reset.
Outcome run_two_phase(Engine& engine, const Request& request, const Plan& plan, const Workspace& workspace);

}  // namespace concilio
