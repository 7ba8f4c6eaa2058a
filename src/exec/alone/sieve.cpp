#include "exec/alone/sieve.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#include "base/checked.h"
#include "exec/alone/list.h"
#include "exec/alone/methods.h"
#include "exec/call/plain_write.h"

namespace concilio::exec {
namespace {

// One window of a sieving write. `data`, which covers all or some of [window.begin, window.end), is written
// by way of `buffer`.
struct SieveWindow {
  pattern::Interval window, data;
  std::byte* buffer;

  bool whole() const { return data.length() == window.length(); }  // a monotone access touches no byte twice
  store::Transfer transfer() const { return {window.begin, buffer, window.length()}; }
  Status fill(const RunningCall& call, const Request& request) const {
    Stopwatch time(call.opened.counters, Counter::copy_ns);
    return request.copy_to({request.file, data.begin, buffer, window.begin}, data.begin - request.position,
                           data.length());
  }
};

Status write_whole(const RunningCall& call, const Request& request, const SieveWindow& window) {
  if (auto status = window.fill(call, request); !status) return status;
  return write_plainly(call, std::array{window.transfer()});
}

Status rewrite(const RunningCall& call, const Request& request, const SieveWindow& window) {
  const int64_t length = window.window.length();
  RangeLock guard(call.opened.storage, window.window.begin, length);
  if (call.guard != WriteGuard::held) {
    if (auto status = guard.acquire(store::LockMode::exclusive); !status) return status;
  }
  auto got = call.opened.storage.read(std::array{window.transfer()});
  if (!got) return got.error();
  std::memset(window.buffer + *got, 0, static_cast<size_t>(length - *got));
  auto status = window.fill(call, request);
  if (status) status = call.opened.storage.write(std::array{window.transfer()});
  return guard.release(std::move(status));
}

}  // namespace

Outcome sieve(const RunningCall& call, const Request& request, int64_t buffer_bytes) {
  pattern::Interval range = request.bounds();
  buffer_bytes = std::clamp<int64_t>(buffer_bytes, 1, std::max<int64_t>(1, range.length()));
  // To allocate memory takes as long as many a small request.
  std::array<std::byte, 4096> small;
  KeptBuffer::Loan large(call.opened.sieve_room);
  if (buffer_bytes > std::ssize(small)) {
    if (Status room = large.reserve(call.opened.budget, buffer_bytes); !room) return room.error();
  }
  std::byte* const buffer = large.data() ? large.data() : small.data();
  // A device copies straight to and from the buffer, which is pinned if the call is so long that it pays.
  PinnedSlices pinned(buffer, buffer_bytes, large.data() && request.device && request.device->pays_to_pin());
  const DeviceLink::Reach reach(request.device, pinned);
  const int64_t end = request.position + request.bytes;
  int64_t moved = 0;
  std::optional<RewritePermit> permit;  // obtained when it is first needed
  for (int64_t position = request.position; position < end;) {
    pattern::Interval data{position, end}, window = range;
    if (buffer_bytes < range.length()) {
      window.begin = request.file->offset_of(position);
      data.end = std::min(end, request.file->data_before(saturating_add(window.begin, buffer_bytes)));
      window.end = request.file->bounds(position, data.end).end;
    }
    if (request.operation == Operation::write) {
      const SieveWindow part{window, data, buffer};
      const bool whole = part.whole();
      // In atomic mode, and where every write locks its range, other ranks need not be watched on the board:
      // they lock what they write.
      if (!whole && !permit) permit.emplace(call.opened.rewriting, call.guard == WriteGuard::announced);
      if (!whole && !permit->granted()) {
        auto rest = list_from(call, request, moved);
        return rest ? Outcome(moved + *rest) : rest;
      }
      auto status = whole ? write_whole(call, request, part) : rewrite(call, request, part);
      if (!status) return status.error();
    } else {
      auto got = call.opened.storage.read(std::array{store::Transfer{window.begin, buffer, window.length()}});
      if (!got) return got.error();
      bool ended = *got < window.length();
      if (ended) data.end = std::min(data.end, request.file->data_before(window.begin + *got));
      Stopwatch time(call.opened.counters, Counter::copy_ns);
      if (auto status = request.copy_from({request.file, position, buffer, window.begin},
                                          position - request.position, data.length());
          !status)
        return status.error();
      if (ended) return moved + data.length();
    }
    moved += data.length();
    position = data.end;
  }
  return moved;
}

Outcome run_sieve(const RunningCall& call, const Request& request, const plan::Plan& plan) {
  return sieve(call, request, plan.buffer_bytes);
}

}  // namespace concilio::exec
