#include "summary/summary.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

#include "summary/call_time.h"
#include "summary/records.h"

namespace concilio::tools {
namespace {

using testing::EndsWith, testing::HasSubstr, testing::Not, testing::StartsWith;

constexpr const char* lines =
    R"({"file":"/d/a.nc","ranks":4,"nodes":2,"mpi":"mpich","open_seconds":0.5,"counters":{"collective_writes":8,)"
    R"("independent_reads":1,"bytes_written":8388608,"bytes_read":1024,"method_two_phase":8,"method_sieve":1,)"
    R"("storage_writes":4,"storage_bytes_written":8388608,"storage_reads":1,"storage_bytes_read":5120},)"
    R"("max":{"call_ns":2000000000,"exchange_ns":250000000,"copy_ns":500000000,"storage_ns":1000000000},)"
    R"("peak_bytes_per_rank":2097152,"reasons":[{"operation":"write","method":"two_phase","collective":true,)"
    R"("reason":"small pieces","calls":8}],"hints":{"cb_nodes":"2"}})"
    "\n"
    R"({"file":"/d/a.nc","ranks":4,"nodes":2,"open_seconds":0.25,"counters":{"collective_writes":4,"method_two_phase":4},)"
    R"("max":{"call_ns":1000000000},"peak_bytes_per_rank":4194304,"reasons":[{"operation":"write",)"
    R"("method":"two_phase","collective":true,"reason":"two_phase: large pieces","calls":4}]})"
    "\n";

TEST(SummaryDetails, OfOneFileOpenedTwice) {
  const Records records = parse_records(lines);
  ASSERT_EQ(records.files.size(), 2u);
  EXPECT_EQ(records.unreadable_lines, 0);
  EXPECT_EQ(render_details(by_name(records.files)),
            "concilio: /d/a.nc\n"
            "  opened   2 times, 750 ms, by 4 ranks on 2 nodes\n"
            "  write    12 collective calls, 8 MiB\n"
            "           two_phase, 8 calls: small pieces\n"
            "           two_phase, 4 calls: large pieces\n"
            "  read     1 independent call, 1 KiB\n"
            "  time     3 s in calls, slowest rank: exchange 250 ms, copy 500 ms, storage 1 s, other 1.25 s\n"
            "  storage  4 writes, mean 2 MiB; 1 read, mean 5 KiB\n"
            "  sieving  4 KiB read beyond what the program asked for\n"
            "  memory   at most 4 MiB in a rank\n");
}

TEST(SummaryDetails, ZerosAreLeftOut) {
  FileRecord record;
  record.ranks = record.nodes = 1;
  record.sum[Counter::independent_writes] = 2;
  record.sum[Counter::bytes_written] = 16;
  record.slowest[Counter::call_ns] = record.slowest[Counter::storage_ns] = 2'000'000;
  record.slowest_rank = RankTimes(record.slowest);
  const std::string text = render_details({record});
  EXPECT_THAT(text, HasSubstr("  write    2 independent calls, 16 B\n"));
  EXPECT_THAT(text, HasSubstr("  time     2 ms in calls, slowest rank: storage 2 ms\n"));
  EXPECT_THAT(text, Not(HasSubstr("sieving")));
  EXPECT_THAT(text, Not(HasSubstr("in a node")));
}

TEST(SummaryDetails, SaysWhatDatatypesTakeWhereThatIsMuch) {
  FileRecord record;
  record.peak_bytes_per_rank = 4 << 20;
  record.peak_description_bytes_per_rank = 1 << 10;
  EXPECT_EQ(render_details({record}).find("datatypes"), std::string::npos);
  record.peak_description_bytes_per_rank = 3 << 20;
  EXPECT_NE(render_details({record}).find("; 3 MiB in a rank for descriptions of the program's datatypes\n"),
            std::string::npos);
}

TEST(SummaryDetails, HowWindowsReachedTheFile) {
  FileRecord record;
  record.sum[Counter::windows_whole] = 7;
  record.sum[Counter::windows_rmw] = 2;
  record.sum[Counter::windows_batch] = 1;
  EXPECT_NE(render_details({record}).find(
                "\n  windows  7 whole, 2 after reading their holes, 1 in many pieces at once\n"),
            std::string::npos);
}

TEST(Summary, SaysWhereTheTimeWent) {
  EXPECT_EQ(
      render_summary(by_name(parse_records(lines).files)),
      "concilio: 3 s in MPI-IO calls on the slowest rank: 1 s storage, 500 ms copying, 250 ms waiting for "
      "other ranks and messages, 1.25 s other work; 750 ms in MPI_File_open\n"
      "  3.75 s   /d/a.nc: 12 collective writes, 1 independent read by 4 ranks on 2 nodes; 8 MiB written, "
      "1 KiB read, 2.7 MiB/s\n");
}

// Whether the parts that the summary begins with are the whole that it names, but for 5 % of it.
void expect_parts_add_up(const std::vector<FileRecord>& files, const std::string& parts) {
  const CallTime time = call_time_of(job_of(files));
  EXPECT_NEAR(std::accumulate(time.parts.begin(), time.parts.end(), 0.0), time.seconds, 1e-9);
  EXPECT_THAT(*std::ranges::min_element(time.parts), testing::Ge(0));
  EXPECT_EQ(verdict_on(files), parts);
}

TEST(Summary, PartsOfTheTimeAddUp) {
  const auto record = [](const std::string& max, const std::string& slowest_rank) {
    const std::string text = R"({"file":"/d/a","ranks":4,"nodes":1,"max":)" + max +
                             (slowest_rank.empty() ? "" : R"(,"slowest_rank":)" + slowest_rank) + "}";
    return parse_records(text).files;
  };
  constexpr const char* max =
      R"({"call_ns":4000000000,"exchange_ns":3000000000,"copy_ns":500000000,"storage_ns":2000000000})";
  expect_parts_add_up(
      record(max,
             R"({"call_ns":4000000000,"exchange_ns":3000000000,"storage_ns":500000000,"copy_ns":100000000})"),
      "4 s in MPI-IO calls on the slowest rank: 3 s waiting for other ranks and messages, 500 ms storage, "
      "100 "
      "ms copying, 400 ms other work");
  // The rank for which the others waited.
  expect_parts_add_up(record(max, R"({"call_ns":4000000000,"exchange_ns":1000000,"storage_ns":3900000000})"),
                      "4 s in MPI-IO calls on the slowest rank: 3.9 s storage");
  // An aggregator whose storage worked while it waited for other ranks.
  expect_parts_add_up(
      record(
          max,
          R"({"call_ns":4000000000,"exchange_ns":3000000000,"storage_ns":2000000000,"copy_ns":500000000})"),
      "4 s in MPI-IO calls on the slowest rank: 2 s storage, 1.5 s waiting for other ranks and messages, 500 "
      "ms copying");
  // Of a report that an older version wrote.
  expect_parts_add_up(
      record(max, ""),
      "4 s in MPI-IO calls on the slowest rank: 2 s storage, 1.5 s waiting for other ranks and "
      "messages, 500 ms copying");
  expect_parts_add_up(record(R"({"call_ns":1000,"storage_ns":3000,"copy_ns":3000,"plan_ns":3000})", ""),
                      "1 us in MPI-IO calls on the slowest rank: 1 us planning");
  expect_parts_add_up(record(R"({"call_ns":4000000000})", ""), "4 s in MPI-IO calls on the slowest rank");
  // A program that was killed in a call.
  expect_parts_add_up(
      record(max, R"({"call_ns":4000000000,"storage_ns":1000000000,"unended_seconds":2.5})"),
      "4 s in MPI-IO calls on the slowest rank: 2.5 s in calls that did not end, 1 s storage, 500 ms other "
      "work");
  // The file once more, and another one.
  std::vector<FileRecord> files =
      record(max, R"({"call_ns":4000000000,"exchange_ns":3000000000,"storage_ns":1000000000})");
  files.push_back(files[0]);
  files = by_name(files);
  ASSERT_EQ(files.size(), 1u);
  files.push_back(record(max, R"({"call_ns":4000000000,"storage_ns":1000000000})")[0]);
  files.back().file = "/d/b";
  expect_parts_add_up(
      files,
      "12 s in MPI-IO calls on the slowest rank of each file: 6 s waiting for other ranks and "
      "messages, 3 s storage, 3 s other work");
  // What is written is read.
  const FileRecord again =
      parse_records(R"({"file":"/d/a","slowest_rank":)" +
                    nlohmann::json::parse(text_of(files[0])).at("slowest_rank").dump() + "}")
          .files[0];
  EXPECT_EQ(again.slowest_rank.ns, files[0].slowest_rank.ns);
}

TEST(Summary, NamesTheRankForWhichTheOthersWaited) {
  const auto told = [](double waited_seconds) {
    std::string record =
        R"({"file":"/d/a","ranks":4,"nodes":1,"max":{"call_ns":3000000000,"exchange_ns":2900000000},)";
    record += fmt::format(
        R"("activity":{{"waited_least":[{{"rank":37,"waited_seconds":{},"own_seconds":0.5}}]}}}})",
        waited_seconds);
    return render_summary(by_name(parse_records(record).files));
  };
  EXPECT_THAT(
      told(0.001),
      HasSubstr("ranks waited up to 2.9 s for rank 37, which waited 1 ms and worked 500 ms in its calls\n"));
  EXPECT_THAT(told(2), Not(HasSubstr("rank 37"))) << "it waited too";
}

// A file whose calls took `call_ns`, of which nothing else is known.
FileRecord file_of(const char* name, int64_t call_ns) {
  FileRecord record;
  record.file = name;
  record.ranks = 4;
  record.nodes = 1;
  record.slowest[Counter::call_ns] = call_ns;
  return record;
}

TEST(Summary, ZerosAreLeftOut) {
  FileRecord record = file_of("/d/a", 2'000'000'000);
  record.sum[Counter::collective_reads] = 4;
  record.sum[Counter::bytes_read] = 4 << 20;
  EXPECT_EQ(render_summary({record}),
            "concilio: 2 s in MPI-IO calls on the slowest rank\n"
            "  2 s      /d/a: 4 collective reads by 4 ranks; 4 MiB read, 2 MiB/s\n");
  record.sum[Counter::device_calls] = 3;
  record.sum[Counter::device_bytes] = 3 << 20;
  EXPECT_THAT(render_summary({record}), EndsWith(" read, 2 MiB/s; 3 calls with buffers of a GPU, 3 MiB\n"));
  record.sum[Counter::device_direct_bytes] = 2 << 20;
  EXPECT_THAT(render_summary({record}), EndsWith(" 3 calls with buffers of a GPU, 3 MiB (2 MiB directly)\n"));
  EXPECT_EQ(render_summary({file_of("/d/b", 0)}),
            "concilio: no time in MPI-IO calls that read or write\n"
            "  0 us     /d/b: opened by 4 ranks\n");
}

TEST(Summary, OfManyFilesTellsOfTheFiveThatTookLongest) {
  std::vector<FileRecord> files;
  for (int i = 1; i <= 30; ++i) {
    FileRecord& file =
        files.emplace_back(file_of(fmt::format("/d/{:02}", i).c_str(), i * int64_t{1'000'000'000}));
    file.sum[Counter::independent_writes] = 4000;
    file.slowest[Counter::independent_writes] = 1000;
    file.sum[Counter::bytes_written] = 32000;
  }
  const std::string text = render_summary(files);
  EXPECT_LE(std::ranges::count(text, '\n'), 24);
  EXPECT_THAT(text,
              StartsWith("concilio: 465 s in MPI-IO calls on the slowest rank of each file\n"
                         "concilio: 30 files: 120000 independent writes by 4 ranks; 937.5 KiB written, 2.0 "
                         "KiB/s\n  30 s     /d/30: "));
  EXPECT_THAT(text, HasSubstr("\n  26 s     /d/26: "));
  EXPECT_THAT(text, Not(HasSubstr("/d/25")));
  EXPECT_THAT(text, EndsWith("\n  325 s    25 further files\n"));
}

TEST(Summary, SaysWhatAdviceWinsAndWhereThatIsABound) {
  FileRecord file = file_of("/d/a", 2'000'000'000);
  file.sum[Counter::independent_writes] = 4000;
  file.slowest[Counter::independent_writes] = 1000;
  file.sum[Counter::bytes_written] = 32000;
  EXPECT_THAT(render_summary({file}), EndsWith("\n           at most 2 s to be won\n"));
  file.one_calls = {{"write", "two_phase", 0.5, 1}};
  EXPECT_THAT(render_summary({file}),
              HasSubstr("\n           about 1.5 s to be won: as one collective write, two_phase would take"));
}

TEST(Records, MethodsAreNamedByHowOftenTheyWereTaken) {
  const Records records = parse_records(lines);
  EXPECT_EQ(methods_taken(records.files[0]), "two_phase, sieve");
  EXPECT_EQ(methods_taken(FileRecord{}), "");
}

TEST(Records, LineThatWasCutOffIsCountedAndTheOthersKept) {
  const Records records = parse_records("{\"file\":\"a\"}\n{\"file\":\"b\",\"ra");
  EXPECT_EQ(records.files.size(), 1u);
  EXPECT_EQ(records.unreadable_lines, 1);
  EXPECT_TRUE(parse_records("").files.empty());
  EXPECT_EQ(parse_records("[1]\n\"x\"\n{}\n").unreadable_lines, 3);
}

TEST(Records, DifferentFilesStayApart) {
  EXPECT_EQ(by_name(parse_records("{\"file\":\"a\"}\n{\"file\":\"b\"}\n{\"file\":\"a\"}\n").files).size(),
            2u);
}

TEST(Summary, SaysWhichCallsWereNotRecordedSingly) {
  const std::string line =
      R"({"file": "/d/a", "times_opened": 9, "brief_opens": 8, "counters": {"independent_writes": 1000}, )"
      R"("activity": {"left_out": 937}})";
  const std::vector<FileRecord> files = by_name(parse_records(line + "\n" + line).files);
  ASSERT_EQ(files.size(), 1u);
  EXPECT_EQ(
      told_of_sampling(files[0]),
      "16 of 18 opens so brief that only totals are known, 1 of 16 calls recorded singly, the others as "
      "if like these");
  const Result<Report> again = parse_report(text_of(Report{"", {}, 0, {files, 0}}));
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(told_of_sampling(again->records.files[0]), told_of_sampling(files[0]));
  EXPECT_EQ(told_of_sampling(FileRecord()), "");
}

}  // namespace
}  // namespace concilio::tools
