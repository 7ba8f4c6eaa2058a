#include "benchmark/compare.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace concilio::tools {
namespace {

Captured result(double write_seconds, double read_seconds, int64_t growth) {
  const nlohmann::json all = {{"patterns",
                               {{{"pattern", "contiguous"},
                                 {"bytes", 64 << 20},
                                 {"peak_growth_bytes", growth},
                                 {"write", {{"seconds", {write_seconds}}, {"first_seconds", write_seconds}}},
                                 {"read", {{"seconds", {read_seconds}}, {"first_seconds", read_seconds}}}}}}};
  return {0, all.dump(), ""};
}

TEST(CompareSide, MedianIsOverAllStarts) {
  Side side;
  add_to_side(side, result(1.0, 0.5, 10));
  add_to_side(side, result(4.0, 0.5, 30));
  add_to_side(side, result(2.0, 0.5, 20));
  EXPECT_DOUBLE_EQ(side.write_rate(), 32);
  EXPECT_DOUBLE_EQ(side.read_rate(), 128);
  EXPECT_EQ(side.peak_growth_bytes, 30);
  EXPECT_EQ(side.failure, "");
}

TEST(CompareSide, FailureIsTheBenchmarksOwnLine) {
  Side side;
  add_to_side(side,
              {1, "", "noise\nconcilio bench: pattern x: rank 1: read at file offset 8\nmpirun says more\n"});
  EXPECT_EQ(side.failure, "pattern x: rank 1: read at file offset 8");
  Side late;
  add_to_side(late, {124, "", ""});
  EXPECT_EQ(late.failure, "stopped by the timeout");
  Side garbled;
  add_to_side(garbled, {0, "not JSON", ""});
  EXPECT_NE(garbled.failure.find("not JSON"), std::string::npos);
}

TEST(CompareTable, ShowsRatiosAndFailures) {
  Comparison row;
  row.pattern = "contiguous";
  row.ranks = 2;
  row.methods = "two_phase";
  add_to_side(row.own, result(2.0, 2.0, 3 << 20));
  add_to_side(row.concilio, result(1.0, 0.5, 1 << 20));
  const std::string table = render_table({row});
  EXPECT_NE(table.find("2.00"), std::string::npos) << table;
  EXPECT_NE(table.find("4.00"), std::string::npos) << table;
  EXPECT_NE(table.find("two_phase"), std::string::npos) << table;
  row.concilio.failure = "stopped by the timeout";
  EXPECT_NE(render_table({row}).find("FAILED: stopped by the timeout"), std::string::npos);
}

TEST(RankCounts, ListOrRefusal) {
  EXPECT_EQ(*parse_rank_counts("2,4,8"), (std::vector<int>{2, 4, 8}));
  for (const char* text : {"", "0", "2,x", "2x", "-1", "2,,3"})
    EXPECT_FALSE(parse_rank_counts(text).ok()) << text;
}

TEST(BenchMethods, ConcilioUnlessMpisOwnOrRequestsOfTheProgramAlone) {
  const auto wants = [](const char* methods, bool concilio = false) {
    BenchOptions options;
    options.methods = methods;
    options.concilio = concilio;
    return wants_concilio(options);
  };
  EXPECT_FALSE(wants(""));
  EXPECT_FALSE(wants("mpi"));
  EXPECT_FALSE(wants("mpi,posix"));
  EXPECT_TRUE(wants("auto,posix"));
  EXPECT_TRUE(wants("posix,list"));
  EXPECT_TRUE(wants("posix", true));
}

}  // namespace
}  // namespace concilio::tools
