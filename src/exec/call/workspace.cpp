#include "exec/call/workspace.h"

#include <algorithm>

#include "base/exceptions.h"
#include "plan/layout/footprint.h"

namespace concilio::exec {
namespace {

int64_t segment_bytes(const OpenFile& opened, const plan::Plan& plan) {
  const int group = plan.group_of_node[static_cast<size_t>(opened.team.node())];
  if (group < 0) return 0;
  return plan::segment_bytes(plan, plan.groups[static_cast<size_t>(group)], opened.team.node());
}

}  // namespace

Status Workspace::make_room(const OpenFile& opened, const plan::Plan& plan, int64_t limit_bytes,
                            bool& short_of_memory) {
  const auto own = std::find_if(plan.realms.begin(), plan.realms.end(), [&](const plan::Realm& realm) {
    return realm.aggregator == opened.team.rank();
  });
  int64_t old_bytes = 0, staging_bytes = 0;
  if (own != plan.realms.end()) {
    if (plan.operation == Operation::write && plan.may_have_holes) old_bytes = own->window_bytes;
    const plan::Group& group = plan.groups[static_cast<size_t>(own->group)];
    const bool travels = group.nodes.size() > 1;
    if (travels && plan.exchange == plan::ExchangeStrategy::descriptions)
      staging_bytes = own->slots * staging_part_bytes(plan, group, own->window_bytes);
    if (travels && plan.exchange == plan::ExchangeStrategy::images)
      staging_bytes = 2 * plan::message_bytes(own->image_bytes);
  }
  const int64_t segment = std::max(segment_bytes(opened, plan), opened.team.segment_bytes());
  // What kept plans for writes may take of it later counts too.
  if (plan.operation == Operation::write) most_old_bytes_ = std::max(most_old_bytes_, old_bytes);
  const int64_t in_all = segment / opened.team.local_size() + std::max(most_old_bytes_, old_bytes_.size()) +
                         std::max(staging_bytes, staging_.size()) + plan.behind_bytes;
  if (in_all + plan.told_bytes + opened.sieve_room.size() > limit_bytes) opened.sieve_room.drop();
  if (in_all > limit_bytes) {
    if (std::max(most_old_bytes_, old_bytes_.size()) > old_bytes) {
      old_bytes_ = Buffer();
      most_old_bytes_ = old_bytes;
      short_of_memory = true;
    }
    if (staging_.size() > staging_bytes) staging_ = Buffer(), short_of_memory = true;
  }
  return staging_.reserve(opened.budget, staging_bytes);
}

std::byte* Workspace::old_bytes(const OpenFile& opened, int64_t bytes) {
  if (old_bytes_.size() < bytes) opened.sieve_room.drop();
  const Status made = without_exceptions([&] { return old_bytes_.reserve(opened.budget, bytes); });
  return made ? old_bytes_.data() : nullptr;
}

Status Workspace::share(const OpenFile& opened, const plan::Plan& plan) {
  segment_charge_ = Charge();
  // The team may have one from an earlier file, with more bytes than this file's memory limit leaves room
  // for.
  const int64_t bytes = segment_bytes(opened, plan), more = opened.team.segment_bytes() - bytes;
  if (!segment_ && more > 0 && plan.peak_bytes + more > opened.budget.limit_bytes())
    opened.team.give_back_segment();
  segment_ = nullptr;
  auto segment = opened.team.segment(bytes);
  if (!segment) return segment.error();
  segment_ = *segment;
  segment_charge_ = Charge(opened.budget, opened.team.segment_bytes() / opened.team.local_size());
  return {};
}

}  // namespace concilio::exec
