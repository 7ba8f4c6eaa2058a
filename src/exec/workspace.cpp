#include "exec/workspace.h"

#include <algorithm>

#include "exec/exchange.h"
#include "exec/images.h"

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

Status Workspace::prepare(Engine& engine, const Plan& plan) {
  Status outcome;
  bool aggregates = std::any_of(plan.realms.begin(), plan.realms.end(),
                                [&](const Realm& realm) { return realm.aggregator == engine.team.rank(); });
  if (aggregates) {
    if (plan.operation == Operation::write) outcome = grow(engine, old_bytes_, plan.window_bytes);
    if (outcome && engine.team.nodes().size() > 1)
      outcome = grow(engine, staging_, 2 * Exchange::message_bytes(plan));
  }
  Missing missing{!outcome.ok()};
  engine.team.allreduce(missing);
  if (missing.ranks > 0) {
    return outcome ? Error{ErrorKind::no_memory, 0, "another rank has no memory for its window"} : outcome;
  }
  segment_charge_ = Charge();
  auto segment = engine.team.segment(plan.segment_bytes);
  if (!segment) return segment.error();
  segment_ = *segment;
  segment_charge_ = Charge(engine.budget, engine.team.segment_bytes() / engine.team.local_size());
  return {};
}

}  // namespace concilio
