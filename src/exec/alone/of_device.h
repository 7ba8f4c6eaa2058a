// A rank's request for a buffer in the memory of a GPU, where storage needs its memory as a whole.
#pragma once

#include "base/function_ref.h"
#include "exec/call/running_call.h"

namespace concilio::exec {

// Transfers the request's data from data position `from` on. Long stretches go between storage and the GPU
// directly where that is possible. Other data pass through host memory: run() makes requests for them there.
// While storage works on one, the device copies the data of another.
Outcome run_of_device(const RunningCall& call, const Request& request, int64_t from,
                      FunctionRef<Outcome(const Request&)> run);

}  // namespace concilio::exec
