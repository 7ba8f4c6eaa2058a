// Transfers every contiguous piece directly between the user's buffer and the file, in vectors of requests.
// This works for any access, so other methods fall back to it.
#pragma once

#include <span>

#include "base/function_ref.h"
#include "exec/call/running_call.h"

namespace concilio::exec {

// Transfers the request's data from data position `from` on.
Outcome list_from(const RunningCall& call, const Request& request, int64_t from);

// Transfers the data of a request whose buffer is a GPU's, from data position `from` on, by requests for host
// memory that they pass through. While storage works on one, the device copies the data of another.
Outcome through_host(const Request& request, int64_t from, FunctionRef<Outcome(const Request&)> run);

// Transfers one batch. Returns its bytes; for a read, only those before the end of the file.
Outcome move_batch(const RunningCall& call, Operation operation, std::span<const store::Transfer> batch);

}  // namespace concilio::exec
