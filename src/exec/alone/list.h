// Every contiguous piece straight between the user's buffer and the file, in vectors of requests: the way of
// any access, also of what other methods leave to it.
#pragma once

#include <span>

#include "exec/running_call.h"

namespace concilio {

// The request's data from `from` on.
Outcome list_from(const RunningCall& call, const Request& request, int64_t from);

// Moves one batch; for reads the bytes before end of file.
Outcome move_batch(const RunningCall& call, Operation operation, std::span<const Transfer> batch);

}  // namespace concilio
