#include "plan/one_call.h"

#include <gtest/gtest.h>

#include "plan/facts/prices.h"
#include "plan/plan.h"
#include "unit/plan_facts.h"

namespace concilio::plan::one_call_test {
namespace {

using test::interleaved;
using test::make_nodes;

// Facts of a collective call of so many ranks on a node of 2 cores, before anybody asks for anything.
Facts team_of(int ranks, Operation operation = Operation::write) {
  Facts facts = interleaved(operation, ranks, 64);
  facts.digest = {};
  return facts;
}

// Each rank makes `calls` calls for 8 bytes, in turns with the others, so that they fill the range.
LoneCalls small_calls(int64_t ranks, int64_t calls, const Facts& facts) {
  LoneCalls lone;
  lone.most = {calls, 8 * calls, calls};
  lone.all = {ranks * calls, 8 * ranks * calls, ranks * calls};
  lone.ranks = ranks;
  lone.range = {0, lone.all.bytes};
  lone.seconds_of_call = seconds_of_stretch(facts, 8);
  return lone;
}

TEST(OneCall, SmallCallsOfManyRanksAreGatheredByTwoPhase) {
  const Facts facts = team_of(4);
  const auto one = as_one_call(facts, small_calls(4, 100'000, facts));
  ASSERT_TRUE(one);
  EXPECT_EQ(one->method, Method::two_phase);
  EXPECT_LT(one->seconds, one->lone_seconds / 20);
}

TEST(OneCall, ThePriceIsThatOfTheCollectiveCall) {
  Facts facts = interleaved(Operation::write, 4, 8, 1 << 20);
  const auto one = as_one_call(team_of(4), small_calls(4, (1 << 20) / 8, facts));
  ASSERT_TRUE(one);
  facts.digest.granule = 1;
  const double price = plan(facts).candidates[Method::two_phase].predicted_seconds;
  EXPECT_NEAR(one->seconds, price, price / 10);
}

TEST(OneCall, RanksThatCallAtTheSameTimeShareTheCores) {
  const Facts facts = team_of(8);
  const LoneCalls calls = small_calls(8, 1000, facts);
  const auto one = as_one_call(facts, calls);
  ASSERT_TRUE(one);
  const double alone = 1000 * calls.seconds_of_call;
  EXPECT_GE(one->lone_seconds, 3.9 * alone);  // 8 ranks on 2 cores, whose page cache answers
  EXPECT_LE(one->lone_seconds, 8.1 * alone);
  LoneCalls uneven = calls;  // one rank has made nearly all of them
  uneven.most = {calls.all.calls, calls.all.bytes, calls.all.pieces};
  EXPECT_GE(as_one_call(facts, uneven)->lone_seconds, 7.9 * alone);
}

TEST(OneCall, LargeStretchesGainNothing) {
  const Facts facts = team_of(2);
  LoneCalls calls = small_calls(2, 8, facts);
  for (LoneCalls::Amounts* amounts : {&calls.all, &calls.most}) amounts->bytes *= 1 << 20;
  calls.range.end = calls.all.bytes;
  calls.seconds_of_call = seconds_of_stretch(facts, 8 << 20);
  const auto one = as_one_call(facts, calls);
  ASSERT_TRUE(one);
  EXPECT_GT(one->seconds, one->lone_seconds / 2);
}

TEST(OneCall, BytesThatWereWrittenTwiceNeedTwoCalls) {
  const Facts write = team_of(4), read = team_of(4, Operation::read);
  LoneCalls calls = small_calls(4, 100, write);
  calls.range.end /= 2;
  EXPECT_FALSE(as_one_call(write, calls));
  EXPECT_TRUE(as_one_call(read, calls));  // by another rank each time
  calls.range.end = calls.most.bytes - 1;
  EXPECT_FALSE(as_one_call(read, calls));
  EXPECT_FALSE(as_one_call(write, LoneCalls{}));
}

TEST(OneCall, HintsHoldForItToo) {
  Facts facts = team_of(4);
  facts.wishes.collective = Choice3::disable;
  const auto one = as_one_call(facts, small_calls(4, 1000, facts));
  ASSERT_TRUE(one);
  EXPECT_NE(one->method, Method::two_phase);
}

TEST(OneCall, ManyNodes) {
  Facts facts = team_of(1);
  facts.nodes = make_nodes(64, 64);
  const auto one = as_one_call(facts, small_calls(4096, 1000, facts));
  ASSERT_TRUE(one);
  EXPECT_GT(one->seconds, 0);
}

}  // namespace
}  // namespace concilio::plan::one_call_test
