#include "benchmark/suite.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "sim/patterns/calls.h"

namespace concilio::tools {
namespace {

TEST(SuiteFinding, SlowerOnlyWhereTheTimesAreApart) {
  const std::vector<double> own = {1.0, 1.02, 1.04}, slower = {1.2, 1.22, 1.24}, spread = {0.9, 1.2, 1.6};
  EXPECT_EQ(finding_of(own, {0.5, 0.5, 0.5}), Finding::not_slower);
  EXPECT_EQ(finding_of(own, {1.04, 1.05, 1.06}), Finding::not_slower);  // 0.97
  EXPECT_EQ(finding_of(own, slower), Finding::slower);
  EXPECT_EQ(finding_of(own, spread), Finding::unclear);
  EXPECT_EQ(finding_of({1.0}, {2.0}), Finding::unclear);
  // As fast by the median, but the times say little.
  EXPECT_EQ(finding_of(own, {0.6, 1.0, 1.5}), Finding::unclear);
  EXPECT_EQ(finding_of(own, {0.1, 0.3, 0.5}), Finding::not_slower);
  EXPECT_EQ(finding_of(own, {}), Finding::not_measured);
}

SuiteCell cell(int ranks, const char* pattern, std::vector<double> own, std::vector<double> concilio) {
  SuiteCell cell;
  cell.calls = "collective, 4 MiB";
  cell.comparison.ranks = ranks;
  cell.comparison.pattern = pattern;
  cell.comparison.own.write_seconds = std::move(own);
  cell.comparison.concilio.write_seconds = std::move(concilio);
  return cell;
}

std::vector<SuiteCell> some_cells() {
  std::vector<SuiteCell> cells = {cell(1, "contiguous", {2, 2, 2}, {1, 1, 1}),
                                  cell(2, "contiguous", {1, 1, 1}, {2, 2, 2}),
                                  cell(2, "btio", {1, 1, 1}, {0.8, 1.25, 2})};
  cells.back().comparison.own.failure = "stopped by the timeout";
  cells.front().comparison.own.first_read_seconds = {2, 2, 2};
  cells.front().comparison.concilio.first_read_seconds = {8, 8, 8};
  return cells;
}

SuiteCell program(const char* name, std::vector<double> own, std::vector<double> concilio) {
  SuiteCell cell;
  cell.calls = "programs";
  cell.comparison.ranks = 2;
  cell.comparison.pattern = name;
  cell.own_seconds = std::move(own);
  cell.concilio_seconds = std::move(concilio);
  return cell;
}

TEST(SuitePrograms, HaveTheirOwnLineAndSum) {
  std::vector<SuiteCell> cells = some_cells();
  cells.push_back(program("hdf5", {3, 3, 3}, {2, 2, 2}));
  cells.push_back(program("h5py", {3, 3, 3}, {4, 4, 4}));
  cells.push_back(program("netcdf", {}, {}));
  cells.back().comparison.concilio.failure = "exit status 1: rank 0: other values";
  const std::string table = suite_table(cells);
  for (const char* part :
       {"programs: hdf5", "     1.50 ", "programs: 1 of 2 below 0.95, 0 unclear; geometric mean 1.06",
        "openmpi 2 ranks, programs: h5py: 0.75: own 3 s",
        "programs: netcdf, Concilio: FAILED: exit status 1: rank 0: other values",
        "repeated: 1 of 3 below 0.95, 1 unclear"})
    EXPECT_NE(table.find(part), std::string::npos) << part << "\n" << table;
  EXPECT_EQ(table.find("programs: hdf5, first"), std::string::npos) << table;
  EXPECT_NE(suite_picture(cells).find("0.75!"), std::string::npos);
  const nlohmann::json all = suite_json(cells);
  EXPECT_EQ(all[3]["program"]["finding"], "not slower");
  EXPECT_EQ(all[3]["concilio"]["seconds"].size(), 3u);
  EXPECT_FALSE(all[3].contains("write"));
  EXPECT_EQ(all[5]["concilio"]["failure"], "exit status 1: rank 0: other values");
}

TEST(SuiteTable, MarksCellsThatAreSlowerOrMayBe) {
  const std::string table = suite_table(some_cells());
  EXPECT_NE(table.find(" 2.00 "), std::string::npos) << table;
  EXPECT_NE(table.find("0.50!"), std::string::npos) << table;
  EXPECT_NE(table.find("0.80?"), std::string::npos) << table;
  EXPECT_NE(table.find("repeated: 1 of 3 below 0.95, 1 unclear; geometric mean 0.93"), std::string::npos)
      << table;
  EXPECT_NE(table.find("first: 1 of 1 below 0.95, 0 unclear; geometric mean 0.25"), std::string::npos)
      << table;
  EXPECT_NE(table.find("contiguous, first, read: 0.25: own 2 s"), std::string::npos) << table;
  EXPECT_NE(table.find("collective, 4 MiB: contiguous, write: 0.50: own 1 s"), std::string::npos) << table;
  EXPECT_NE(table.find("FAILED: stopped by the timeout"), std::string::npos) << table;
}

TEST(SuitePicture, HasEveryCell) {
  const std::string picture = suite_picture(some_cells());
  for (const char* part :
       {"2.00", "0.50!", "0.80?", "0.25!", "contiguous, first", "#e0705f", "#f6cf8a", "contiguous", "btio"})
    EXPECT_NE(picture.find(part), std::string::npos) << part;
}

TEST(SuiteJson, HasAllTimesAndFindings) {
  const nlohmann::json all = suite_json(some_cells());
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[1]["write"]["finding"], "slower");
  EXPECT_EQ(all[1]["read"]["finding"], "not measured");
  EXPECT_EQ(all[0]["first_read"]["finding"], "slower");
  EXPECT_EQ(all[0]["first_write"]["finding"], "not measured");
  EXPECT_EQ(all[0]["concilio"]["first_read_seconds"].size(), 3u);
  EXPECT_EQ(all[2]["write"]["concilio_quartiles"][1], 1.25);
  EXPECT_EQ(all[2]["concilio"]["write_seconds"].size(), 3u);
}

TEST(SuiteHelp, NamesEveryKindOfCalls) {
  const std::string cells = "\n" + list_of_cells();
  for (const sim::CallsWords& words : sim::calls_words)
    EXPECT_NE(cells.find(std::string("\n  ") + words.name + ", "), std::string::npos) << words.name;
  EXPECT_NE(cells.find("start hdf5 netcdf pnetcdf h5py"), std::string::npos);
}

}  // namespace
}  // namespace concilio::tools
