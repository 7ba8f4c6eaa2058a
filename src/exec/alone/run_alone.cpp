#include "exec/alone/run_alone.h"

#include <algorithm>
#include <array>

#include "base/checked.h"
#include "exec/alone/methods.h"
#include "exec/locks/range_lock.h"

namespace concilio::exec {
namespace {

// One function for each method; null if the ranks carry out the method together (Collective::carry_out).
#define RUN_alone(name) run_##name
#define RUN_together(name) nullptr
#define METHOD(name, ranks, writes, summary) RUN_##ranks(name),
constexpr std::array<Outcome (*)(const RunningCall&, const Request&, const plan::Plan&), plan::method_count>
    methods = {
#include "base/methods.def"
};
#undef RUN_alone
#undef RUN_together

// Whether `bytes` bytes of the access from `position` on are contiguous; `bytes` is at least 1.
bool is_one_piece(const pattern::Access& access, int64_t position, int64_t bytes) {
  return access.is_contiguous() || (access.monotone_within(position + bytes) &&
                                    access.bounds(position, position + bytes).length() == bytes);
}

// A client of network storage may write back whole pages of its cache, and with them old contents of bytes
// that others have written meanwhile. A rank that locks whole pages reads them anew, and they are written
// back before the lock is free.
pattern::Interval pages_around(pattern::Interval range) {
  constexpr int64_t page_bytes = 64 << 10;  // the largest that clients have
  const int64_t end = std::min(range.end, INT64_MAX - page_bytes);
  return {align_down(range.begin, page_bytes), std::max(range.end, align_up(end, page_bytes))};
}

// Whether calls of this file lock all that they touch.
bool is_atomic(const OpenFile& opened) {
  return opened.atomic && (opened.team.size() > 1 || opened.concurrent);
}

// Ranks of one node share the pages of its client, so only a write of an open with several nodes needs that.
// Another open may be on another node all the same. Its neighbouring bytes stay because Linux's NFS client
// makes a write a whole page only if nobody on the node has a lock on the file (nfs_can_extend_write), and
// every open that writes has one: its mark. Without a mark, each write locks its range.
bool locks_pages(const OpenFile& opened, Operation operation) {
  return operation == Operation::write && opened.pages_differ() && opened.locks_work;
}

}  // namespace

bool is_one_stretch(const Request& request) {
  return request.bytes > 0 && is_one_piece(*request.file, request.position, request.bytes) &&
         is_one_piece(*request.memory, 0, request.bytes);
}

bool needs_no_plan(const Request& request) {
  constexpr int64_t small_bytes = 16 << 10;
  return is_one_stretch(request) || (request.bytes > 0 && request.bytes <= small_bytes &&
                                     is_one_piece(*request.file, request.position, request.bytes));
}

bool needs_no_lock(const OpenFile& opened, Operation operation) {
  if (is_atomic(opened)) return false;
  return operation == Operation::read || !(locks_pages(opened, operation) || opened.locks_every_write());
}

Outcome run_alone(const RunningCall& call, const Request& request, const plan::Plan& plan) {
  if (request.bytes == 0) return 0;
  const auto run = methods[static_cast<size_t>(plan.method)];
  const bool atomic = is_atomic(call.opened), by_page = locks_pages(call.opened, request.operation);
  if (atomic || by_page) {
    const pattern::Interval bounds = request.bounds(), range = by_page ? pages_around(bounds) : bounds;
    if (atomic || !(range == bounds && range.length() == request.bytes)) {
      const bool reads = request.operation == Operation::read;
      RangeLock whole_range(call.opened.storage, range.begin, range.length());
      if (auto status = whole_range.acquire(reads ? store::LockMode::shared : store::LockMode::exclusive);
          !status)
        return status.error();
      return whole_range.release(run(call.holding_lock(), request, plan));
    }
  }
  return run(call, request, plan);
}

}  // namespace concilio::exec
