#include "plan/choose/next_method.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

#include "plan/choose/known_patterns.h"
#include "plan/plan.h"

namespace concilio::plan::next_method_test {
namespace {

constexpr Method independent = Method::independent, list = Method::list, sieve = Method::sieve,
                 two_phase = Method::two_phase;

// Candidates with these prices, in the order of Method. A negative price means that the method is not
// possible.
std::vector<Candidate> priced(std::vector<double> seconds) {
  std::vector<Candidate> out;
  for (size_t i = 0; i < method_count; ++i) {
    const double price = i < seconds.size() ? seconds[i] : -1;
    out.push_back({static_cast<Method>(i), price >= 0, false, price, 0, 0});
  }
  return out;
}

// The methods of this number of calls, if each takes the time that `takes` returns for its method.
std::vector<Method> course(const std::vector<Candidate>& candidates, int calls,
                           const std::function<double(Method, int)>& takes) {
  Experience experience;
  std::vector<Method> out;
  for (int call = 0; call < calls; ++call) {
    const Method method = next_method(candidates, experience);
    experience.add(method, takes(method, call));
    out.push_back(method);
  }
  return out;
}

TEST(NextMethod, FirstTheCheapestByPrice) {
  EXPECT_EQ(next_method(priced({-1, 3, 2, 1}), {}), two_phase);
  EXPECT_EQ(next_method(priced({-1, 1, 2, 3}), {}), list);
  EXPECT_EQ(next_method(priced({1, 1, 2, 3}), {}), independent) << "the simpler of two";
}

TEST(NextMethod, WhatIsMuchDearerIsNeverTried) {
  const auto methods = course(priced({-1, 100, 100, 1}), 8, [](Method, int) { return 1.0; });
  EXPECT_EQ(methods, std::vector(8, two_phase));
}

// As where memory is slower than the prices say. Methods that have not run are no faster than they are.
TEST(NextMethod, PricesThatAreAllTooLowMakeNoOtherMethodWorthATrial) {
  const std::vector<double> prices{-1, 0.3, 0.7, 0.5};
  const auto methods =
      course(priced(prices), 8, [&](Method method, int) { return 5 * prices[static_cast<size_t>(method)]; });
  EXPECT_EQ(methods, std::vector(8, list));
}

// A request may take a hundred times as long as its price, if it goes to another process.
TEST(NextMethod, OnePriceThatIsMuchTooLowHeals) {
  const auto methods = course(priced({-1, 0.5, 3, 1}), 20, [](Method method, int) {
    return method == list ? 50 : method == sieve ? 3.0 : 1.0;
  });
  EXPECT_LE(std::count(methods.begin(), methods.end(), list), 3);
  EXPECT_EQ(methods[19], two_phase);
}

TEST(NextMethod, WrongPriceHealsWithinFewCalls) {
  // They have the same price, but list takes a third of the time.
  const auto methods =
      course(priced({-1, 1.3, 50, 1}), 20, [](Method method, int) { return method == list ? 0.3 : 1.0; });
  EXPECT_EQ(methods[0], two_phase);
  for (size_t i = 8; i < methods.size(); ++i) EXPECT_EQ(methods[i], list) << i;
}

TEST(NextMethod, CallsThatTookFarLongerThanPricedMakeDearOnesWorthATrial) {
  const auto methods =
      course(priced({-1, 12, 100, 1}), 6, [](Method method, int) { return method == list ? 2.0 : 30.0; });
  EXPECT_EQ(methods[2], list);
  EXPECT_EQ(methods.back(), list);
}

// All prices are too high by a factor of seven, as they are where a machine's caches are large, so that two
// methods seem worth a trial which take five times as long.
TEST(NextMethod, TrialsTakeLittleOfAProgramOfFewCalls) {
  const auto methods = course(priced({-1, 0.9, 1.12, -1, 1.15}), 1000,
                              [](Method method, int) { return method == list ? 0.13 : 0.65; });
  EXPECT_EQ(std::count(methods.begin(), methods.begin() + 8, list), 8);
  EXPECT_GE(std::count(methods.begin(), methods.begin() + 32, list), 30);
  EXPECT_GE(std::count(methods.begin(), methods.end(), list), 996);
}

TEST(NextMethod, SlowFirstCallIsNotHeldAgainstItsMethod) {
  const auto methods = course(priced({-1, 1.2, 50, 1}), 20, [](Method method, int call) {
    return method == list ? 1.2 : call == 0 ? 5.0 : 1.0;
  });
  EXPECT_LE(std::count(methods.begin(), methods.end(), list), 3);
  for (size_t i = 16; i < methods.size(); ++i) EXPECT_EQ(methods[i], two_phase) << i;
}

TEST(NextMethod, FirstCallOfATrialIsNotHeldAgainstItEither) {
  std::vector<int> calls(method_count);
  const auto methods = course(priced({-1, 1.2, 50, 1}), 20, [&](Method method, int) {
    const bool first = calls[static_cast<size_t>(method)]++ == 0;
    return method == two_phase ? 1.0 : first ? 4.0 : 0.7;
  });
  for (size_t i = 10; i < methods.size(); ++i) EXPECT_EQ(methods[i], list) << i;
}

TEST(NextMethod, SettledOnTheFastestOfThreeAfterFewCalls) {
  const auto methods = course(priced({-1, 1, 1.1, 1.2}), 40, [](Method method, int) {
    return method == two_phase ? 1.0 : method == sieve ? 1.3 : 1.6;
  });
  for (size_t i = 16; i < methods.size(); ++i) EXPECT_EQ(methods[i], two_phase) << i;
}

// A number from 0 to 1 that looks random.
class Noise {
 public:
  double next() {
    state_ = state_ * 1664525 + 1013904223;
    return (state_ >> 8) / static_cast<double>(1 << 24);
  }

