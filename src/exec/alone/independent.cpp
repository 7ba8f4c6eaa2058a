// Independent contiguous access: the bytes of each rank are one stretch of the file.
#include <algorithm>
#include <array>

#include "exec/alone/list.h"
#include "exec/alone/methods.h"
#include "exec/alone/of_device.h"
#include "exec/alone/run_alone.h"
#include "exec/alone/sieve.h"
#include "plan/choose/cost.h"

namespace concilio::exec {
namespace {

constexpr int64_t pack_buffer_bytes = 256 << 10;

// Packing pays for a contiguous stretch of the file made of small pieces in memory. It reads and locks
// nothing, as there are no holes.
bool should_pack(const Request& request) {
  int64_t memory_pieces = std::max<int64_t>(1, request.memory->pieces(0, request.bytes));
  return request.bounds().length() == request.bytes && memory_pieces > 1 &&
         request.bytes / memory_pieces < plan::pack_below_bytes &&
         request.file->monotone_within(request.position + request.bytes);
}

Outcome run_one_stretch(const RunningCall& call, const Request& request) {
  const store::Transfer whole{request.file->offset_of(request.position),
                              request.buffer + request.memory->offset_of(0), request.bytes};
  return move_batch(call, request.operation, {&whole, 1});
}

}  // namespace

Outcome run_independent(const RunningCall& call, const Request& request, const plan::Plan& plan) {
  if (request.device)
    return run_of_device(call, request, 0,
                         [&](const Request& part) { return run_independent(call, part, plan); });
  if (is_one_stretch(request)) {
    if (plan.buffer_bytes > 0) {
      Outcome copied = sieve(call, request, plan.buffer_bytes);
      if (copied || copied.error().kind != ErrorKind::no_memory) return copied;
    }
    return run_one_stretch(call, request);
  }
  if (should_pack(request))
    return sieve(call, request, std::min(pack_buffer_bytes, call.opened.budget.limit_bytes() / 2));
  return run_list(call, request, plan);
}

}  // namespace concilio::exec
