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
  int64_t ranks;
};
Missing combine(const Missing& a, const Missing& b) {
  return {a.ranks + b.ranks};
}

}  // namespace

Status Workspace::prepare(Engine& engine, const Plan& plan, Status so_far) {
  Status outcome = std::move(so_far);
  const int group = plan.group_of_node[static_cast<size_t>(engine.team.node())];
  const auto own = std::find_if(plan.realms.begin(), plan.realms.end(),
                                [&](const Realm& realm) { return realm.aggregator == engine.team.rank(); });
  if (outcome && own != plan.realms.end()) {
    if (plan.operation == Operation::write) outcome = grow(engine, old_bytes_, own->window_bytes);
    if (outcome && plan.groups[static_cast<size_t>(group)].nodes.size() > 1)
      outcome = grow(engine, staging_, 2 * message_bytes(own->image_bytes));
  }
  Missing missing{!outcome.ok()};
  engine.team.allreduce(missing);
  if (missing.ranks > 0) {
    return outcome ? Error{ErrorKind::no_memory, 0, "another rank has no memory for its window"} : outcome;
  }
  segment_charge_ = Charge();
  auto segment = engine.team.segment(group < 0 ? 0 : plan.groups[static_cast<size_t>(group)].segment_bytes);
  if (!segment) return segment.error();
  segment_ = *segment;
  segment_charge_ = Charge(engine.budget, engine.team.segment_bytes() / engine.team.local_size());
  return {};
}

}  // namespace concilio
