// The experiment of "Memory-Conscious Collective I/O for Extreme Scale HPC Systems", figures 6 to 8, by the
// planner's prices: plans for hosts whose memory is drawn at random, against plain two-phase I/O with equal
// buffers that together take as much memory.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "base/settings/config.h"
#include "plan/choose/cheapest_layout.h"
#include "plan/facts/prices.h"
#include "plan/facts/wishes.h"
#include "plan/plan.h"
#include "sim/gather.h"
#include "unit/plan_facts.h"

namespace concilio::plan::memory_conscious_test {
namespace {

constexpr int64_t MiB = 1 << 20;
constexpr int ranks_per_node = 12;

using Hints = std::vector<std::pair<const char*, const char*>>;

struct Experiment {
  const char* pattern;
  int nodes;
  int64_t buffer_bytes;
  Operation operation;
};

// Amounts from a normal distribution with a standard deviation of 50 MiB, none below an eighth of the mean,
// and scaled so that the hosts have as much as with equal buffers.
std::vector<int64_t> drawn(const Experiment& its, unsigned seed) {
  std::mt19937_64 random(seed);
  const auto mean = static_cast<double>(its.buffer_bytes);
  std::vector<double> amounts(static_cast<size_t>(its.nodes));
  for (double& amount : amounts) {
    // Twelve even numbers add up to a normal one, the same with every library.
    double sum = -6;
    for (int i = 0; i < 12; ++i) sum += static_cast<double>(random() >> 11) / static_cast<double>(1ULL << 53);
    amount = std::max(mean + sum * 50 * MiB, mean / 8);
  }
  const double all = std::accumulate(amounts.begin(), amounts.end(), 0.0);
  std::vector<int64_t> out;
  for (const double amount : amounts) out.push_back(static_cast<int64_t>(amount * mean * its.nodes / all));
  return out;
}

// The predicted time of a call.
double seconds(const Experiment& its, std::vector<int64_t> node_memory, const Hints& hints) {
  const Result<sim::Pattern> pattern = sim::make_pattern(its.pattern, {its.nodes * ranks_per_node, 32 * MiB});
  sim::Machine machine;
  machine.ranks_of_node.assign(static_cast<size_t>(its.nodes), ranks_per_node);
  machine.node_memory = std::move(node_memory);
  machine.cores_per_node = ranks_per_node;
  machine.storage.kind = StorageFacts::Kind::parallel;
  machine.storage.stripe_bytes = MiB;
  machine.storage.stripe_targets = 16;
  Config config = Config::defaults();
  for (const auto& [name, value] : hints)
    EXPECT_TRUE(config.set(name, value, Config::Origin::info).ok()) << name;
  const Facts facts = sim::gather(*pattern, 0, machine, its.operation, wishes_of(config, its.operation));
  return price_of_layout(facts, plan::plan(facts), prices_of(facts)).seconds;
}

double plain(const Experiment& its) {
  return seconds(its, {its.buffer_bytes},
                 {{"concilio_method", "two_phase"},
                  {"concilio_memory_limit", "1G"},
                  {"concilio_groups", "off"},
                  {"concilio_placement", "first"},
                  {"concilio_realms", "even"},
                  {"cb_config_list", "*:1"}});
}

double conscious(const Experiment& its, unsigned seed, const char* memory_min) {
  return seconds(its, drawn(its, seed),
                 {{"concilio_method", "two_phase"},
                  {"concilio_memory_limit", "1G"},
                  {"concilio_memory_min", memory_min}});
}

// Calls f(experiment) for 120 and 1080 processes and buffers of 8 to 32 MiB.
template <typename F>
void for_each_experiment(const char* pattern, F&& f) {
  for (const int nodes : {10, 90}) {
    for (const int64_t mib : {8, 16, 32}) {
      for (const Operation operation : {Operation::write, Operation::read})
        f(Experiment{pattern, nodes, mib * MiB, operation});
    }
  }
}

// Prices are no more exact than this; below it another layout is not taken.
constexpr double exact = 0.05;
// Where most hosts have hardly any memory, the few others share their links among several aggregators, and
// their windows reach the targets less evenly than equal ones do.
constexpr double few_hosts = 0.25;

TEST(MemoryConscious, InterleavedDataAreAsFastAsInEqualBuffersOnAverageHoweverMemoryIsDrawn) {
  double sum = 0;
  int cases = 0;
  for_each_experiment("interleaved:65536", [&](const Experiment& its) {
    const double equal = plain(its);
    for (unsigned seed = 1; seed <= 3; ++seed) {
      const double ratio = equal / conscious(its, seed, "0");
      EXPECT_GE(ratio, 1 - few_hosts)
          << its.nodes << " nodes, " << its.buffer_bytes / MiB << " MiB, seed " << seed;
      sum += ratio;
      ++cases;
    }
  });
  EXPECT_GE(sum / cases, 1 - exact);
}

// What hosts must have is chosen so that the plan is no dearer than with a fixed amount.
TEST(MemoryConscious, ChosenMinimumIsAsGoodAsAnyFixedOne) {
  for_each_experiment("block3d", [&](const Experiment& its) {
    const double chosen = conscious(its, 1, "0");
    for (const char* const fixed : {"16M", "1M", "1"})
      EXPECT_LE(chosen, conscious(its, 1, fixed) * (1 + exact))
          << fixed << ", " << its.nodes << " nodes, " << its.buffer_bytes / MiB << " MiB";
  });
}

// Where every host has enough, nothing else is tried.
TEST(MemoryConscious, PlansOfHostsWithEnoughMemoryDoNotChange) {
  const Experiment its{"interleaved:65536", 10, 64 * MiB, Operation::write};
  EXPECT_EQ(
      seconds(its, {64 * MiB}, {{"concilio_aggregators_per_node", "1"}}),
      seconds(its, {64 * MiB}, {{"concilio_aggregators_per_node", "1"}, {"concilio_memory_min", "16M"}}));
}

}  // namespace
}  // namespace concilio::plan::memory_conscious_test
