// Transfers every contiguous piece directly between the user's buffer and the file, in vectors of requests.
// This works for any access, so other methods fall back to it.
#pragma once

#include <span>

#include "exec/call/running_call.h"

namespace concilio::exec {

// Transfers the request's data from data position `from` on.
Outcome list_from(const RunningCall& call, const Request& request, int64_t from);

// Transfers one batch. Returns its bytes; for a read, only those before the end of the file.
Outcome move_batch(const RunningCall& call, Operation operation, std::span<const store::Transfer> batch);

}  // namespace concilio::exec