 private:
  uint32_t state_ = 7;
};

TEST(NextMethod, EquallyFastMethodsDoNotAlternate) {
  Noise noise;  // both take 1 s, with deviations of a tenth
  const auto methods =
      course(priced({-1, 1, -1, 1.01}), 1000, [&](Method, int) { return 0.9 + 0.2 * noise.next(); });
  int changes = 0;
  for (size_t i = 100; i < methods.size(); ++i) changes += methods[i] != methods[i - 1];
  EXPECT_LE(changes, 9);
}

TEST(NextMethod, FewDisturbedCallsDoNotHideTheFastest) {
  Noise noise;  // a fifth of the calls takes three times as long
  const auto methods = course(priced({-1, 1, -1, 1.2}), 60, [&](Method method, int) {
    return (method == two_phase ? 0.8 : 1.0) * (noise.next() < 0.2 ? 3 : 1);
  });
  EXPECT_GE(std::count(methods.begin() + 20, methods.end(), two_phase), 36);
}

TEST(NextMethod, StorageThatTurnsSlowForOneMethodIsNoticed) {
  const auto methods = course(priced({-1, 1.5, -1, 1}), 60, [](Method method, int call) {
    if (method == list) return 1.5;
    return call < 20 ? 1.0 : 5.0;
  });
  EXPECT_EQ(methods[15], two_phase);
  EXPECT_EQ(methods.back(), list);
}

TEST(NextMethod, DearOnesAreTriedWhenATwentiethOfTheTimePaysForIt) {
  const auto methods =
      course(priced({-1, 10, -1, 1}), 500, [](Method method, int) { return method == list ? 0.1 : 1.0; });
  EXPECT_EQ(methods[350], two_phase);
  EXPECT_EQ(methods.back(), list);
  const auto bad =
      course(priced({-1, 10, -1, 1}), 1000, [](Method method, int) { return method == list ? 10 : 1.0; });
  // It is tried twice, because one call might have been disturbed.
  EXPECT_LE(std::count(bad.begin(), bad.end(), list), 2);
  EXPECT_EQ(bad.back(), two_phase);
}

TEST(NextMethod, OneCallThatTookLongIsNotHeldAgainstItsMethodForEver) {
  int calls = 0;
  const auto methods = course(priced({-1, 10, -1, 1}), 1000, [&](Method method, int) {
    return method == two_phase ? 1.0 : calls++ == 0 ? 8.0 : 0.5;
  });
  EXPECT_EQ(methods[500], two_phase);
  EXPECT_EQ(methods.back(), list);
}

TEST(NextMethod, MemoryThatIsFirstTouchedMakesATrialDear) {
  // Without it, two_phase would be tried at the eighth call.
  auto candidates = priced({1, -1, -1, 1.2});
  candidates[static_cast<size_t>(two_phase)].first_use_seconds = 10;
  const auto methods = course(candidates, 80, [](Method, int) { return 1.0; });
  const auto trial = std::ranges::find(methods, two_phase) - methods.begin();
  EXPECT_GT(trial, 40);
  EXPECT_LT(trial, 80);
}

TEST(NextMethod, NeverOneThatDoesAllThatTheFastestDoesAndMore) {
  auto candidates = priced({1, -1, -1, 1.2});
  candidates[static_cast<size_t>(two_phase)].outdone_by = 1U << static_cast<int>(independent);
  const auto methods = course(candidates, 100, [](Method, int) { return 1.0; });
  EXPECT_EQ(std::ranges::find(methods, two_phase), methods.end());
}

TEST(NextMethod, NeverOneThatDoesAllThatASlowerOneHasDoneAndMore) {
  auto candidates = priced({1, -1, 1.1, 1.2});
  candidates[static_cast<size_t>(two_phase)].outdone_by = 1U << static_cast<int>(independent);
  const auto methods =
      course(candidates, 100, [](Method method, int) { return method == sieve ? 0.8 : 1.0; });
  EXPECT_EQ(methods.back(), sieve);
  EXPECT_EQ(std::ranges::find(methods, two_phase), methods.end());
}

TEST(NextMethod, NeverOneThatIsNotLegal) {
  Experience experience;
  experience.add(sieve, 0.1);
  experience.add(two_phase, 1);
  EXPECT_NE(next_method(priced({-1, 5, -1, 1}), experience), sieve);
}

TEST(Experience, TheLowerQuartileOfTheLastSixteenCallsCounts) {
  Experience experience;
  EXPECT_FALSE(experience.seconds(list));
  experience.add(list, 1);
  EXPECT_EQ(experience.seconds(list), 1);
  for (const double seconds : {9.0, 5.0, 6.0, 7.0, 8.0}) experience.add(list, seconds);
  EXPECT_EQ(experience.seconds(list), 6) << "of 5, 6, 7, 8 and 9, without the first";
  experience.add(list, 0.1);
  EXPECT_EQ(experience.seconds(list), 5) << "one that was too fast is not believed";
  for (int i = 0; i < 16; ++i) experience.add(list, 20 + i);
  EXPECT_EQ(experience.seconds(list), 23) << "of 20 to 35";
  EXPECT_EQ(experience.calls(list), 23);
}

TEST(Experience, TimeSinceAMethodsLastCall) {
  Experience experience;
  experience.add(list, 1);
  experience.add(two_phase, 2);
  experience.add(two_phase, 4);
  EXPECT_EQ(experience.seconds_since(list), 6);
  EXPECT_EQ(experience.seconds_since(two_phase), 0);
  EXPECT_EQ(experience.seconds_since(sieve), 7);
  EXPECT_EQ(experience.seconds_without_others(two_phase), 6);
  EXPECT_EQ(experience.seconds_without_others(list), 0);
  EXPECT_EQ(experience.last(), two_phase);
}

TEST(Experiences, OfEveryPatternItsOwnWhereverInTheFile) {
  Experiences all;
  Digest a;
  a.first = 0, a.end = 100, a.bytes = 50, a.file_pieces = 5;
  Digest shifted = a, other = a;
  shifted.first = 1000, shifted.end = 1100;
  other.file_pieces = 6;
  all.of(Operation::write, a).add(list, 1);
  EXPECT_EQ(all.of(Operation::write, shifted).calls(), 1);
  EXPECT_EQ(all.of(Operation::write, other).calls(), 0);
  EXPECT_EQ(all.of(Operation::read, a).calls(), 0);
  for (int i = 0; i < 40; ++i) {
    other.bytes = 1000 + i;
    (void)all.of(Operation::write, other);
  }
  EXPECT_EQ(all.of(Operation::write, a).calls(), 0) << "forgotten for newer ones";
}

}  // namespace
}  // namespace concilio::plan::next_method_test
