#include "exec/windows/flush.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "exec/call/plain_write.h"

namespace concilio::exec {
namespace {

struct Covered {
  pattern::Interval range;  // from the first covered byte to behind the last
  plan::WindowShape shape;
};

Covered measure(const WindowPart& part) {
  Covered coverage{{part.file.end, part.file.begin}, {}};
  int64_t from = part.file.begin;
  for (;;) {
    pattern::Interval covered = part.map.next_covered(from);
    if (covered.empty()) break;
    coverage.range.begin = std::min(coverage.range.begin, covered.begin);
    coverage.range.end = covered.end;
    coverage.shape.covered_bytes += covered.length();
    coverage.shape.starts_bytes = covered.begin - coverage.range.begin;
    ++coverage.shape.runs;
    from = covered.end;
  }
  coverage.shape.range_bytes = coverage.range.length();
  return coverage;
}

store::Transfer transfer_of(const WindowPart& part, pattern::Interval range) {
  return {range.begin, part.data + (range.begin - part.file.begin), range.length()};
}

Status write_pieces(const RunningCall& call, const WindowPart& part, bool at_once) {
  std::array<store::Transfer, 256> batch;
  size_t count = 0;
  int64_t from = part.file.begin;
  for (;;) {
    pattern::Interval covered = part.map.next_covered(from);
    if (!covered.empty()) batch[count++] = transfer_of(part, covered);
    if (count == batch.size() || (covered.empty() && count > 0)) {
      if (auto status = write_plainly(call, {batch.data(), count}, at_once); !status) return status;
      count = 0;
    }
    if (covered.empty()) return {};
    from = covered.end;
  }
}

Status read_modify_write(const RunningCall& call, const WindowPart& part, pattern::Interval range,
                         std::byte* old) {
  RangeLock guard(call.opened.storage, range.begin, range.length());
  if (call.guard != WriteGuard::held) {
    if (auto status = guard.acquire(store::LockMode::exclusive); !status) return status;
  }
  auto got = call.opened.storage.read(std::array{store::Transfer{range.begin, old, range.length()}});
  if (!got) return got.error();
  std::memset(old + *got, 0, static_cast<size_t>(range.length() - *got));
  {
    Stopwatch time(call.opened.counters, Counter::copy_ns);
    for (int64_t from = range.begin;;) {
      pattern::Interval hole = part.map.next_hole(from);
      if (hole.empty() || hole.begin >= range.end) break;
      hole.end = std::min(hole.end, range.end);
      std::memcpy(part.data + (hole.begin - part.file.begin), old + (hole.begin - range.begin),
                  static_cast<size_t>(hole.length()));
      from = hole.end;
    }
  }
  return guard.release(call.opened.storage.write(std::array{transfer_of(part, range)}));
}

Status flush_holey(const RunningCall& call, const WindowPart& part, const Covered& coverage, RoomForOld old) {
  plan::FlushRules rules{call.opened.flush, call.opened.flush_threshold, call.may_rewrite_holes()};
  plan::Flush flush = choose_flush(coverage.shape, rules, call.opened.prices());
  if (flush == plan::Flush::read_modify_write) {
    // All other ranks are in this call, but their threads may have other calls under way.
    const RewritePermit permit(call.opened.rewriting,
                               call.opened.concurrent && call.guard == WriteGuard::announced);
    std::byte* const room = permit.granted() ? old() : nullptr;
    if (room) {
      ++call.opened.counters[Counter::windows_rmw];
      return read_modify_write(call, part, coverage.range, room);
    }
    rules.may_rewrite = false;
    flush = choose_flush(coverage.shape, rules, call.opened.prices());
  }
  const bool at_once = flush == plan::Flush::batch;
  ++call.opened.counters[at_once ? Counter::windows_batch : Counter::windows_list];
  return write_pieces(call, part, at_once);
}

}  // namespace

Status flush_window(const RunningCall& call, std::span<WindowPart> parts, RoomForOld old) {
  std::vector<store::Transfer> whole;
  for (const WindowPart& part : parts) {
    if (part.map.full()) {
      whole.push_back(transfer_of(part, part.file));
      continue;
    }
    Covered coverage = measure(part);
    if (coverage.shape.covered_bytes == 0) continue;
    if (coverage.shape.covered_bytes == coverage.shape.range_bytes) {
      whole.push_back(transfer_of(part, coverage.range));
    } else if (auto status = flush_holey(call, part, coverage, old); !status) {
      return status;
    }
  }
  if (whole.empty()) return {};
  ++call.opened.counters[Counter::windows_whole];
  return write_plainly(call, whole);
}

}  // namespace concilio::exec
