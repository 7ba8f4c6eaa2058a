#include "exec/workspace.h"

#include <algorithm>

#include "plan/footprint.h"

namespace concilio {
namespace {

Status grow(Engine& engine, Buffer& buffer, int64_t bytes) {
  if (buffer.size() >= bytes) return {};
  buffer = Buffer();
  auto made = Buffer::allocate(engine.budget, bytes);
  if (!made) return made.error();
  buffer = std::move(*made);
  return {};
}

struct Missing {
  int64_t ranks, short_of_memory;
};
Missing combine(const Missing& a, const Missing& b) {
  return {a.ranks + b.ranks, a.short_of_memory + b.short_of_memory};
}

}  // namespace

Status Workspace::prepare(Engine& engine, const Plan& plan, bool& short_of_memory) {
  const int group = plan.group_of_node[static_cast<size_t>(engine.team.node())];
  const int64_t segment_bytes = group < 0 ? 0 : plan.groups[static_cast<size_t>(group)].segment_bytes;
  const auto own = std::find_if(plan.realms.begin(), plan.realms.end(),
                                [&](const Realm& realm) { return realm.aggregator == engine.team.rank(); });
  int64_t old_bytes = 0, staging_bytes = 0;
  if (own != plan.realms.end()) {
    if (plan.operation == Operation::write) old_bytes = own->window_bytes;
    if (plan.groups[static_cast<size_t>(group)].nodes.size() > 1)
      staging_bytes = 2 * message_bytes(own->image_bytes);
  }
  const int64_t in_all = std::max(segment_bytes, engine.team.segment_bytes()) / engine.team.local_size() +
                         std::max(old_bytes, old_bytes_.size()) + std::max(staging_bytes, staging_.size()) +
                         plan.behind_bytes;
  Missing missing{0, 0};
  if (in_all > engine.budget.limit_bytes()) {
    if (old_bytes_.size() > old_bytes) old_bytes_ = Buffer(), missing.short_of_memory = 1;
    if (staging_.size() > staging_bytes) staging_ = Buffer(), missing.short_of_memory = 1;
  }
  Status outcome = grow(engine, old_bytes_, old_bytes);
  if (outcome) outcome = grow(engine, staging_, staging_bytes);
  missing.ranks = !outcome.ok();
  if (!engine.team.allreduce(missing)) return engine.team.failure();
  short_of_memory = missing.short_of_memory > 0;
  if (missing.ranks > 0) {
    return outcome ? Error{ErrorKind::no_memory, 0, "another rank has no memory for its window"} : outcome;
  }
  segment_charge_ = Charge();
  auto segment = engine.team.segment(segment_bytes);
  if (!segment) return segment.error();
  segment_ = *segment;
  segment_charge_ = Charge(engine.budget, engine.team.segment_bytes() / engine.team.local_size());
  return {};
}

}  // namespace concilio
