#include "plan/choose/striped.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "base/checked.h"
#include "plan/choose/at_home.h"
#include "plan/choose/cost.h"
#include "plan/facts/logarithm.h"
#include "plan/layout/windows.h"

namespace concilio::plan {
namespace {

constexpr double natural_logarithm_of_2 = 0.693147180559945309;

// An aggregator and what it has still to do.
struct Client {
  double windows;         // that are left
  double window_seconds;  // of one target, for all bytes of a window
  double alone_seconds;   // that a window takes if nobody else is there
  double variance;        // of what a window brings to one target, summed over the targets
};

// What all clients together have under way.
struct UnderWay {
  double targets, window_seconds = 0, variance = 0;

  void add(const Client& client) {
    window_seconds += client.window_seconds;
    variance += client.variance;
  }
  // How long a client's next window takes. Its bytes wait at their targets for those of the others, and the
  // last of them at the target that has most to do: as balls in bins, the targets have `mean` each, and the
  // fullest has more the fewer targets a window reaches.
  double seconds_of_window(const Client& client) const {
    const double mean = (window_seconds - client.window_seconds) / targets;
    return mean +
           std::sqrt(2 * natural_logarithm_of_2 * binary_logarithm(targets) *
                     std::max(0.0, variance - client.variance) / targets) +
           client.alone_seconds;
  }
};

// So many requests a target works on at the same time.
constexpr double requests_of_target = 4;

// The parts on different stripes of all windows of a realm.
double parts_of(const Realm& realm, int64_t stripe_bytes) {
  int64_t parts = 0;
  for (const pattern::Interval& stretch : realm.positions)
    parts += ceil_divide(stretch.end, stripe_bytes) - floor_divide(stretch.begin, stripe_bytes);
  const bool between = realm.window_bytes % stripe_bytes == 0 && realm.alignment % stripe_bytes == 0;
  return static_cast<double>(between ? parts : parts + rounds_of(realm) - 1);
}

// After so many times that some have ended, the rest is taken to go on as it does then.
constexpr int most_phases = 32;

}  // namespace

std::optional<double> seconds_on_targets(const Facts& facts, const Layout& layout, const Prices& prices) {
  const StorageFacts& storage = facts.storage;
  if (facts.prices || storage.stripe_targets < 2 || storage.stripe_bytes <= 0 || layout.realms.empty())
    return {};
  const auto targets = static_cast<double>(storage.stripe_targets);
  const auto stripe = static_cast<double>(storage.stripe_bytes);
  const RequestSeconds one(prices.of(facts.operation).window, stripe);
  std::vector<Client> clients;
  std::map<int, int> of_node;  // aggregators
  for (const Realm& realm : layout.realms) ++of_node[realm.node];
  const AtHome at_home(facts, layout);
  double bytes = 0;
  UnderWay all{targets};
  for (const Realm& realm : layout.realms) {
    const auto windows = static_cast<double>(rounds_of(realm)), its_bytes = static_cast<double>(realm.bytes);
    if (windows <= 0) continue;
    bytes += its_bytes;
    const double window_bytes = its_bytes / windows;
    const double of_bytes = one.of_bytes / stripe;  // of one
    // Each part of a window on another stripe is one more request for its target.
    const double parts = parts_of(realm, storage.stripe_bytes) / windows;
    const double window_seconds = window_bytes * of_bytes + parts * one.latency / requests_of_target;
    const double stripes = std::clamp(parts, 1.0, targets);
    // What comes from other nodes of the group passes the node's link, which its aggregators share.
    const double link_seconds =
        window_bytes * (1 - at_home.part(realm)) * of_node[realm.node] / prices.network_bytes_per_second;
    // A window of several stretches is several requests at once, and their stripes are moved at the same
    // time.
    const double stretches = std::max(1.0, static_cast<double>(realm.positions.size()) / windows);
    const double longest = std::max(window_bytes / targets, std::min(window_bytes / stretches, stripe));
    const double alone_seconds = one.latency + std::max(longest * of_bytes, link_seconds);
    const double each = window_seconds / stripes;  // at one target
    clients.push_back(
        {windows, window_seconds, alone_seconds, stripes * each * each * (1 - stripes / targets)});
    all.add(clients.back());
  }
  if (static_cast<double>(facts.digest.bytes) < bytes) return {};
  double seconds = 0;
  for (int phase = 0; !clients.empty(); ++phase) {
    double first = -1, last = 0;
    for (const Client& client : clients) {
      const double left = client.windows * all.seconds_of_window(client);
      first = first < 0 ? left : std::min(first, left);
      last = std::max(last, left);
    }
    // Those that end at about the same time end together.
    const double step = phase == most_phases ? last : std::min(last, first * 1.02);
    seconds += step;
    UnderWay still{targets};
    std::erase_if(clients, [&](Client& client) {
      client.windows -= step / all.seconds_of_window(client);
      if (client.windows <= 0 || step == last) return true;
      still.add(client);
      return false;
    });
    all = still;
  }
  return seconds;
}

}  // namespace concilio::plan
