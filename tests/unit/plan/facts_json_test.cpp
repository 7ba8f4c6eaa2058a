// Facts are written as JSON and read back.
#include "plan/show/facts_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plan/plan.h"
#include "plan/show/explain.h"
#include "unit/plan_facts.h"

namespace concilio::plan::facts_json_test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

TEST(FactsJson, WhatIsReadBackIsPlannedAlike) {
  std::mt19937_64 random(7);
  for (int i = 0; i < test::cases(2000, 4); ++i) {
    const Facts facts = test::random_facts(random);
    const Result<Facts> back = facts_from_json(json::parse(facts_line(facts)));
    ASSERT_TRUE(back.ok()) << i << ": " << back.error().message;
    ASSERT_EQ(facts_as_json(*back), facts_as_json(facts)) << i;
    ASSERT_EQ(explain_text(*back, plan(*back)), explain_text(facts, plan(facts))) << i;
  }
}

TEST(FactsJson, LineHasNoLineBreak) {
  EXPECT_EQ(facts_line(test::interleaved(Operation::write, 4, 64)).find('\n'), std::string::npos);
}

class WrongFacts : public ::testing::Test {
 protected:
  std::string error() const {
    const Result<Facts> facts = facts_from_json(json_);
    return facts ? "none" : facts.error().message;
  }
  json json_ = facts_as_json(test::interleaved(Operation::write, 4, 64));
};

TEST_F(WrongFacts, NoObject) {
  json_ = json::array();
  EXPECT_THAT(error(), HasSubstr("is no object"));
}
TEST_F(WrongFacts, MissingMember) {
  json_["digest"].erase("bytes");
  EXPECT_THAT(error(), HasSubstr("digest has no \"bytes\""));
}
TEST_F(WrongFacts, NegativeNumber) {
  json_["digest"]["bytes"] = -1;
  EXPECT_THAT(error(), HasSubstr("digest.bytes is -1"));
}
TEST_F(WrongFacts, NumberBeyond63Bits) {
  json_["digest"]["bytes"] = UINT64_MAX;
  EXPECT_THAT(error(), HasSubstr("digest.bytes"));
}
TEST_F(WrongFacts, RangeThatEndsBeforeItBegins) {
  json_["digest"]["first"] = json_["digest"]["end"];
  EXPECT_THAT(error(), HasSubstr("digest.end"));
}
TEST_F(WrongFacts, UnknownName) {
  json_["wishes"]["realms"] = "spiral";
  EXPECT_THAT(error(), HasSubstr("wishes.realms is \"spiral\", and not one of auto, even"));
}
TEST_F(WrongFacts, NodeWithoutCandidates) {
  json_["nodes"][0]["candidates"] = json::array();
  EXPECT_THAT(error(), HasSubstr("nodes[0].candidates is empty"));
}
TEST_F(WrongFacts, NoNodes) {
  json_["nodes"] = json::array();
  EXPECT_THAT(error(), HasSubstr("nodes is empty"));
}
TEST_F(WrongFacts, SpansOutOfOrder) {
  json_["nodes"][0]["spans"] = {{10, 20}, {15, 30}};
  EXPECT_THAT(error(), HasSubstr("not ascending"));
}
TEST_F(WrongFacts, BucketsOutOfOrder) {
  json_["buckets"] = {{10, 20, 5}, {15, 30, 5}};
  EXPECT_THAT(error(), HasSubstr("buckets[1]"));
}
TEST_F(WrongFacts, WordInPlaceOfANumber) {
  json_["cores_per_node"] = "two";
  EXPECT_THAT(error(), HasSubstr("cores_per_node is \"two\""));
}

class WrongExperience : public WrongFacts {
 protected:
  WrongExperience() {
    Facts facts = test::interleaved(Operation::write, 4, 64);
    for (int i = 0; i < 20; ++i) facts.experience.add(Method::list, 1e-3 * (i + 1));
    facts.experience.add(Method::two_phase, 0.5e-3);
    json_ = facts_as_json(facts);
  }
  json& experience() { return json_["experience"]; }
};

TEST_F(WrongExperience, WhatCallsLeftBehindIsReadBack) {
  EXPECT_EQ(experience()["methods"]["list"]["seconds"].size(), 16u);
  EXPECT_EQ(experience()["methods"]["two_phase"]["seconds"].size(), 1u);
  const Result<Facts> facts = facts_from_json(json_);
  ASSERT_TRUE(facts.ok()) << facts.error().message;
  EXPECT_EQ(facts->experience.calls(Method::list), 20);
  EXPECT_EQ(facts->experience.seconds(Method::list), 1e-3 * 8);
}
TEST_F(WrongExperience, CallsThatAreNotTheSum) {
  for (const int64_t calls : {int64_t{0}, int64_t{20}, int64_t{22}, INT64_MAX}) {
    experience()["calls"] = calls;
    EXPECT_THAT(error(), HasSubstr("not the sum")) << calls;
  }
  experience()["calls"] = 21;
  experience()["methods"]["list"]["calls"] = INT64_MAX;
  EXPECT_THAT(error(), HasSubstr("not the sum"));
}
TEST_F(WrongExperience, TimesThatAreNotThoseOfTheCalls) {
  experience()["methods"]["two_phase"]["seconds"] = json::array();
  EXPECT_THAT(error(), HasSubstr("experience.methods.two_phase.seconds has 0 times"));
  experience()["methods"]["two_phase"]["seconds"] = {1, 1};
  EXPECT_THAT(error(), HasSubstr("has 2 times"));
}
TEST_F(WrongExperience, LastMethodThatNeverRan) {
  experience()["last"] = "sieve";
  EXPECT_THAT(error(), HasSubstr("a method without calls"));
}

}  // namespace
}  // namespace concilio::plan::facts_json_test
