#include "simulation/machine_prices.h"

#include <algorithm>

namespace concilio::tools {

namespace {

constexpr double nano = 1e-9;

// Bytes a second between a target with these costs and a client that has a link of `link_rate`.
double rate_of_target(const store::ThrottleCosts& costs, double link_rate) {
  if (costs.bytes_per_second <= 0) return link_rate;
  return std::min(static_cast<double>(costs.bytes_per_second), link_rate);
}

// Of one direction.
plan::RequestPrices request_prices(const store::ThrottleCosts& costs, int64_t seek_ns, double target_rate,
                                   const plan::AtOnce& at_once) {
  const auto targets = static_cast<double>(costs.targets);
  const double request_seconds = static_cast<double>(costs.request_ns) * nano;
  plan::RequestPrices prices;
  prices.at_once = at_once;
  prices.adjoining = plan::Curve::line(request_seconds, target_rate);
  // Windows of several aggregators take turns at a target, and so its head goes to and fro.
  prices.scattered = prices.window =
      plan::Curve::line(request_seconds + static_cast<double>(seek_ns) * nano, target_rate);
  // Storage whose clients wait only for themselves serves any number of them.
  constexpr double any_number = 1 << 20;
  const double served = costs.streams > 0 ? targets * static_cast<double>(costs.streams) : any_number;
  prices.clients_small = plan::Curve::up_to(served);
  prices.clients_large = plan::Curve::up_to(costs.streams > 0 ? targets : any_number);
  return prices;
}

}  // namespace

plan::Prices machine_prices(const DescribedMachine& machine, const store::ThrottleCosts& costs) {
  plan::Prices prices = plan::builtin_prices(machine.modelled_storage.value_or(plan::StorageFacts{}));
  const double target_rate = rate_of_target(costs, machine.rate_to_storage());
  prices.read = request_prices(costs, costs.read_seek_ns, target_rate, prices.read.at_once);
  prices.write = request_prices(costs, costs.write_seek_ns, target_rate, prices.write.at_once);
  prices.window_bytes_per_second = target_rate;
  prices.from_memory = false;
  prices.of_target = true;
  if (costs.streams > 0) prices.requests_of_target = static_cast<double>(costs.streams);
  prices.node_bytes_per_second = machine.rate_to_storage();
  prices.window_piece_seconds = static_cast<double>(costs.request_ns) * nano;
  prices.lock_seconds = 2 * static_cast<double>(costs.lock_ns) * nano;
  prices.copy = plan::Curve::line(0, machine.core_copy_rate);
  prices.message = plan::Curve::line(machine.network_latency_s, machine.network_rate);
  prices.network_bytes_per_second = machine.network_rate;
  // To wake a rank up takes no simulated time, and nor does what MPI does with datatypes.
  prices.synchronise_seconds = prices.oversubscribed_seconds = prices.datatype_piece_seconds = 0;
  return prices;
}

}  // namespace concilio::tools
