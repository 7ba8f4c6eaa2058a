#include "exec/alone/list.h"

#include <algorithm>
#include <array>

#include "exec/alone/methods.h"
#include "exec/alone/of_device.h"
#include "exec/alone/pieces.h"
#include "exec/call/plain_write.h"

namespace concilio::exec {
namespace {

constexpr size_t transfers_per_batch = 256;

// Whether it pays to have a batch's requests under way at once.
bool goes_at_once(const RunningCall& call, Operation operation, int64_t requests) {
  if (call.opened.flush == plan::Flush::list) return false;
  return call.opened.flush == plan::Flush::batch || pays_at_once(operation, requests, call.opened.prices());
}

}  // namespace

Outcome move_batch(const RunningCall& call, Operation operation, std::span<const store::Transfer> batch) {
  int64_t end = 0, bytes = 0, requests = 0;
  for (const store::Transfer& transfer : batch) {
    if (transfer.offset != end || requests == 0) ++requests;
    end = transfer.offset + transfer.length;
    bytes += transfer.length;
  }
  const bool at_once = requests > 1 && goes_at_once(call, operation, requests);
  if (operation == Operation::read) return call.opened.storage.read(batch, at_once);
  if (auto status = write_plainly(call, batch, at_once); !status) return status.error();
  return bytes;
}

Outcome list_from(const RunningCall& call, const Request& request, int64_t from) {
  if (request.device)
    return run_of_device(call, request, from, [&](const Request& part) { return list_from(call, part, 0); });
  Pieces memory(*request.memory, from), file(*request.file, request.position + from);
  std::array<store::Transfer, transfers_per_batch> batch;
  int64_t moved = 0, left = request.bytes - from;
  while (left > 0) {
    size_t count = 0;
    const int64_t begin = request.bytes - left;
    int64_t batch_bytes = 0;
    int64_t reached = INT64_MIN;
    for (; count < batch.size() && left > 0; ++count) {
      pattern::Interval place = file.peek(left);
      if (place.begin < reached) break;  // a batch ascends; the end of file ends it
      pattern::Interval source = memory.peek(left);
      int64_t bytes = std::min(place.length(), source.length());
      batch[count] = {place.begin, request.buffer + source.begin, bytes};
      reached = place.begin + bytes;
      file.take(bytes);
      memory.take(bytes);
      batch_bytes += bytes;
      left -= bytes;
    }
    auto done = move_batch(call, request.operation, {batch.data(), count});
    if (!done) return done;
    moved += *done;
    if (request.arrivals && *done > 0) {
      if (auto status = request.arrivals->arrived(call.opened, {begin, begin + *done}); !status)
        return status.error();
    }
    // If offsets do not decrease, there is nothing more to read behind the end of the file; else later pieces
    // may lie before it.
    if (*done < batch_bytes && request.file->monotone_within(request.position + request.bytes)) break;
  }
  return moved;
}

Outcome run_list(const RunningCall& call, const Request& request, const plan::Plan&) {
  return list_from(call, request, 0);
}

}  // namespace concilio::exec
