// Facts of patterns that are only described.
#include "sim/gather.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plan/plan.h"

namespace concilio::sim::gather_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Machine machine_of(std::vector<int64_t> ranks_of_node) {
  Machine machine;
  machine.ranks_of_node = std::move(ranks_of_node);
  machine.cores_per_node = 2;
  return machine;
}

Pattern made(const char* text, int ranks, int64_t bytes_per_rank) {
  Result<Pattern> pattern = make_pattern(text, {ranks, bytes_per_rank});
  EXPECT_TRUE(pattern.ok()) << text;
  return *pattern;
}

plan::Wishes two_phase() {
  plan::Wishes wishes;
  wishes.forced_method = static_cast<int32_t>(plan::Method::two_phase);
  return wishes;
}

TEST(Gather, EachNodeTellsWhereItsOwnBytesLie) {
  const Pattern pattern = made("contiguous", 5, 1000);
  const plan::Facts facts = gather(pattern, 0, machine_of({2, 3}), Operation::write, two_phase());
  EXPECT_EQ(facts.digest.ranks, 5);
  EXPECT_EQ(facts.digest.bytes, 5000);
  EXPECT_EQ(facts.digest.end, 5000);
  EXPECT_EQ(facts.digest.file_pieces, 5);
  ASSERT_EQ(facts.nodes.size(), 2u);
  EXPECT_THAT(facts.nodes[0].spans, ElementsAre(pattern::Interval{0, 2000}));
  EXPECT_THAT(facts.nodes[1].spans, ElementsAre(pattern::Interval{2000, 5000}));
  EXPECT_EQ(facts.nodes[1].bytes, 3000);
  EXPECT_THAT(facts.nodes[1].candidates, ElementsAre(2, 3, 4));
}

TEST(Gather, BucketsHoldEveryByteOnce) {
  for (const PatternRow& row : pattern_rows()) {
    const std::string name = row.words.name;
    const std::string text = name == "interleaved" ? "interleaved:48"
                             : name == "hpio"      ? "hpio:48/16"
                             : name == "extent"    ? "extent:4096/10"
                             : name == "ior"       ? "ior:1000"
                             : name == "mpiiotest" ? "mpiiotest:1000"
                                                   : name;
    const Pattern pattern = made(text.c_str(), 9, 50000);
    const plan::Facts facts = gather(pattern, 0, machine_of({3, 3, 3}), Operation::read, two_phase());
    int64_t asked = 0, in_buckets = 0, of_nodes = 0;
    for (int rank = 0; rank < 9; ++rank) asked += pattern.request(rank, 0).bytes;
    for (const plan::Bucket& bucket : facts.buckets) in_buckets += bucket.bytes;
    for (const plan::NodeFacts& node : facts.nodes) of_nodes += node.bytes;
    EXPECT_GT(asked, 0) << text;
    EXPECT_EQ(facts.digest.bytes, asked) << text;
    EXPECT_EQ(in_buckets, asked) << text;
    EXPECT_EQ(of_nodes, asked) << text;
  }
}

TEST(Gather, MoreRanksOnANodeThanMayAggregate) {
  const plan::Facts facts =
      gather(made("interleaved:64", 20, 640), 0, machine_of({20}), Operation::write, plan::Wishes{});
  EXPECT_EQ(facts.nodes[0].candidates.size(), static_cast<size_t>(plan::most_candidates));
}

TEST(Gather, ListOfMemoryBeginsAgain) {
  Machine machine = machine_of({1, 1, 1});
  machine.node_memory = {100, 200};
  const plan::Facts facts = gather(made("contiguous", 3, 10), 0, machine, Operation::write, plan::Wishes{});
  EXPECT_EQ(facts.nodes[0].free_bytes, 100);
  EXPECT_EQ(facts.nodes[1].free_bytes, 200);
  EXPECT_EQ(facts.nodes[2].free_bytes, 100);
}

TEST(Gather, NoBucketsWhereThePlanNeedsNone) {
  const plan::Facts facts =
      gather(made("contiguous", 4, 1 << 20), 0, machine_of({2, 2}), Operation::write, plan::Wishes{});
  EXPECT_TRUE(facts.buckets.empty());
  EXPECT_EQ(plan::plan(facts).method, plan::Method::independent);
}

TEST(Gather, LaterTimeStepLiesBehindEarlierOnes) {
  const Pattern pattern = made("timesteps:4:10/8", 2, 400);
  EXPECT_EQ(pattern.calls, 4);
  EXPECT_EQ(gather(pattern, 0, machine_of({2}), Operation::write, plan::Wishes{}).digest.first, 0);
  EXPECT_EQ(gather(pattern, 3, machine_of({2}), Operation::write, plan::Wishes{}).digest.first, 3 * 80);
}

TEST(Patterns, WhatIsWrongIsNamedWithItsRemedy) {
  const auto error = [](const char* text, Size size) {
    const Result<Pattern> pattern = make_pattern(text, size);
    return pattern ? std::string("none") : pattern.error().message;
  };
  EXPECT_THAT(error("interleaved", {2, 100}), HasSubstr("write interleaved:B"));
  EXPECT_THAT(error("interleaved:0", {2, 100}), HasSubstr("write interleaved:B"));
  EXPECT_THAT(error("hpio:8", {2, 100}), HasSubstr("write hpio:SIZE/SPACING"));
  EXPECT_THAT(error("extent:8/101", {2, 100}), HasSubstr("write extent:BYTES/PERCENT"));
  EXPECT_THAT(error("block3d:24", {2, 100}), HasSubstr("write block3d[:EDGE/BYTES]"));
  EXPECT_THAT(error("block3d:24/3", {2, 100}), HasSubstr("4 or 8 bytes"));
  EXPECT_THAT(error("block3d:24/4", {5, 100}), HasSubstr("24 cells cannot be cut into 5"));
  EXPECT_THAT(error("block4d:0", {2, 100}), HasSubstr("write block4d[:BYTES]"));
  EXPECT_THAT(error("contiguous:8", {2, 100}), HasSubstr("takes no parameter"));
  EXPECT_THAT(error("spiral", {2, 100}), HasSubstr("there are contiguous, interleaved"));
  EXPECT_THAT(error("unstruc:1", {1000, 1 << 20}), HasSubstr("take fewer ranks or bytes a rank"));
  for (const char* text :
       {"contiguous", "interleaved:64", "interleaved:4K", "block3d", "block4d:1", "btio", "timesteps"})
    EXPECT_THAT(error(text, {1 << 20, INT64_MAX / 4}), HasSubstr("larger than files can be")) << text;
}

}  // namespace
}  // namespace concilio::sim::gather_test
