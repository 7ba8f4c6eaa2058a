// How a window reaches the file: whole where it is fully covered, else as plan/choose/hole_filling.h chooses
// for this window.
#pragma once

#include <span>

#include "base/function_ref.h"
#include "exec/running_call.h"
#include "exec/two_phase/images.h"

namespace concilio {

// `old` gives room for plan.window_bytes, asked for where a window with holes is to be rewritten: it receives
// what the file held there. Where it gives none, the window is written in pieces. Holes behind the end of
// file become zeros. Bytes behind the last covered one are never written.
using RoomForOld = FunctionRef<std::byte*()>;
Status flush_window(const RunningCall& call, std::span<WindowPart> parts, RoomForOld old);

}  // namespace concilio
