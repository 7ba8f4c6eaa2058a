// Whether ranks mark what they want of a window before it is read.
#include "plan/choose/sparse_reads.h"

#include <gtest/gtest.h>

#include "plan/choose/cheapest_layout.h"
#include "plan/choose/method_table.h"
#include "plan/facts/prices.h"
#include "unit/plan_facts.h"

namespace concilio::plan::sparse_reads_test {
namespace {

constexpr int64_t KiB = 1 << 10;

// Two nodes of two ranks, or one of four, that read 1000 pieces each, `distance` bytes from one to the next.
Facts reading(int nodes, int64_t piece, int64_t distance) {
  Facts facts = test::interleaved(Operation::read, 4, piece, 1000 * piece);
  facts.nodes = test::make_nodes(nodes, 4 / nodes);
  facts.digest.end = 4000 * distance;
  return facts;
}

Layout layout_of(const Facts& facts) {
  return usual_layout(facts, {{facts.digest.first, facts.digest.end}});
}

TEST(SparseReads, AreMarkedWhereItSavesMoreThanItCosts) {
  struct Row {
    const char* situation;
    int nodes;
    int64_t piece, distance;
    ExchangeWish exchange;
    Choice3 sieving;
    bool marks;
  };
  constexpr auto any = ExchangeWish::automatic, images = ExchangeWish::images,
                 alltoallw = ExchangeWish::alltoallw;
  constexpr auto by_price = Choice3::automatic;
  const Row rows[] = {
      {"few bytes, far apart", 1, 64, 256 * KiB, any, by_price, true},
      {"few bytes, near each other: many requests cost more", 1, 64, 256, any, by_price, false},
      {"the same, but holes are not to be read", 1, 64, 256, any, Choice3::disable, true},
      {"holes are to be read", 1, 64, 256 * KiB, any, Choice3::enable, false},
      {"more than half is wanted", 1, 3 * KiB, 4 * KiB, any, Choice3::disable, false},
      {"nodes that describe their requests know without marks", 2, 64, 256 * KiB, any, by_price, false},
      {"nodes that have images do not", 2, 64, 256 * KiB, images, by_price, true},
      {"with MPI_Alltoallw wishes come too late", 2, 64, 256 * KiB, alltoallw, by_price, false},
  };
  for (const Row& row : rows) {
    Facts facts = reading(row.nodes, row.piece, row.distance);
    facts.wishes.exchange = row.exchange;
    facts.wishes.sieving = row.sieving;
    const Layout layout = layout_of(facts);
    ASSERT_EQ(layout.groups.size(), 1u);
    EXPECT_EQ(layout.groups[0].marks_wanted, row.marks) << row.situation;
  }
}

TEST(SparseReads, OfWritesNothingIsMarked) {
  Facts facts = reading(1, 64, 256 * KiB);
  facts.operation = Operation::write;
  EXPECT_FALSE(layout_of(facts).groups[0].marks_wanted);
}

TEST(SparseReads, CostWhatIsReadAndOneMeetingMore) {
  Facts facts = reading(1, 64, 256 * KiB);
  const Prices& prices = prices_of(facts);
  const double marked = cost_of_two_phase(facts, layout_of(facts), prices).seconds();
  facts.wishes.sieving = Choice3::enable;
  const double whole = cost_of_two_phase(facts, layout_of(facts), prices).seconds();
  EXPECT_LT(marked, whole / 2);
  // Where nothing is saved the meeting is all that differs.
  const Facts dense = reading(1, 64, 64);
  Layout layout = layout_of(dense);
  const double without = cost_of_two_phase(dense, layout, prices).seconds();
  layout.groups[0].marks_wanted = true;
  EXPECT_GT(cost_of_two_phase(dense, layout, prices).seconds(), without);
}

}  // namespace
}  // namespace concilio::plan::sparse_reads_test
