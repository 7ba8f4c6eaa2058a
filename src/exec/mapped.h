// Mapped files: every rank for itself copies its pieces straight between the user's memory and the pages of
// the file, without buffers and without other ranks.
#pragma once

#include "exec/running_call.h"

namespace concilio {

// The file access must be monotone. Where the file cannot be mapped, this rank's request goes the way of
// run_list. Never signals: pages are made present before they are touched, so that a file that is cut short
// or storage that fails is an error; only a file that somebody cuts between that and the copy of the same few
// MiB would still be one, which MPI-IO allows nobody to do.
Outcome run_mapped(const RunningCall& call, const Request& request);

}  // namespace concilio
