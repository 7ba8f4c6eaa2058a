#include "simulation/predicted.h"

#include <algorithm>
#include <utility>

#include "plan/choose/cheapest_layout.h"
#include "plan/choose/method_table.h"

namespace concilio::tools {

plan::Profile profile_of(const DescribedMachine& machine, std::string throttle) {
  plan::Profile profile;
  profile.hosts = {"*"};
  profile.throttle = std::move(throttle);
  profile.prices = machine.prices;
  return profile;
}

double predicted_seconds(const plan::Facts& facts, const plan::Plan& plan, const DescribedMachine& machine) {
  plan::Facts its = facts;
  // So many cores use up what a node copies.
  its.cores_per_node = std::clamp<int64_t>(static_cast<int64_t>(machine.copy_rate / machine.core_copy_rate),
                                           1, facts.cores_per_node);
  const double seconds = plan.method == plan::Method::two_phase
                             ? plan::price_of_layout(its, plan, machine.prices).seconds
                             : plan::method_row(plan.method).cost(its, plan, machine.prices).seconds();
  const auto bytes = static_cast<double>(facts.digest.bytes);
  double rate = machine.rate_to_storage() * static_cast<double>(facts.nodes.size());
  for (const double of_storage : {machine.storage_rate, machine.targets_rate}) {
    if (of_storage > 0) rate = std::min(rate, of_storage);
  }
  return std::max(seconds, bytes / rate);
}

}  // namespace concilio::tools
