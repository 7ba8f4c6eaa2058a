// How a window is read from the file: as a whole or, if the aggregator knows which of its bytes are wanted
// and they are few, without its larger holes.
#pragma once

#include <span>
#include <vector>

#include "exec/call/running_call.h"
#include "exec/two_phase/descriptions.h"
#include "exec/windows/images.h"

namespace concilio::exec {

// Returns the file offset behind the last byte that exists, as far as it matters to those who want bytes.
// `known` says what all ranks ask for; null: nobody knows. The parts' maps are empty before and after.
// `transfers` has room for one of each part.
Result<int64_t> fetch_window(const RunningCall& call, std::span<WindowPart> parts, const Descriptions* known,
                             std::vector<store::Transfer>& transfers);

}  // namespace concilio::exec
