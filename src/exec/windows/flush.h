// How a window is written to the file: whole if it is fully covered, else as plan/choose/hole_filling.h
// chooses for this window; `writers` aggregators do so at the same time.
#pragma once

#include <span>

#include "base/function_ref.h"
#include "exec/call/running_call.h"
#include "exec/windows/images.h"

namespace concilio::exec {

// `old` returns a buffer of plan.window_bytes for what the file holds there; it is called only if a window
// with holes is to be rewritten. If it returns none, the window is written in pieces. Holes behind the end of
// the file become zeros. Bytes behind the last covered one are never written.
using RoomForOld = FunctionRef<std::byte*()>;
Status flush_window(const RunningCall& call, std::span<WindowPart> parts, int64_t writers, RoomForOld old);

// Whether the stretches of a window that is moved as a whole are asked for at once. Where a request is a
// round trip, that takes no longer than one after another, and may take as long as one.
bool stretches_go_at_once(const RunningCall& call, size_t stretches);

}  // namespace concilio::exec
