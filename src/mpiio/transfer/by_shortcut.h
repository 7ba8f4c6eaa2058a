// The way of a small call that needs no other rank: an independent one, or a collective one that is made
// apart (exec/apart.h). A blocking call that moves one stretch of the file from or to one stretch of memory
// is a single request to storage. It needs no plan, no lock, no allocation and no look at a description.
#pragma once

#include <optional>

#include "exec/call/running_call.h"
#include "mpiio/api.h"

namespace concilio::mpiio {

// Carries out a call by the shortcut. Returns nothing, and nothing has happened, if the call has to take
// another way; so do all calls with wrong arguments. A collective call is one that is made apart, and has its
// turn (File::in_turn_apart).
std::optional<exec::Outcome> by_shortcut(File& file, const Call& call, const Data& data);

}  // namespace concilio::mpiio
