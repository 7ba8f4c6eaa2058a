#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "plan/plan.h"
#include "plan/show/explain.h"
#include "unit/plan_facts.h"

namespace concilio {
namespace {

using nlohmann::json;
using test::contiguous;
using test::interleaved;
using test::make_nodes;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(Reason, OfTwoPhaseCountsRequestsAndWindows) {
  EXPECT_THAT(
      plan(interleaved(Operation::write, 2, 64)).reason,
      HasSubstr("two_phase: 1048576 pieces of about 64 B would need 1048576 requests alone; together 64 "
                "windows of 1 MiB do (predicted "));
}

TEST(Reason, SaysThatAMethodIsOnlyTried) {
  Facts facts = interleaved(Operation::read, 4, 65536);
  const Plan first = plan(facts);
  EXPECT_THAT(first.reason, Not(HasSubstr("a trial")));
  // It takes as long as predicted: sooner or later another has its turn, which is predicted to be slower.
  const double seconds = first.candidates[static_cast<size_t>(first.method)].seconds;
  Plan next = first;
  for (int call = 0; call < 1000 && next.method == first.method; ++call) {
    EXPECT_THAT(next.reason, Not(HasSubstr("a trial")));
    facts.experience.add(first.method, seconds);
    next = plan(facts);
  }
  ASSERT_NE(next.method, first.method);
  EXPECT_THAT(next.reason, HasSubstr("a trial, as it may be faster: predicted "));
}

TEST(Reason, ComparesWithTheNextBestThatIsLegal) {
  EXPECT_THAT(plan(contiguous(Operation::write, 2)).reason, HasSubstr("against"));
  Facts facts = interleaved(Operation::write, 2, 64);
  facts.collective = facts.locks_work = false;
  EXPECT_THAT(plan(facts).reason, Not(HasSubstr("against")));
}

TEST(ExplainText, TwoPhaseShowsCallCandidatesRealmsAndMemory) {
  const Facts facts = interleaved(Operation::write, 4, 64);
  const std::string text = explain_text(facts, plan(facts));
  EXPECT_THAT(text,
              HasSubstr("collective write by 4 ranks on 1 node: 128 MiB in 2097152 pieces of the file"));
  EXPECT_THAT(text, HasSubstr("* two_phase"));
  EXPECT_THAT(text, HasSubstr("not possible: a rank's bytes lie in up to 524288 pieces of the file"));
  EXPECT_THAT(text, HasSubstr("2 realms in 1 group, at most 64 rounds"));
  EXPECT_THAT(text, HasSubstr("[67108864, 134217728)"));
  EXPECT_THAT(text, HasSubstr("memory of a rank: "));
  EXPECT_THAT(text, Not(HasSubstr("warning")));
}

TEST(ExplainText, ManyRealmsAreCutShort) {
  Facts facts = interleaved(Operation::write, 40, 64);
  facts.nodes = make_nodes(20, 2);
  EXPECT_THAT(explain_text(facts, plan(facts)), HasSubstr("... 4 more"));
}

TEST(ExplainText, WarningIsShown) {
  Facts facts = interleaved(Operation::write, 4, 64);
  facts.wishes.memory_limit_bytes = 10;
  EXPECT_THAT(explain_text(facts, plan(facts)), HasSubstr("warning: the memory limit of 10 B a rank"));
}

TEST(ExplainText, OtherMethodsShowNoRealms) {
  const Facts facts = contiguous(Operation::read, 2);
  EXPECT_THAT(explain_text(facts, plan(facts)), Not(HasSubstr("realm")));
}

TEST(ExplainJson, HoldsWhatThePlanHolds) {
  const Facts facts = interleaved(Operation::write, 4, 64);
  const Plan made = plan(facts);
  const json out = json::parse(explain_json(facts, made));
  EXPECT_EQ(out["method"], "two_phase");
  EXPECT_EQ(out["reason"], made.reason);
  EXPECT_EQ(out["facts"]["digest"]["bytes"], facts.digest.bytes);
  EXPECT_EQ(out["facts"]["nodes"][0]["candidates"].size(), 4u);
  ASSERT_EQ(out["candidates"].size(), static_cast<size_t>(method_count));
  EXPECT_EQ(out["candidates"][0]["legal"], false);
  EXPECT_TRUE(out["candidates"][0]["seconds"].is_null());
  EXPECT_DOUBLE_EQ(out["candidates"][1]["seconds"].get<double>(), made.candidates[1].seconds);
  EXPECT_EQ(out["two_phase"]["window_bytes"], made.window_bytes);
  ASSERT_EQ(out["two_phase"]["realms"].size(), made.realms.size());
  EXPECT_EQ(out["two_phase"]["realms"][1]["spans"][0][0], made.realms[1].positions[0].begin);
  EXPECT_EQ(out["two_phase"]["realms"][1]["rounds"], 64);
  EXPECT_EQ(out["peak_bytes"], made.peak_bytes);
}

TEST(ExplainJson, OtherMethodsHaveNoTwoPhasePart) {
  const Facts facts = contiguous(Operation::read, 2);
  EXPECT_FALSE(json::parse(explain_json(facts, plan(facts))).contains("two_phase"));
}

}  // namespace
}  // namespace concilio
