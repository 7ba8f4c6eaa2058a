// How a window reaches the file: whole where it is fully covered, else by read-modify-write or as a list of
// its covered stretches, whichever is cheaper for this window (conditional sieving, section 6.3 of the
// flexible collective I/O paper).
#pragma once

#include <span>

#include "exec/engine.h"
#include "exec/images.h"

namespace concilio {

// `old` has room for plan.window_bytes; it receives what the file held where the window has holes. Holes
// behind the end of file become zeros. Bytes behind the last covered one are never written.
Status flush_window(Engine& engine, std::span<WindowPart> parts, std::span<std::byte> old);

}  // namespace concilio
