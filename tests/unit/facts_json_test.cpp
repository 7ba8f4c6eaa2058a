// Facts as JSON and back.
#include "plan/facts_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plan/plan.h"
#include "plan_facts.h"

namespace concilio {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

TEST(FactsJson, WhatIsReadBackIsPlannedAlike) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 2000; ++i) {
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
  EXPECT_THAT(error(), HasSubstr("bucket 1"));
}
TEST_F(WrongFacts, WordInPlaceOfANumber) {
  json_["cores_per_node"] = "two";
  EXPECT_THAT(error(), HasSubstr("cores_per_node is \"two\""));
}

}  // namespace
}  // namespace concilio
