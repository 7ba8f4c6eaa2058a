// Facts and plans of ranks that ask alike are those of all their ranks.
#include "sim/alike.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plan/facts/digest.h"
#include "plan/plan.h"
#include "plan/show/explain.h"
#include "sim/density.h"
#include "sim/gather.h"
#include "sim/pattern.h"
#include "unit/plan_facts.h"

namespace concilio::sim::alike_test {
namespace {

class Random {
 public:
  explicit Random(uint64_t seed) : random_(seed) {}
  int64_t below(int64_t most) { return static_cast<int64_t>(random_() % static_cast<uint64_t>(most)); }
  bool chance(int64_t one_in) { return below(one_in) == 0; }
  int64_t magnitude(int bits) { return 1 + below(int64_t{1} << (1 + below(bits))); }

 private:
  std::mt19937_64 random_;
};

std::string random_pattern(Random& random) {
  switch (random.below(4)) {
    case 0:
      return "contiguous";
    case 1:
      return fmt::format("interleaved:{}", random.magnitude(14));
    case 2:
      return fmt::format("extent:{}/{}", random.magnitude(14), 1 + random.below(100));
    default:
      return fmt::format("hpio:{}/{}{}", random.magnitude(10), random.chance(3) ? 0 : random.magnitude(10),
                         random.chance(2) ? ":contigmem" : "");
  }
}

struct Case {
  std::string text;
  Machine machine;
  int ranks = 0;
  int64_t bytes_per_rank = 0;
  Operation operation = Operation::write;
  plan::Wishes wishes;
};

Case random_case(Random& random) {
  Case made;
  made.text = random_pattern(random);
  const int64_t nodes = random.magnitude(4), most = random.magnitude(4);
  const bool equal = random.chance(2);
  for (int64_t node = 0; node < nodes; ++node) {
    made.machine.ranks_of_node.push_back(equal ? most : 1 + random.below(most));
    made.ranks += static_cast<int>(made.machine.ranks_of_node.back());
  }
  for (int64_t i = 0, listed = random.below(4); i < listed; ++i)
    made.machine.node_memory.push_back(random.magnitude(30));
  made.machine.cores_per_node = 1 + random.below(8);
  made.machine.storage.kind = static_cast<plan::StorageFacts::Kind>(random.below(5));
  if (random.chance(2)) {
    made.machine.storage.stripe_bytes = int64_t{1} << random.below(21);
    made.machine.storage.stripe_targets = 1 + random.below(4);
  }
  made.bytes_per_rank = random.magnitude(20);
  if (random.chance(2)) made.operation = Operation::read;
  plan::Wishes& wishes = made.wishes;
  wishes.realms = static_cast<plan::RealmPolicy>(random.below(7));  // all but the user's
  wishes.placement = static_cast<plan::Placement>(random.below(3));
  wishes.groups = !random.chance(3);
  if (!random.chance(4)) wishes.forced_method = static_cast<int32_t>(plan::Method::two_phase);
  if (random.chance(3)) wishes.aggregators = random.magnitude(4);
  if (random.chance(3)) wishes.aggregators_per_node = 1 + random.below(3);
  if (random.chance(3)) wishes.window_bytes = random.magnitude(20);
  if (random.chance(3)) wishes.alignment_bytes = random.magnitude(14);
  if (random.chance(3)) wishes.memory_limit_bytes = random.magnitude(24);
  if (random.chance(3)) wishes.group_bytes = random.magnitude(22);
  if (random.chance(3)) wishes.domain_bytes = random.magnitude(20);
  if (random.chance(4)) wishes.exchange = plan::ExchangeWish::images;
  return made;
}

TEST(Alike, FactsAndPlansAreThoseOfAllRanks) {
  Random random(16);
  int by_nodes = 0;
  for (int i = 0; i < test::cases(2000); ++i) {
    const Case its = random_case(random);
    Result<Pattern> pattern = make_pattern(its.text, {its.ranks, its.bytes_per_rank});
    ASSERT_TRUE(pattern.ok()) << its.text;
    ASSERT_TRUE(pattern->alike.has_value());
    const plan::Facts together = gather(*pattern, 0, its.machine, its.operation, its.wishes);
    pattern->alike.reset();
    const plan::Facts one_by_one = gather(*pattern, 0, its.machine, its.operation, its.wishes);
    // The JSON has the facts, among them the nodes' spans, and everything of the plan.
    ASSERT_EQ(explain_json(together, plan::plan(together)), explain_json(one_by_one, plan::plan(one_by_one)))
        << "case " << i << ": " << its.text << " on " << its.ranks << " ranks";
    by_nodes += together.nodes.size() > 1 && !together.buckets.empty();
  }
  EXPECT_GT(by_nodes, test::cases(400));
}

TEST(Alike, RastersAreThoseOfAllRanks) {
  Random random(18);
  for (int i = 0; i < test::cases(300); ++i) {
    const Case its = random_case(random);
    Result<Pattern> pattern = make_pattern(its.text, {its.ranks, its.bytes_per_rank});
    ASSERT_TRUE(pattern.ok()) << its.text;
    const plan::Digest digest = gather(*pattern, 0, its.machine, its.operation, its.wishes).digest;
    const auto raster = [&] {
      return raster_of(*pattern, 0, its.machine, {digest.first, digest.end}, 50, 20);
    };
    const Raster together = raster();
    pattern->alike.reset();
    const Raster one_by_one = raster();
    ASSERT_EQ(together.rows.size(), one_by_one.rows.size());
    for (size_t row = 0; row < together.rows.size(); ++row)
      ASSERT_EQ(together.rows[row].bytes_of_column, one_by_one.rows[row].bytes_of_column) << its.text;
  }
}

TEST(Alike, PatternsSayWhetherTheirRanksDo) {
  for (const PatternRow& row : pattern_rows()) {
    const std::string name = row.words.name;
    const std::string text = name == "interleaved"                  ? "interleaved:48"
                             : name == "hpio"                       ? "hpio:48/16"
                             : name == "extent"                     ? "extent:4096/10"
                             : name == "ior" || name == "mpiiotest" ? name + ":1000"
                                                                    : name;
    const Result<Pattern> pattern = make_pattern(text, {9, 50000});
    ASSERT_TRUE(pattern.ok()) << text;
    EXPECT_EQ(pattern->alike.has_value(), row.alike) << text;
  }
  EXPECT_EQ(names_of_alike(), "contiguous, interleaved, hpio, extent");
}

// A million nodes of a thousand ranks. What is slow with sanitizers is left to the command.
TEST(Alike, ABillionRanksAreFewFacts) {
  const Result<Pattern> pattern = make_pattern("interleaved:64", {1'000'000'000, 1 << 20});
  ASSERT_TRUE(pattern.ok());
  const plan::Digest first =
      plan::digest_of(pattern->request(0, 0).file, pattern->request(0, 0).memory, 0, 1 << 20);
  const plan::Digest all = pattern->alike->digest_of_all(first, 1'000'000'000);
  EXPECT_EQ(all.ranks, 1'000'000'000);
  EXPECT_EQ(all.bytes, int64_t{1'000'000'000} << 20);
  EXPECT_EQ(all.file_pieces, int64_t{1'000'000'000} << 14);
  EXPECT_EQ(all.end, int64_t{1'000'000'000} << 20);
  EXPECT_EQ(all.granule, 64);
}

}  // namespace
}  // namespace concilio::sim::alike_test
