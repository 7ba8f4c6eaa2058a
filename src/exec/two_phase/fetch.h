// How a window is read from the file: as a whole or, if it is known which of its bytes are wanted and they
// are few, without its larger holes.
#pragma once

#include <span>
#include <vector>

#include "exec/call/running_call.h"
#include "exec/two_phase/descriptions.h"
#include "exec/windows/coverage.h"
#include "exec/windows/images.h"

namespace concilio::exec {

// What is known of the bytes that are wanted.
struct Wanted {
  const Descriptions* told = nullptr;  // what all ranks ask for; the maps are empty before and after
  // The maps mark what the ranks of this node ask for, and afterwards what has been read.
  bool marked = false;
};

// Returns the file offset behind the last byte that exists, as far as it matters to those who want bytes.
// `transfers` has room for one of each part.
Result<int64_t> fetch_window(const RunningCall& call, std::span<WindowPart> parts, const Wanted& wanted,
                             std::vector<store::Transfer>& transfers);
// Reads those bytes of a window that are wanted and that its maps do not mark as read. Returns the same.
// wanted: null means all bytes.
Result<int64_t> fetch_missing(const RunningCall& call, std::span<WindowPart> parts, const Coverage* wanted);

}  // namespace concilio::exec
