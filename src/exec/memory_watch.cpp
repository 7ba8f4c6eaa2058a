#include "exec/memory_watch.h"

#include <algorithm>
#include <bit>

#include "base/checked.h"
#include "base/exceptions.h"
#include "base/waiting.h"
#include "mpi/nodes/node_facts.h"
#include "plan/layout/footprint.h"
#include "plan/layout/windows.h"

namespace concilio::exec {
namespace {

// To ask the system takes some ten microseconds.
constexpr int64_t look_every_ns = 1'000'000'000;

int64_t steady(int64_t bytes) {
  if (bytes < 8) return bytes;
  return align_down(bytes, static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(bytes)) / 8));
}

}  // namespace

int64_t available_memory(int64_t held_bytes) {
  return steady(checked_add(mpi::free_memory_bytes(), held_bytes).value_or(INT64_MAX));
}

MemoryWatch::MemoryWatch(const plan::Facts& facts, const plan::Layout& layout, int node)
    : watches_(facts.wishes.node_memory_bytes.empty()),
      enough_bytes_(plan::enough_memory(facts, facts.nodes[static_cast<size_t>(node)])),
      held_bytes_(plan::node_bytes(layout, node)),
      looked_ns_(now_ns()) {
  planned_bytes_ = std::min(facts.nodes[static_cast<size_t>(node)].free_bytes, enough_bytes_);
}

bool MemoryWatch::has_changed() {
  if (!watches_ || now_ns() - looked_ns_ < look_every_ns) return false;
  looked_ns_ = now_ns();
  int64_t now_bytes = planned_bytes_;
  if_there_is_memory([&] { now_bytes = std::min(available_memory(held_bytes_), enough_bytes_); });
  return now_bytes < planned_bytes_ / 2 || now_bytes / 2 > planned_bytes_;
}

}  // namespace concilio::exec
