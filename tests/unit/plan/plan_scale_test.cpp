// Planning for 100 000 ranks on 10 000 nodes must take less than a second and 64 MiB.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <new>
#include <string>

#include "plan/layout/realms.h"
#include "plan/plan.h"
#include "unit/plan_facts.h"

namespace {

// Bytes that are allocated now, and their peak.
std::atomic<int64_t> held_bytes{0}, most_bytes{0};
constexpr size_t head_bytes = alignof(std::max_align_t);

void* counted(size_t bytes) {
  auto* block = static_cast<char*>(std::malloc(bytes + head_bytes));
  if (block == nullptr) throw std::bad_alloc();
  *reinterpret_cast<size_t*>(block) = bytes;
  const int64_t held = held_bytes += static_cast<int64_t>(bytes);
  if (held > most_bytes) most_bytes = held;
  return block + head_bytes;
}

void uncounted(void* pointer) {
  if (pointer == nullptr) return;
  char* block = static_cast<char*>(pointer) - head_bytes;
  held_bytes -= static_cast<int64_t>(*reinterpret_cast<size_t*>(block));
  std::free(block);
}

}  // namespace

void* operator new(size_t bytes) {
  return counted(bytes);
}
void* operator new(size_t bytes, const std::nothrow_t&) noexcept {
  try {
    return counted(bytes);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}
void operator delete(void* pointer) noexcept {
  uncounted(pointer);
}
void operator delete(void* pointer, size_t) noexcept {
  uncounted(pointer);
}

namespace concilio::plan::plan_scale_test {
namespace {

using test::Layout;

constexpr int nodes = test::cases(10000), ranks_per_node = 10;
constexpr int64_t KiB = 1 << 10, MiB = 1 << 20;

struct Case {
  const char* name;
  Layout layout;
  int64_t blocks, gap;
  bool clustered = false;  // every other part of the range is a hole
};
constexpr Case cases[] = {
    {"serial", Layout::serial, 1, 0},
    {"serial with holes", Layout::serial, 1, 64 * KiB},
    {"interleaved", Layout::interleaved, 40, 0},
    {"variables", Layout::variables, 6, 0},
    {"variables with holes", Layout::variables, 6, 8 * KiB},
    {"clusters", Layout::interleaved, 40, 0, true},
};

// The memory of the nodes: the same on all, different on each, or too little on most.
enum class Memory { equal, uneven, scarce };

void give(Facts& facts, Memory memory) {
  std::mt19937_64 random(81);
  for (NodeFacts& node : facts.nodes) {
    const auto mib = static_cast<int64_t>(random() % 4096);
    if (memory == Memory::uneven) node.free_bytes = (64 + mib) * MiB;
    if (memory == Memory::scarce) node.free_bytes = mib < 4000 ? 12 * MiB : 64 * MiB;
  }
}

Facts facts_of(const Case& its) {
  Facts facts = test::interleaved(Operation::write, 1, 64, 64);
  facts.nodes = test::make_nodes(nodes, ranks_per_node);
  test::gather(facts, test::data_laid_out(its.layout, nodes, 0, ranks_per_node * MiB, its.blocks, its.gap));
  for (size_t i = 0; its.clustered && i < facts.buckets.size(); i += 2) facts.buckets[i] = {};
  facts.wishes.forced_method = static_cast<int32_t>(Method::two_phase);
  return facts;
}

struct Cost {
  double seconds = 0;
  int64_t bytes = 0;
  size_t groups = 0, realms = 0;
};

Cost cost_of_planning(const Facts& facts) {
  const int64_t before = held_bytes;
  most_bytes = before;
  const auto begin = std::chrono::steady_clock::now();
  const Plan made = plan(facts);
  Cost cost;
  cost.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  cost.bytes = most_bytes - before;
  cost.groups = made.groups.size();
  cost.realms = made.realms.size();
  return cost;
}

class PlanningForTenThousandNodes : public ::testing::TestWithParam<Case> {};

TEST_P(PlanningForTenThousandNodes, IsQuickAndSmallByEveryPolicy) {
  std::map<std::string, Cost> most;
  Facts facts = facts_of(GetParam());
  for (const Memory memory : {Memory::equal, Memory::uneven, Memory::scarce}) {
    give(facts, memory);
    for (const RealmPolicyRow& row : realm_policy_rows()) {
      if (row.policy == RealmPolicy::user) continue;
      facts.wishes.realms = row.policy;
      for (const bool groups : {true, false}) {
        facts.wishes.groups = groups;
        const Cost cost = cost_of_planning(facts);
        EXPECT_GT(cost.realms, 0u) << row.name;
        EXPECT_GE(cost.realms, cost.groups) << row.name;
        Cost& its_most = most[row.name];
        its_most.seconds = std::max(its_most.seconds, cost.seconds);
        its_most.bytes = std::max(its_most.bytes, cost.bytes);
      }
    }
  }
  for (const auto& [policy, cost] : most) {
    const double mib = static_cast<double>(cost.bytes) / MiB;
    std::printf("%-20s %-10s at most %3.0f ms, %4.1f MiB\n", GetParam().name, policy.c_str(),
                cost.seconds * 1e3, mib);
    // Three times the limit that is promised, because machines may be slow or busy.
    EXPECT_LT(cost.seconds, 3.0) << policy;
    EXPECT_LT(cost.bytes, 64 * MiB) << policy;
  }
}

INSTANTIATE_TEST_SUITE_P(Layouts, PlanningForTenThousandNodes, ::testing::ValuesIn(cases),
                         [](const auto& row) {
                           std::string name = row.param.name;
                           std::replace(name.begin(), name.end(), ' ', '_');
                           return name;
                         });

}  // namespace
}  // namespace concilio::plan::plan_scale_test
