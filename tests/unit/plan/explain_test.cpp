#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "plan/choose/method_table.h"
#include "plan/plan.h"
#include "plan/show/candidate_json.h"
#include "plan/show/explain.h"
#include "plan/show/reason_text.h"
#include "unit/plan_facts.h"

namespace concilio::plan::explain_test {
namespace {

using nlohmann::json;
using test::contiguous;
using test::interleaved;
using test::make_nodes;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(Reason, OfTwoPhaseCountsRequestsAndWindows) {
  EXPECT_THAT(
      text_of(plan(interleaved(Operation::write, 2, 64)).reason),
      HasSubstr("two_phase: 1048576 pieces of about 64 B would need 1048576 requests alone; together 64 "
                "windows of 1 MiB do (predicted "));
}

TEST(Reason, SaysThatAMethodIsOnlyTried) {
  Facts facts = interleaved(Operation::read, 4, 65536);
  const Plan first = plan(facts);
  EXPECT_THAT(text_of(first.reason), Not(HasSubstr("a trial")));
  // It takes as long as predicted. Sooner or later another method is tried, which is predicted to be slower.
  const double seconds = first.candidates[first.method].predicted_seconds;
  Plan next = first;
  for (int call = 0; call < 1000 && next.method == first.method; ++call) {
    EXPECT_THAT(text_of(next.reason), Not(HasSubstr("a trial")));
    facts.experience.add(first.method, seconds);
    next = plan(facts);
  }
  ASSERT_NE(next.method, first.method);
  EXPECT_THAT(text_of(next.reason), HasSubstr("a trial, as it may be faster: predicted "));
}

TEST(Reason, ComparesWithTheNextBestThatIsLegal) {
  EXPECT_THAT(text_of(plan(contiguous(Operation::write, 2)).reason), HasSubstr("against"));
  Facts facts = interleaved(Operation::write, 2, 64);
  facts.collective = facts.locks_work = false;
  EXPECT_THAT(text_of(plan(facts).reason), Not(HasSubstr("against")));
}

// For every method that a call may take, all placeholders of the sentence must be filled.
TEST(Reason, NamesWhatSpeaksForEachMethod) {
  Facts facts = interleaved(Operation::write, 2, 64);
  facts.may_map = true;
  facts.storage.kind = StorageFacts::Kind::memory;
  const std::string pieces = "1048576 pieces of about 64 B ";
  const std::pair<Method, std::string> expected[] = {
      {Method::independent, "each rank's bytes are one stretch of the file"},
      {Method::list, pieces + "are worth a request each"},
      {Method::sieve, pieces + "would need 1048576 requests alone; requests of 512 KiB take the holes along"},
      {Method::two_phase, pieces + "would need 1048576 requests alone; together 0 windows of 0 B do"},
      {Method::mapped, pieces + "are copied straight to the file's pages in this node's memory"}};
  ASSERT_EQ(std::size(expected), static_cast<size_t>(method_count));
  for (const auto& [method, words] : expected)
    EXPECT_EQ(text_of(method_row(method).merit(facts, {})), words) << method_name(method);
}

TEST(Reason, IsAlikeWhateverCallsTake) {
  Facts facts = interleaved(Operation::write, 2, 64);
  const Reason first = plan(facts).reason;
  facts.experience.add(first.grounds.method, 0.001);
  const Reason again = plan(facts).reason;
  EXPECT_EQ(again.grounds, first.grounds);
  EXPECT_NE(text_of(again), text_of(first));
  const Reason other = plan(interleaved(Operation::write, 2, 128)).reason;
  EXPECT_EQ(other.grounds.method, first.grounds.method);
  EXPECT_NE(other.grounds, first.grounds);
}

TEST(Reason, SaysWhatWasAskedForAndNotPossible) {
  Facts facts = interleaved(Operation::write, 2, 64);
  facts.wishes.forced_method = static_cast<int32_t>(Method::independent);
  facts.wishes.collective = Choice3::enable;
  EXPECT_THAT(
      text_of(plan(facts).reason),
      HasSubstr("two_phase: concilio_method=independent is not possible here (a rank's bytes lie in up to "
                "524288 pieces of the file); romio_cb_write=enable asks for it (predicted "));
}

TEST(CandidateJson, GoesThereAndBack) {
  Facts facts = interleaved(Operation::write, 2, 64);
  facts.experience.add(Method::two_phase, 0.25);
  const Plan made = plan(facts);
  const std::vector<Candidate> back = candidates_from_json(candidates_json(made.candidates));
  ASSERT_EQ(back.size(), made.candidates.size());
  for (size_t i = 0; i < back.size(); ++i) {
    const Candidate &one = made.candidates[i], &other = back[i];
    EXPECT_EQ(other.method, one.method);
    EXPECT_EQ(other.legal, one.legal);
    EXPECT_EQ(other.chosen, one.method == made.method);
    EXPECT_DOUBLE_EQ(other.predicted_seconds, one.predicted_seconds);
    EXPECT_EQ(other.calls, one.method == Method::two_phase ? 1 : 0);
    EXPECT_DOUBLE_EQ(other.measured_seconds, one.measured_seconds);
  }
  EXPECT_TRUE(candidates_from_json({{{"method", "of another version"}}}).empty());
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
  EXPECT_EQ(out["reason"], text_of(made.reason));
  EXPECT_EQ(out["facts"]["digest"]["bytes"], facts.digest.bytes);
  EXPECT_EQ(out["facts"]["nodes"][0]["candidates"].size(), 4u);
  ASSERT_EQ(out["candidates"].size(), static_cast<size_t>(method_count));
  EXPECT_EQ(out["candidates"][0]["legal"], false);
  EXPECT_TRUE(out["candidates"][0]["predicted_seconds"].is_null());
  EXPECT_DOUBLE_EQ(out["candidates"][1]["predicted_seconds"].get<double>(),
                   made.candidates[1].predicted_seconds);
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
}  // namespace concilio::plan::explain_test
