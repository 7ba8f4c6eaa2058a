#include "mpiio/file/call_history.h"

#include <gtest/gtest.h>

#include <memory>

#include "plan/show/reason_text.h"
#include "unit/plan_facts.h"

namespace concilio::mpiio::call_history_test {
namespace {

using test::interleaved;

plan::Plan plan_of(int64_t pieces, plan::Method method = plan::Method::list) {
  plan::Plan plan;
  plan.method = plan.reason.grounds.method = method;
  plan.reason.grounds.merit = {"{} were moved", {plan::Quantity::pieces(pieces)}};
  return plan;
}

TEST(CallHistory, NoCallHasNoLast) {
  EXPECT_FALSE(CallHistory().last());
}

TEST(CallHistory, CallsOnTheSameGroundsAreOfOneKindWhateverTheyTake) {
  CallHistory history;
  plan::Facts facts = interleaved(Operation::write, 2, 64);
  for (int call = 0; call < 3; ++call) {
    const plan::Plan made = plan::plan(facts);
    history.remember(Operation::write, true, made);
    facts.experience.add(made.method, 0.001 * (call + 1));
  }
  ASSERT_EQ(history.all().size(), 1u);
  const CallsAlike alike = history.all()[0];
  EXPECT_EQ(alike.calls, 3);
  // The times of the last of them.
  EXPECT_TRUE(alike.reason.comparison->taken.measured);
  EXPECT_EQ(alike.candidates[alike.reason.grounds.method].calls, 2);
}

TEST(CallHistory, OperationsAndCollectiveCallsAreKeptApart) {
  CallHistory history;
  for (const Operation operation : {Operation::read, Operation::write}) {
    for (const bool collective : {false, true, false}) history.remember(operation, collective, plan_of(1));
  }
  ASSERT_EQ(history.all().size(), 4u);
  for (const CallsAlike& alike : history.all()) EXPECT_EQ(alike.calls, alike.collective ? 1 : 2);
}

TEST(CallHistory, WhatComesBackIsCountedWhereItWas) {
  CallHistory history;
  for (const int64_t pieces : {1, 2, 1}) history.remember(Operation::read, false, plan_of(pieces));
  ASSERT_EQ(history.all().size(), 2u);
  EXPECT_EQ(history.all()[0].calls, 2);
  EXPECT_EQ(text_of(history.last()->reason), "list: 1 piece were moved");
}

TEST(CallHistory, ALastingPlanIsCountedWhereItsGroundsAreUntilOneThatDoesNotLastComes) {
  CallHistory history;
  const auto one = std::make_shared<plan::Plan>(plan_of(1)), two = std::make_shared<plan::Plan>(plan_of(2));
  const auto remember = [&](const std::shared_ptr<plan::Plan>& plan) {
    history.remember(Operation::read, true, *plan, plan);
  };
  for (int call = 0; call < 3; ++call) remember(one);
  remember(two);
  history.remember(Operation::write, true, *one, one);
  remember(one);
  ASSERT_EQ(history.all().size(), 3u);
  EXPECT_EQ(history.all()[0].calls, 4);
  EXPECT_EQ(history.all()[1].calls, 1);
  EXPECT_EQ(text_of(history.last()->reason), "list: 1 piece were moved");
  // Its measured times change, as the ranks have met.
  one->candidates.add({.method = plan::Method::list, .calls = 7});
  history.remember(Operation::read, true, *one);
  remember(one);
  EXPECT_EQ(history.last()->calls, 6);
  EXPECT_EQ(history.last()->candidates.begin()->calls, 7);
}

TEST(CallHistory, LateGroundsGoByMethodAloneAndEarlyOnesOn) {
  CallHistory history;
  for (int64_t pieces = 0; pieces < 80; ++pieces) history.remember(Operation::read, false, plan_of(pieces));
  history.remember(Operation::read, false, plan_of(7));
  history.remember(Operation::read, false, plan_of(100, plan::Method::sieve));
  history.remember(Operation::read, false, plan_of(100));
  const std::vector<CallsAlike> all = history.all();
  ASSERT_EQ(all.size(), 66u);
  EXPECT_EQ(all[7].calls, 2);
  EXPECT_FALSE(all[63].various);
  EXPECT_TRUE(all[64].various);
  EXPECT_EQ(all[64].calls, 17);
  EXPECT_EQ(all[65].reason.grounds.method, plan::Method::sieve);
  // The program gets the last call itself.
  EXPECT_EQ(text_of(history.last()->reason), "list: 100 pieces were moved");
}

TEST(CallHistory, CallsOfOneStretchAreToldOfAmongTheOthers) {
  CallHistory history;
  history.remember_one_stretch(Operation::write, false, true);
  EXPECT_EQ(history.last()->operation, Operation::write);
  history.remember(Operation::read, false, plan_of(3));
  history.remember_one_stretch(Operation::write, false, false);
  history.remember_one_stretch(Operation::read, false, false);
  ASSERT_EQ(history.all().size(), 3u);
  int64_t calls = 0;
  for (const CallsAlike& alike : history.all()) calls += alike.calls;
  EXPECT_EQ(calls, 4);
  EXPECT_EQ(history.last()->operation, Operation::read);
  EXPECT_TRUE(history.last()->reason.grounds == plan::plan_of_one_stretch().reason.grounds);
  history.remember(Operation::read, false, plan_of(3));
  EXPECT_EQ(history.last()->calls, 2);
}

}  // namespace
}  // namespace concilio::mpiio::call_history_test
