#include "base/activity/activity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "base/activity/activity_json.h"
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

struct Request {
  int64_t offset, length;
};

TEST(Activity, HasTimesPlacesAndSizes) {
  ActivityData data;
  Activity activity(data);
  const int64_t now = now_ns();
  activity.called({Operation::write, now, now + 3'000'000, 1'000'000, 4096, 12288, 4096});
  const std::vector<Request> requests = {{4096, 1024}, {8192, 3072}};
  activity.stored(Operation::write, now, now + 2'000'000, std::span<const Request>(requests), 4096);
  activity.called({Operation::read, now, now + 100, 0, 0, 8, 8, 17});  // one of 17
  const auto time = [&](TimeOf part) { return sum_of(data.time, static_cast<size_t>(part)); };
  EXPECT_EQ(time(TimeOf::calls), 3'000'000 + 17 * 100);
  EXPECT_EQ(time(TimeOf::exchange), 1'000'000);
  EXPECT_EQ(time(TimeOf::storage), 2'000'000);
  const auto moved = [](Moved kind) { return static_cast<size_t>(kind); };
  EXPECT_EQ(sum_of(data.time, times_count + moved(Moved::asked_written)), 4096);
  EXPECT_EQ(sum_of(data.offsets, moved(Moved::asked_written)), 4096);
  EXPECT_EQ(sum_of(data.offsets, moved(Moved::stored_written)), 4096);
  EXPECT_EQ(sum_of(data.offsets, moved(Moved::asked_read)), 17 * 8);
  EXPECT_EQ(data.lengths[moved(Moved::asked_written)][12], 1);
  EXPECT_EQ(data.lengths[moved(Moved::stored_written)][10], 1);
  EXPECT_EQ(data.lengths[moved(Moved::stored_written)][11], 1);
  EXPECT_EQ(data.alignments[moved(Moved::stored_written)][13], 1);
  EXPECT_EQ(data.alignments[moved(Moved::asked_read)][63], 17) << "offset 0 is a multiple of all";
}

TEST(Activity, StorageThatMovedLessThanWasRequested) {
  ActivityData data;
  Activity activity(data);
  const std::vector<Request> requests = {{4096, 1024}, {8192, 3072}, {16384, 16}};
  activity.stored(Operation::read, 0, 10, std::span<const Request>(requests), 1024 + 512);
  const auto read = static_cast<size_t>(Moved::stored_read);
  EXPECT_EQ(sum_of(data.offsets, read), 1024 + 512);
  EXPECT_EQ(data.offsets.range().first + data.offsets.range().used, 3) << "nothing behind byte 12288";
  EXPECT_EQ(data.lengths[read][9], 1);
  EXPECT_EQ(data.lengths[read][4], 0);
}

TEST(Activity, ACallThatWasOneRequestIsBoth) {
  ActivityData both, one_by_one;
  Activity(both).passed_on({Operation::write, 5, 25, 0, 8192, 8200, 8, 3});
  Activity separate(one_by_one);
  separate.called({Operation::write, 5, 25, 0, 8192, 8200, 8, 3});
  EXPECT_EQ(sum_of(both.time, static_cast<size_t>(TimeOf::calls)), 60);
  EXPECT_EQ(sum_of(both.time, static_cast<size_t>(TimeOf::storage)), 60);
  EXPECT_EQ(both.lengths[static_cast<size_t>(Moved::stored_written)][3], 3);
  EXPECT_EQ(sum_of(both.offsets, static_cast<size_t>(Moved::stored_written)), 24);
  const auto asked = static_cast<size_t>(Moved::asked_written);
  EXPECT_EQ(both.lengths[asked], one_by_one.lengths[asked]);
  EXPECT_EQ(sum_of(both.offsets, asked), sum_of(one_by_one.offsets, asked));
}

TEST(Activity, TakesOffsetsAndTimesThatNoFileAndNoRunHas) {
  ActivityData data;
  Activity activity(data);
  activity.called({Operation::write, 0, INT64_MAX / 2, 0, INT64_MAX - 8, INT64_MAX, 8});
  activity.called({Operation::write, 0, 1, 0, 0, 8, 8});
  EXPECT_EQ(sum_of(data.offsets, static_cast<size_t>(Moved::asked_written)), 16);
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
