#include "plan/layouts.h"

#include <algorithm>
#include <utility>

#include "plan/price.h"
#include "plan/realms.h"
#include "plan/two_phase.h"

namespace concilio {
namespace {

// On more nodes a layout takes longer to make than another could save.
constexpr size_t most_nodes = 64;
constexpr int64_t most_aggregators = 4;
// Where storage does not answer from memory, a larger window is one request for more bytes.
constexpr int64_t large_window_bytes = 4 << 20;
// Another layout than the first must be cheaper by so much: prices are not that exact.
constexpr double least_gain = 0.05;

struct Setting {
  int64_t aggregators_per_node, window_bytes;
  RealmPolicy realms;
};

std::vector<Setting> other_settings(const Facts& facts) {
  const Wishes& wishes = facts.wishes;
  const Setting first{wishes.aggregators_per_node, wishes.window_bytes, wishes.realms};
  // Realms of the file are for other calls too.
  if (facts.nodes.size() > most_nodes || realm_policy_row(chosen_policy(facts)).of_file) return {};
  std::vector<Setting> settings{first};
  const auto add = [&](auto&& change) {
    const size_t count = settings.size();
    for (size_t i = 0; i < count; ++i) {
      settings.push_back(settings[i]);
      change(settings.back());
    }
  };
  if (wishes.window_bytes == 0 && !prices_of(facts).from_memory)
    add([](Setting& setting) { setting.window_bytes = large_window_bytes; });
  // Where bytes lie unevenly.
  if (wishes.realms == RealmPolicy::automatic && !facts.buckets.empty() && facts.nodes.size() == 1)
    add([](Setting& setting) { setting.realms = RealmPolicy::balanced; });
  if (wishes.aggregators == 0 && wishes.aggregators_per_node == 0) {
    const size_t count = settings.size();
    const int64_t measured = facts.storage.aggregators_per_node;
    const int64_t most = measured > 0 ? std::min(measured, most_aggregators) : most_aggregators;
    for (int64_t aggregators = 1; aggregators <= most; aggregators *= 2) {
      for (size_t i = 0; i < count; ++i) {
        settings.push_back(settings[i]);
        settings.back().aggregators_per_node = aggregators;
      }
    }
  }
  settings.erase(settings.begin());
  return settings;
}

}  // namespace

Plan cheapest_layout(const Facts& facts, const std::vector<Interval>& spans) {
  const Prices& prices = prices_of(facts);
  Plan best;
  lay_out_two_phase(facts, spans, best);
  const std::vector<Setting> others = other_settings(facts);
  if (others.empty() || spans.empty()) return best;
  double least = cost_of_two_phase(facts, best, prices).seconds() * (1 - least_gain);
  Facts changed = facts;
  for (const Setting& setting : others) {
    changed.wishes.aggregators_per_node = setting.aggregators_per_node;
    changed.wishes.window_bytes = setting.window_bytes;
    changed.wishes.realms = setting.realms;
    Plan layout;
    lay_out_two_phase(changed, spans, layout);
    // A warning says what could not be had, and the first layout need not have asked for it.
    const double seconds = cost_of_two_phase(facts, layout, prices).seconds();
    if (layout.warning != best.warning || seconds >= least) continue;
    least = seconds;
    best = std::move(layout);
  }
  return best;
}

}  // namespace concilio
