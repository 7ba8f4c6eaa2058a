#include "base/activity/activity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <thread>
#include <vector>

#include "base/activity/activity_json.h"
#include "base/activity/closed_totals.h"
#include "base/waiting.h"

namespace concilio::activity_test {
namespace {

using testing::HasSubstr, testing::Not;

template <size_t columns>
int64_t sum_of(const Bins<columns>& bins, size_t column) {
  int64_t sum = 0;
  for (int64_t bin = 0; bin < bins.range().used; ++bin) sum += bins.at(bin)[column];
  return sum;
}

TEST(Bins, GetWiderUntilAllIsWithin) {
  Bins<1> bins(4);
  bins.add(16, 32, {7});
  EXPECT_EQ(bins.range().shift, 4);
  EXPECT_EQ(bins.range().first, 1);
  EXPECT_EQ(bins.at(0)[0], 7);
  bins.add(16 * 64, 16 * 64 + 1, {5});  // the 64th bin behind the first
  EXPECT_EQ(bins.range().shift, 4);
  bins.add(0, 1, {3});  // one more does not fit
  EXPECT_EQ(bins.range().shift, 5);
  EXPECT_EQ(bins.range().first, 0);
  EXPECT_EQ(bins.at(0)[0], 10);
  EXPECT_EQ(bins.at(32)[0], 5);
  EXPECT_EQ(sum_of(bins, 0), 15);
}

TEST(Bins, SpreadEvenlyAndLoseNothing) {
  Bins<2> bins(4);
  bins.add(8, 40, {1000, 1});
  EXPECT_EQ(bins.at(0)[0], 250);
  EXPECT_EQ(bins.at(1)[0], 500);
  EXPECT_EQ(bins.at(2)[0], 250);
  EXPECT_EQ(sum_of(bins, 1), 1);
  bins.add(5, 5, {10, 0});
  EXPECT_EQ(bins.at(0)[0], 260) << "what has no length is somewhere too";
}

TEST(Bins, OfSeveralRanksAddUpWhateverTheyHave) {
  std::mt19937 random(1);
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<Bins<1>> ranks(5, Bins<1>(3));
    BinRange range;
    int64_t all = 0;
    for (Bins<1>& bins : ranks) {
      for (int call = static_cast<int>(random() % 20); call > 0; --call) {
        const int64_t begin = random() >> (random() % 32), length = random() >> (random() % 32),
                      amount = random() % 1000;
        bins.add(begin, begin + length, {amount});
        all += amount;
      }
      range = around(range, bins.range(), Bins<1>::most);
    }
    Bins<1> sum(0);
    sum.widen_to(range);
    for (Bins<1>& bins : ranks) {
      bins.widen_to(range);
      sum.add_all(bins);
    }
    ASSERT_EQ(sum_of(sum, 0), all) << "trial " << trial;
    ASSERT_LE(range.used, Bins<1>::most);
  }
}

TEST(Bins, ManyThatGetMuch) {
  Bins<2> bins(4);
  constexpr int64_t much = int64_t{1} << 30;
  bins.add(8, 16 * 64, {much, 5000});
  EXPECT_NEAR(static_cast<double>(bins.at(0)[0]), static_cast<double>(much) * 8 / 1016, 1);
  EXPECT_NEAR(static_cast<double>(bins.at(63)[0]), static_cast<double>(much) * 16 / 1016, 64);
  EXPECT_NEAR(static_cast<double>(bins.at(63)[1]), 5000 * 16 / 1016., 1);
  EXPECT_EQ(sum_of(bins, 0), much);
  EXPECT_EQ(sum_of(bins, 1), 5000);
}

struct Request {
  int64_t offset, length;
};
constexpr bool alone = true;
// Time for everything.
TimeAllowance& unlimited() {
  static TimeAllowance allowance;
  return allowance;
}
constexpr size_t of(Moved moved) {
  return static_cast<size_t>(moved);
}
int64_t time_in(const ActivityData& data, TimeOf part) {
  return sum_of(data.time, static_cast<size_t>(part));
}

TEST(Activity, HasTimesPlacesAndSizes) {
  ActivityData data;
  Activity activity(data, unlimited());
  activity.begin(alone);
  const int64_t now = now_ns();
  activity.called({Operation::write, now, now + 3'000'000, 1'000'000, 4096, 12288, 4096});
  const std::vector<Request> requests = {{4096, 1024}, {8192, 3072}};
  activity.stored(Operation::write, now, now + 2'000'000, std::span<const Request>(requests), 4096);
  EXPECT_EQ(time_in(data, TimeOf::calls), 3'000'000);
  EXPECT_EQ(time_in(data, TimeOf::exchange), 1'000'000);
  EXPECT_EQ(time_in(data, TimeOf::storage), 2'000'000);
  EXPECT_EQ(sum_of(data.time, times_count + of(Moved::asked_written)), 4096);
  EXPECT_EQ(sum_of(data.offsets, of(Moved::asked_written)), 4096);
  EXPECT_EQ(sum_of(data.offsets, of(Moved::stored_written)), 4096);
  EXPECT_EQ(data.lengths[of(Moved::asked_written)][12], 1);
  EXPECT_EQ(data.lengths[of(Moved::stored_written)][10], 1);
  EXPECT_EQ(data.lengths[of(Moved::stored_written)][11], 1);
  EXPECT_EQ(data.alignments[of(Moved::stored_written)][13], 1);
}

TEST(Activity, ShortCallsEnterTogetherAndNothingIsLost) {
  ActivityData data;
  Activity activity(data, unlimited());
  activity.begin(alone);
  const int64_t begin = now_ns();
  constexpr int64_t calls = 1000, call_ns = 2000, exchange_ns = 500, storage_ns = 1000;
  for (int64_t i = 0; i < calls; ++i) {
    const int64_t start = begin + i * call_ns, bytes = i % 2 == 0 ? 8 : 100;
    const Request request{i * 128, bytes};
    activity.stored(Operation::write, start, start + storage_ns, std::span(&request, 1), bytes);
    activity.called({Operation::write, start, start + call_ns, exchange_ns, i * 128, i * 128 + bytes, bytes});
  }
  data = activity.data(begin + calls * call_ns);
  EXPECT_EQ(time_in(data, TimeOf::calls), calls * call_ns);
  EXPECT_EQ(time_in(data, TimeOf::exchange), calls * exchange_ns);
  EXPECT_EQ(time_in(data, TimeOf::storage), calls * storage_ns);
  for (const Moved moved : {Moved::asked_written, Moved::stored_written}) {
    EXPECT_EQ(sum_of(data.offsets, of(moved)), calls / 2 * 108);
    EXPECT_EQ(sum_of(data.time, times_count + of(moved)), calls / 2 * 108);
    EXPECT_EQ(data.lengths[of(moved)][3], calls / 2);
    EXPECT_EQ(data.lengths[of(moved)][6], calls / 2);
  }
  EXPECT_EQ(data.offsets.range().used, calls * 128 / 4096 + 1) << "all along the file";
}

TEST(Activity, OfShortCallsFarApartTheFirstStandsForAll) {
  ActivityData data;
  Activity activity(data, unlimited());
  activity.begin(alone);
  const int64_t now = now_ns();
  activity.passed_on({Operation::write, now, now + 10, 0, 0, 8, 8}, 1);
  for (int i = 0; i < 10; ++i) {
    activity.passed_on(Operation::write, 0, 8);
    activity.passed_on(Operation::write, int64_t{1} << 40, 8);
    activity.called({Operation::read, now, now + 10, 0, 0, 100, 100});
    activity.called({Operation::read, now, now + 10, 0, int64_t{1} << 40, (int64_t{1} << 40) + 100, 100});
  }
  data = activity.data(now + 10);
  EXPECT_EQ(sum_of(data.offsets, of(Moved::asked_written)), 21 * 8);
  EXPECT_EQ(sum_of(data.offsets, of(Moved::asked_read)), 20 * 100);
  EXPECT_EQ(data.offsets.range().used, 1) << "nothing between them";
}

// Calls of these lengths in turn, back to back, each one of one request, by a clock that is made up.
ActivityData calls_in_a_row(TimeAllowance& allowance, int64_t calls, int64_t call_ns,
                            const std::vector<int64_t>& lengths) {
  ActivityData data;
  Activity activity(data, allowance);
  activity.begin(alone);
  int64_t now = activity_begins();
  allowance.begin(now);
  for (int64_t i = 0; i < calls; ++i, now += call_ns) {
    const Request request{i * 4096, lengths[static_cast<size_t>(i) % lengths.size()]};
    activity.stored(Operation::write, now, now + call_ns / 2, std::span(&request, 1), request.length);
    if (activity.leaves_out(Operation::write, now, now + call_ns, 0, request.length)) continue;
    activity.called({Operation::write, now, now + call_ns, 0, request.offset, request.offset + request.length,
                     request.length});
  }
  return activity.data(now);
}

TEST(Activity, TakesAHundredthAtMostHoweverShortCallsAreAndLosesNothing) {
  constexpr int64_t calls = 100'000;
  for (const int64_t call_ns : {300, 2'000, 7'000, 20'000, 100'000}) {
    TimeAllowance allowance;
    const ActivityData data = calls_in_a_row(allowance, calls, call_ns, {8, 2 << 20, 100});
    const int64_t singly = calls - data.left_out, took_ns = calls * call_ns;
    EXPECT_LE(allowance.spent_ns(), took_ns / 100) << call_ns;
    if (data.left_out > 0) {
      EXPECT_GT(allowance.spent_ns(), took_ns / 300) << "the time that there is is used: " << call_ns;
    }
    EXPECT_GT(singly, 0);
    EXPECT_EQ(data.left_out > 0, call_ns < 100'000) << call_ns << ": " << data.left_out;
    EXPECT_EQ(time_in(data, TimeOf::calls), took_ns);
    EXPECT_EQ(time_in(data, TimeOf::storage), took_ns / 2);
    const BinRange& offsets = data.offsets.range();
    EXPECT_GE((offsets.first + offsets.used) << offsets.shift, calls * 4096) << "all along the file";
    for (const Moved moved : {Moved::asked_written, Moved::stored_written}) {
      EXPECT_EQ(sum_of(data.offsets, of(moved)), (calls + 2) / 3 * 8 + calls / 3 * ((2 << 20) + 100));
      EXPECT_EQ(sum_of(data.time, times_count + of(moved)), sum_of(data.offsets, of(moved)));
      int64_t number = 0;
      for (const int64_t of_length : data.lengths[of(moved)]) number += of_length;
      EXPECT_EQ(number, calls);
    }
  }
}

TEST(Activity, CallsThatWerePassedOnAndDifferAreLeftOutToo) {
  ActivityData data;
  TimeAllowance allowance;
  Activity activity(data, allowance);
  activity.begin(alone);
  int64_t now = activity_begins();
  allowance.begin(now);
  constexpr int64_t rounds = 10'000, call_ns = 500;
  for (int64_t i = 0; i < rounds; ++i) {
    for (int64_t untimed = 0; untimed < 16; ++untimed)
      activity.passed_on(untimed % 2 ? Operation::read : Operation::write, 0, 8);
    activity.passed_on({Operation::write, now, now + call_ns, 0, 0, 8, 8}, 17);
    now += 17 * call_ns;
  }
  data = activity.data(now);
  EXPECT_LE(allowance.spent_ns(), rounds * 17 * call_ns / 100);
  EXPECT_GT(data.left_out, 0);
  EXPECT_LT(data.left_out, rounds * 17);
  EXPECT_EQ(time_in(data, TimeOf::calls), rounds * 17 * call_ns);
  EXPECT_EQ(sum_of(data.offsets, of(Moved::asked_written)), rounds * 9 * 8);
  EXPECT_EQ(sum_of(data.offsets, of(Moved::asked_read)), rounds * 8 * 8);
  EXPECT_EQ(data.lengths[of(Moved::stored_written)][3], rounds * 9);
}

TEST(Activity, ServesFileAfterFile) {
  ActivityData data;
  Activity activity(data, unlimited());
  const int64_t now = now_ns();
  for (int64_t file = 1; file < 4; ++file) {
    activity.begin(alone);
    activity.passed_on(Operation::read, 0, 8);
    activity.called({Operation::write, now, now + 1000, 0, file << 30, (file << 30) + 8, 8});
    activity.called({Operation::write, now, now + 100'000, 0, 0, 8, 8});
    const ActivityData its = file == 2 ? data : activity.data(now);  // without what was only noted
    EXPECT_EQ(time_in(its, TimeOf::calls), 101'000);
    EXPECT_EQ(its.lengths[of(Moved::asked_written)][3], 2);
  }
}

TEST(Activity, AShortCallIsToldOfAtOnceIfItComesAlone) {
  ActivityData data;
  Activity activity(data, unlimited());
  activity.begin(alone);
  const int64_t begin = now_ns();
  for (const int64_t after_ns : {0, 10'000'000, 20'000'000}) {
    const int64_t start = begin + after_ns;
    activity.called({Operation::read, start, start + 1000, 0, 0, 8, 8});
    EXPECT_EQ(time_in(data, TimeOf::calls), (after_ns / 10'000'000 + 1) * 1000);
  }
  EXPECT_GT(data.time.range().used, 1);
}

TEST(Activity, ALongCallIsWhereItIsAmongShortOnes) {
  ActivityData data;
  Activity activity(data, unlimited());
  activity.begin(alone);
  const int64_t begin = now_ns();
  activity.called({Operation::write, begin, begin + 10, 0, 0, 8, 8});
  activity.called({Operation::write, begin + 10, begin + 20, 0, 0, 8, 8});
  constexpr int64_t far = int64_t{1} << 30;
  activity.called({Operation::write, begin + 20, begin + 30, 0, far, far + (1 << 20), 1 << 20});
  data = activity.data(begin + 30);
  EXPECT_EQ(data.lengths[of(Moved::asked_written)][3], 2);
  EXPECT_EQ(data.lengths[of(Moved::asked_written)][20], 1);
  EXPECT_EQ(data.offsets.at(0)[of(Moved::asked_written)], 16);
  EXPECT_EQ(data.offsets.at(data.offsets.range().used - 1)[of(Moved::asked_written)], 1 << 20);
  EXPECT_EQ(time_in(data, TimeOf::calls), 30);
}

// The bins of time in which this column has something.
std::vector<int64_t> bins_with(const ActivityData& data, TimeOf column) {
  std::vector<int64_t> found;
  for (int64_t bin = 0; bin < data.time.range().used; ++bin) {
    if (data.time.at(bin)[static_cast<size_t>(column)] > 0) found.push_back(bin);
  }
  return found;
}

TEST(Activity, ShortCallsBeforeAPauseOrALongCallAreWhereTheyWere) {
  for (const int64_t later_ns : {1'000, 30'000'000}) {
    ActivityData data;
    Activity activity(data, unlimited());
    activity.begin(alone);
    const int64_t begin = activity_begins() + (int64_t{1} << 30), later = begin + 100'000'000;
    for (int64_t i = 0; i < 10; ++i) {
      const int64_t start = begin + i * 2000;
      activity.called({Operation::write, start, start + 1000, 0, i * 8, i * 8 + 8, 8});
    }
    activity.called({Operation::write, later, later + later_ns, 0, 0, 8, 8});
    const int64_t shift = data.time.range().shift, first = data.time.range().first;
    const ActivityData all = activity.data(later + 1'000'000'000);
    EXPECT_EQ(time_in(all, TimeOf::calls), 10 * 1000 + later_ns);
    EXPECT_EQ(all.time.range().shift, shift) << "nothing enters as of the end";
    EXPECT_EQ(all.time.range().first, first);
    const std::vector<int64_t> bins = bins_with(all, TimeOf::calls);
    ASSERT_GE(bins.size(), 2u);
    EXPECT_EQ(bins.front(), 0);
    EXPECT_GE(bins[1], (90'000'000 >> shift)) << "none in the pause";
    EXPECT_GE(all.time.at(0)[static_cast<size_t>(TimeOf::calls)], 10 * 1000);
  }
}

TEST(Activity, OfShortCallsAnyOneTellsTheAlignment) {
  ActivityData data;
  Activity activity(data, unlimited());
  activity.begin(alone);
  const int64_t now = now_ns();
  activity.called({Operation::write, now, now + 10, 0, 8, 16, 8});  // enters at once
  activity.called({Operation::write, now, now + 10, 0, 8, 16, 8});
  activity.called({Operation::write, now, now + 10, 0, 0, 8, 8});
  EXPECT_EQ(activity.data(now).alignments[of(Moved::asked_written)][3], 3);
}

TEST(Activity, StorageThatMovedLessThanWasRequested) {
  ActivityData data;
  Activity activity(data, unlimited());
  activity.begin(alone);
  const std::vector<Request> requests = {{4096, 1024}, {8192, 3072}, {16384, 16}};
  for (const int64_t ns : {10, 1'000'000}) {
    data = {};
    activity.stored(Operation::read, 0, ns, std::span<const Request>(requests), 1024 + 512);
    const ActivityData all = activity.data(ns);
    EXPECT_EQ(sum_of(all.offsets, of(Moved::stored_read)), 1024 + 512);
    EXPECT_EQ(all.offsets.range().first + all.offsets.range().used, 3) << "nothing behind byte 12288";
    EXPECT_EQ(all.lengths[of(Moved::stored_read)][9], 1);
    EXPECT_EQ(all.lengths[of(Moved::stored_read)][4], 0);
  }
}

TEST(Activity, ACallThatWasOneRequestIsBoth) {
  for (const int64_t ns : {20, 100'000}) {
    ActivityData data;
    Activity activity(data, unlimited());
    activity.begin(alone);
    const int64_t start = now_ns();
    // Two that are not timed, and one that stands for them too.
    activity.passed_on(Operation::write, 8192, 8);
    activity.passed_on(Operation::write, 8200, 8);
    activity.passed_on({Operation::write, start, start + ns, 0, 8208, 8216, 8}, 3);
    data = activity.data(start + ns);
    EXPECT_EQ(time_in(data, TimeOf::calls), 3 * ns);
    EXPECT_EQ(time_in(data, TimeOf::storage), 3 * ns);
    for (const Moved moved : {Moved::asked_written, Moved::stored_written}) {
      EXPECT_EQ(data.lengths[of(moved)][3], 3);
      EXPECT_EQ(sum_of(data.offsets, of(moved)), 24);
    }
    EXPECT_EQ(sum_of(data.offsets, of(Moved::asked_read)), 0);
  }
}

TEST(Activity, ThreadsLoseNothing) {
  ActivityData data;
  Activity activity(data, unlimited());
  activity.begin(!alone);
  constexpr int calls = 10'000;
  const auto make_calls = [&] {
    for (int i = 0; i < calls; ++i) {
      const int64_t now = now_ns();
      activity.passed_on(Operation::read, 8 * i, 8);
      activity.called({Operation::write, now, now + 100, 0, 8 * i, 8 * i + 8, 8});
    }
  };
  {
    std::jthread other(make_calls);
    make_calls();
  }
  data = activity.data(now_ns());
  EXPECT_EQ(data.lengths[of(Moved::asked_read)][3], 2 * calls);
  EXPECT_EQ(data.lengths[of(Moved::asked_written)][3], 2 * calls);
  EXPECT_EQ(time_in(data, TimeOf::calls), 2 * calls * 100);
}

TEST(Activity, TakesOffsetsAndTimesThatNoFileAndNoRunHas) {
  ActivityData data;
  Activity activity(data, unlimited());
  activity.begin(alone);
  const int64_t now = now_ns();
  activity.called({Operation::write, 0, INT64_MAX / 2, 0, INT64_MAX - 8, INT64_MAX, 8});
  activity.called({Operation::write, 0, 1, 0, 0, 8, 8});
  activity.passed_on(Operation::write, INT64_MAX - 8, 8);
  data = activity.data(now);
  EXPECT_EQ(sum_of(data.offsets, of(Moved::asked_written)), 24);
}

TEST(Activity, RanksThatWaitedLeastComeFirst) {
  WaitedLeast least;
  for (int64_t rank = 0; rank < 9; ++rank) least = combine(least, {Waited{rank, (rank * 5) % 9, rank}});
  EXPECT_EQ(least[0].rank, 0);
  EXPECT_EQ(least[1].rank, 2);
  EXPECT_EQ(least[2].rank, 4);
  EXPECT_EQ(least[3].rank, 6);
}

TEST(Activity, AsJsonWithoutRowsHasOnlyWhoWaited) {
  ActivityOfFile file;
  file.waited_least[0] = {7, 2'000'000'000, 1'000'000'000};
  JsonText json;
  write_activity(file, json);
  EXPECT_EQ(json.text(), R"({"waited_least":[{"rank":7,"waited_seconds":2,"own_seconds":1}]})");
}

TEST(ClosedTotals, OfSeveralClosesAddUpAndPeaksAreTheLargest) {
  ClosedTotals all, once;
  once.sums[0] = 6;
  once.maxima[0] = 3;
  once.maxima[ClosedTotals::peak] = 100;
  once.maxima[ClosedTotals::open_ns] = 5;
  all.add(once);
  once.maxima[ClosedTotals::peak] = 70;
  all.add(once);
  EXPECT_EQ(all.sums[0], 12);
  EXPECT_EQ(all.maxima[0], 6);
  EXPECT_EQ(all.maxima[ClosedTotals::peak], 100);
  EXPECT_EQ(all.maxima[ClosedTotals::open_ns], 10);
}

TEST(ClosedTotals, HaveTheTimesOfOneRankTogether) {
  Counters waiting, late;
  waiting[Counter::call_ns] = 10;
  waiting[Counter::exchange_ns] = 9;
  late[Counter::call_ns] = 8;
  late[Counter::storage_ns] = 7;
  ClosedTotals a, b;
  a.add_rank(waiting, 0, 0, 0);
  b.add_rank(late, 0, 0, 0);
  for (ClosedTotals both : {combine(a, b), combine(b, a)}) {
    EXPECT_EQ(both.maxima[static_cast<size_t>(Counter::storage_ns)], 7);
    EXPECT_EQ(both.slowest.ns, RankTimes(waiting).ns) << "those of the rank whose calls took longest";
    both.add(b);
    EXPECT_EQ(both.slowest.whole_ns(), 18);
  }
}

TEST(Activity, AsJsonLeavesOutWhatIsZero) {
  ActivityOfFile file;
  ActivityRow row;
  row.time.widen_to({20, 3, 2});
  row.offsets.widen_to({12, 0, 1});
  row.time.add((int64_t{4} << 20), (int64_t{4} << 20) + 1, {5000, 0, 0, 0, 64, 0, 0});
  file.rows = {row, row};
  file.ranks_a_row = 2;
  file.lengths[0][3] = 9;
  file.waited_least[0] = {1, 2'000'000'000, 1'000'000'000};
  JsonText json;
  write_activity(file, json);
  EXPECT_THAT(json.text(),
              HasSubstr(R"("ranks_a_row":2,"rows":2,"time":{"bin_ns":1048576,"first":3,"bins":2,)"));
  EXPECT_THAT(json.text(), HasSubstr(R"("call_us":[1,5,3,5],"exchange_us":[],)"));
  EXPECT_THAT(json.text(), HasSubstr(R"("asked_written":[1,64,3,64])"));
  EXPECT_THAT(json.text(), HasSubstr(R"("lengths":{"asked_read":[3,9],)"));
  EXPECT_THAT(json.text(), HasSubstr(R"("waited_least":[{"rank":1,"waited_seconds":2,"own_seconds":1}])"));
}

}  // namespace
}  // namespace concilio::activity_test
