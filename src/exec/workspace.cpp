#include "exec/workspace.h"

#include <algorithm>

#include "base/exceptions.h"
#include "plan/layout/footprint.h"

namespace concilio {
namespace {

int64_t segment_bytes(const Engine& engine, const Plan& plan) {
  const int group = plan.group_of_node[static_cast<size_t>(engine.team.node())];
  return group < 0 ? 0 : plan.groups[static_cast<size_t>(group)].segment_bytes;
}

}  // namespace

Status Workspace::make_room(Engine& engine, const Plan& plan, bool& short_of_memory) {
  const auto own = std::find_if(plan.realms.begin(), plan.realms.end(),
                                [&](const Realm& realm) { return realm.aggregator == engine.team.rank(); });
  int64_t old_bytes = 0, staging_bytes = 0;
  if (own != plan.realms.end()) {
    if (plan.operation == Operation::write) old_bytes = own->window_bytes;
    if (plan.groups[static_cast<size_t>(own->group)].nodes.size() > 1)
      staging_bytes = 2 * message_bytes(own->image_bytes);
  }
  const int64_t segment = std::max(segment_bytes(engine, plan), engine.team.segment_bytes());
  const int64_t in_all = segment / engine.team.local_size() + std::max(old_bytes, old_bytes_.size()) +
                         std::max(staging_bytes, staging_.size()) + plan.behind_bytes;
  if (in_all > engine.budget.limit_bytes()) {
    if (old_bytes_.size() > old_bytes) old_bytes_ = Buffer(), short_of_memory = true;
    if (staging_.size() > staging_bytes) staging_ = Buffer(), short_of_memory = true;
  }
  return staging_.reserve(engine.budget, staging_bytes);
}

std::byte* Workspace::old_bytes(Engine& engine, int64_t bytes) {
  const Status made = without_exceptions([&] { return old_bytes_.reserve(engine.budget, bytes); });
  return made ? old_bytes_.data() : nullptr;
}

Status Workspace::share(Engine& engine, const Plan& plan) {
  segment_charge_ = Charge();
  segment_ = nullptr;
  auto segment = engine.team.segment(segment_bytes(engine, plan));
  if (!segment) return segment.error();
  segment_ = *segment;
  segment_charge_ = Charge(engine.budget, engine.team.segment_bytes() / engine.team.local_size());
  return {};
}

}  // namespace concilio
