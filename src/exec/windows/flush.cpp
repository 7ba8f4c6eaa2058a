#include "exec/windows/flush.h"

#include <array>
#include <cstring>
#include <vector>

#include "exec/call/plain_write.h"

namespace concilio::exec {
namespace {

plan::WindowShape shape_of(const pattern::CoverageMap::Summary& covered) {
  return {covered.range.length(), covered.bytes, covered.stretches, covered.last_begin - covered.range.begin};
}

store::Transfer transfer_of(const WindowPart& part, pattern::Interval range) {
  return {range.begin, part.data + (range.begin - part.file.begin), range.length()};
}

Status write_pieces(const RunningCall& call, const WindowPart& part, bool at_once) {
  std::array<store::Transfer, 256> batch;
  size_t count = 0;
  for (const pattern::Interval covered : part.map.covered()) {
    if (count == batch.size()) {
      if (auto status = write_plainly(call, batch, at_once); !status) return status;
      count = 0;
    }
    batch[count++] = transfer_of(part, covered);
  }
  return write_plainly(call, {batch.data(), count}, at_once);  // something is covered
}

Status read_modify_write(const RunningCall& call, const WindowPart& part,
                         const pattern::CoverageMap::Summary& covered, std::byte* old) {
  const pattern::Interval range = covered.range;
  RangeLock guard(call.opened.storage, range.begin, range.length());
  if (call.guard != WriteGuard::held) {
    if (auto status = guard.acquire(store::LockMode::exclusive); !status) return status;
  }
  auto got = call.opened.storage.read(std::array{store::Transfer{range.begin, old, range.length()}});
  if (!got) return got.error();
  std::memset(old + *got, 0, static_cast<size_t>(range.length() - *got));
  store::Transfer whole = transfer_of(part, range);
  {
    Stopwatch time(call.opened.counters, Counter::copy_ns);
    // Whichever is less is copied to the other.
    if (covered.bytes < range.length() / 2) {
      part.map.copy_covered(covered, old, whole.data);
      whole.data = old;
    } else {
      part.map.fill_holes(covered, whole.data, old);
    }
  }
  return guard.release(call.opened.storage.write(std::array{whole}));
}

Status flush_holey(const RunningCall& call, const WindowPart& part,
                   const pattern::CoverageMap::Summary& covered, int64_t writers, RoomForOld old) {
  plan::FlushRules rules{call.opened.flush, call.opened.flush_threshold, call.may_rewrite_holes(), writers};
  const plan::WindowShape shape = shape_of(covered);
  plan::Flush flush = choose_flush(shape, rules, call.opened.prices());
  if (flush == plan::Flush::read_modify_write) {
    // All other ranks are in this call, but their threads may have other calls under way.
    const RewritePermit permit(call.opened.rewriting,
                               call.opened.concurrent && call.guard == WriteGuard::announced);
    std::byte* const room = permit.granted() ? old() : nullptr;
    if (room) {
      ++call.opened.counters[Counter::windows_rmw];
      return read_modify_write(call, part, covered, room);
    }
    rules.may_rewrite = false;
    flush = choose_flush(shape, rules, call.opened.prices());
  }
  const bool at_once = flush == plan::Flush::batch;
  ++call.opened.counters[at_once ? Counter::windows_batch : Counter::windows_list];
  return write_pieces(call, part, at_once);
}

}  // namespace

bool stretches_go_at_once(const RunningCall& call, size_t stretches) {
  return stretches > 1 && call.opened.flush != plan::Flush::list && !call.opened.prices().from_memory;
}

Status flush_window(const RunningCall& call, std::span<WindowPart> parts, int64_t writers, RoomForOld old) {
  std::vector<store::Transfer> whole;
  for (const WindowPart& part : parts) {
    if (part.map.full()) {
      whole.push_back(transfer_of(part, part.file));
      continue;
    }
    const pattern::CoverageMap::Summary covered = part.map.summary();
    if (covered.stretches == 0) continue;
    if (covered.stretches == 1) {
      whole.push_back(transfer_of(part, covered.range));
    } else if (auto status = flush_holey(call, part, covered, writers, old); !status) {
      return status;
    }
  }
  if (whole.empty()) return {};
  ++call.opened.counters[Counter::windows_whole];
  return write_plainly(call, whole, stretches_go_at_once(call, whole.size()));
}

}  // namespace concilio::exec
