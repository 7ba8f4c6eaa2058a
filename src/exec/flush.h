// How a window reaches the file: whole where it is fully covered, else as plan/flush.h chooses for this
// window.
#pragma once

#include <span>

#include "exec/engine.h"
#include "exec/images.h"

namespace concilio {

// `old` has room for plan.window_bytes; it receives what the file held where the window has holes. Holes
// behind the end of file become zeros. Bytes behind the last covered one are never written.
Status flush_window(Engine& engine, std::span<WindowPart> parts, std::span<std::byte> old);

}  // namespace concilio
