// Plans as pictures.
#include "sim/picture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/drawing/drawing.h"

namespace concilio::sim::picture_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

struct Case {
  const char* pattern;
  int nodes, ranks_per_node;
  plan::RealmPolicy policy = plan::RealmPolicy::automatic;
  int64_t bytes_per_rank = 1 << 20;
};

std::string drawn(const Case& given, const std::string& title = "title") {
  Machine machine;
  machine.ranks_of_node.assign(static_cast<size_t>(given.nodes), given.ranks_per_node);
  const int ranks = given.nodes * given.ranks_per_node;
  const Pattern pattern = *make_pattern(given.pattern, {ranks, given.bytes_per_rank});
  plan::Wishes wishes;
  wishes.realms = given.policy;
  wishes.forced_method = static_cast<int32_t>(plan::Method::two_phase);
  const plan::Facts facts = gather(pattern, 0, machine, Operation::write, wishes);
  const pattern::Interval range{facts.digest.first, facts.digest.end};
  const Raster raster = raster_of(pattern, 0, machine, range, picture_columns(ranks), picture_rows);
  return picture_of(facts, plan::plan(facts), raster, title);
}

// Every tag is closed in the right order, and no attribute has an invalid number.
void expect_well_formed(const std::string& svg) {
  std::vector<std::string> open;
  for (size_t at = svg.find('<'); at != std::string::npos; at = svg.find('<', at + 1)) {
    const size_t end = svg.find_first_of("<>", at + 1);
    ASSERT_NE(end, std::string::npos);
    ASSERT_EQ(svg[end], '>');
    const std::string tag = svg.substr(at + 1, end - at - 1);
    const std::string name = tag.substr(0, tag.find(' '));
    if (tag.back() == '/') {
      EXPECT_EQ(std::count(tag.begin(), tag.end(), '"') % 2, 0) << tag;
    } else if (name[0] != '/') {
      open.push_back(name);
    } else {
      ASSERT_FALSE(open.empty());
      ASSERT_EQ("/" + open.back(), name);
      open.pop_back();
    }
  }
  EXPECT_TRUE(open.empty());
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
  EXPECT_THAT(svg, Not(HasSubstr("inf\"")));
  EXPECT_THAT(svg, Not(HasSubstr("width=\"-")));
}

TEST(Picture, WellFormedWhateverThePolicy) {
  for (const plan::RealmPolicy policy :
       {plan::RealmPolicy::even, plan::RealmPolicy::aligned, plan::RealmPolicy::persistent,
        plan::RealmPolicy::cyclic, plan::RealmPolicy::balanced, plan::RealmPolicy::tree}) {
    for (const char* pattern : {"interleaved:64", "btio", "hpio:100/7", "timesteps"})
      expect_well_formed(drawn({pattern, 3, 3, policy, 100000}));
  }
}

TEST(Picture, NamesRealmsGroupsAndNodes) {
  const std::string svg = drawn({"contiguous", 3, 2, plan::RealmPolicy::tree, 4 << 20});
  for (const char* word : {"group 2", "node 2", "ranks 4-5", "realm 0: rank 0 on node 0", "8 MiB"})
    EXPECT_THAT(svg, HasSubstr(word));
}

TEST(Picture, ManyRanksMakeNoLargePicture) {
  const std::string svg = drawn({"interleaved:64", 500, 10, plan::RealmPolicy::automatic, 10000});
  expect_well_formed(svg);
  EXPECT_LT(svg.size(), size_t{2} << 20);
}

TEST(Picture, TitleWithLettersThatXmlKeepsForItself) {
  const std::string svg = drawn({"contiguous", 2, 1}, "a<b> & \"c\"\n");
  expect_well_formed(svg);
  EXPECT_THAT(svg, HasSubstr("a&lt;b&gt; &amp; &quot;c&quot; <"));
}

TEST(Raster, BytesOfAllColumnsAreThoseOfTheRank) {
  Machine machine;
  machine.ranks_of_node = {2, 2};
  const Pattern pattern = *make_pattern("hpio:100/33", {4, 5000});
  const pattern::Interval range{0, 4 * 50 * 133};
  const Raster raster = raster_of(pattern, 0, machine, range, 37, 100);
  ASSERT_EQ(raster.rows.size(), 4u);
  for (const Raster::Row& row : raster.rows) {
    double bytes = 0;
    for (const double one : row.bytes_of_column) bytes += one;
    EXPECT_DOUBLE_EQ(bytes, 5000);
  }
}

TEST(Raster, MoreNodesThanRows) {
  Machine machine;
  machine.ranks_of_node.assign(25, 3);
  const Pattern pattern = *make_pattern("contiguous", {75, 10});
  const Raster raster = raster_of(pattern, 0, machine, {0, 750}, 10, 10);
  ASSERT_EQ(raster.rows.size(), 9u);
  EXPECT_EQ(raster.rows.back().nodes, 1u);
  EXPECT_EQ(raster.rows[1].first_rank, 9);
  EXPECT_EQ(raster.rows[1].ranks, 9);
}

TEST(Raster, OfFactsAloneHasTheirBytes) {
  Machine machine;
  machine.ranks_of_node = {2, 2};
  plan::Wishes wishes;
  wishes.forced_method = static_cast<int32_t>(plan::Method::two_phase);
  const Pattern pattern = *make_pattern("contiguous", {4, 1000});
  const plan::Facts facts = gather(pattern, 0, machine, Operation::write, wishes);
  const Raster raster = raster_of(facts, 10, 100);
  ASSERT_EQ(raster.rows.size(), 2u);
  EXPECT_NEAR(raster.rows[0].bytes_of_column[0], 400, 1e-6);
  EXPECT_NEAR(raster.rows[0].bytes_of_column[9], 0, 1e-6);
  EXPECT_NEAR(raster.rows[1].bytes_of_column[9], 400, 1e-6);
}

TEST(Svg, NumbersAreShort) {
  EXPECT_EQ(svg_number(12), "12");
  EXPECT_EQ(svg_number(0.25), "0.25");
  EXPECT_EQ(svg_number(-0.001), "0");
}

}  // namespace
}  // namespace concilio::sim::picture_test
