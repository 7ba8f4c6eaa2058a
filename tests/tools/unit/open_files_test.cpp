// What is told of files that were open when the program ended.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "summary/live_folder.h"
#include "summary/open_ranks.h"
#include "summary/summary.h"

namespace concilio::tools {
namespace {

using testing::HasSubstr, testing::Not;

constexpr int64_t second_ns = 1'000'000'000;

// A record of an open file as the library leaves it.
void fill(LiveRecord& record, int rank, LiveCall call, int64_t since_ns) {
  record.path.set("/d/a.nc");
  record.rank = rank;
  record.ranks = 4;
  record.nodes = 1;
  record.open_ns = second_ns / 4;
  record.counters[Counter::collective_writes] = 2 + rank;
  record.counters[Counter::call_ns] = second_ns;
  record.call = call;
  record.call_since_ns = since_ns;
  record.state = LiveRecord::State::open;
}

void leave(const LiveFolder& folder, const char* name, const LiveRecords& records) {
  std::ofstream(folder.path() + "/" + name, std::ios::binary)
      .write(reinterpret_cast<const char*>(&records), sizeof records);
}

TEST(OpenFiles, AreWhatRanksLeft) {
  auto made = LiveFolder::make(Environment());
  ASSERT_TRUE(made.ok()) << made.error().message;
  std::optional<LiveFolder> folder(std::move(*made));
  const std::string path = folder->path();
  auto left = std::make_unique<LiveRecords>();
  fill(left->records[3], 1, LiveCall::collective_write, 10 * second_ns);
  left->records[3].first_error.set("no space");
  left->records[3].activity = 2;
  left->activities[1].offsets.add(0, 64, {0, 64, 0, 0});
  left->records[3].has_error = true;
  left->records[4].path.set("/d/closed");
  left->records[4].state = LiveRecord::State::taken;
  leave(*folder, "one", *left);
  left = std::make_unique<LiveRecords>();
  fill(left->records[0], 0, LiveCall::none, 0);
  leave(*folder, "other", *left);
  left->layout = 1;  // of another version
  leave(*folder, "unknown", *left);
  std::ofstream(path + "/short") << "x";

  const std::vector<FileRecord> files = folder->untold_files(13 * second_ns);
  ASSERT_EQ(files.size(), 1u);
  const FileRecord& file = files[0];
  EXPECT_EQ(file.file, "/d/a.nc");
  EXPECT_EQ(file.ranks, 4);
  EXPECT_EQ(file.open_seconds, 0.25);
  EXPECT_EQ(file.sum[Counter::collective_writes], 5);
  EXPECT_EQ(file.slowest[Counter::collective_writes], 3);
  EXPECT_EQ(file.slowest[Counter::call_ns], 4 * second_ns)
      << "the time of the call that did not return counts";
  EXPECT_EQ(file.slowest_rank.whole_ns(), 4 * second_ns);
  EXPECT_EQ(file.unended_seconds, 3);
  EXPECT_EQ(file.first_error, "no space");
  ASSERT_EQ(file.activities.size(), 1u);
  EXPECT_THAT(file.activities[0], Not(HasSubstr("rows"))) << "rank 0 kept its own to itself";
  EXPECT_EQ(file.late_rank.rank, 0);
  EXPECT_EQ(file.late_rank.own_seconds, 1);
  ASSERT_EQ(file.open_ranks.size(), 2u);
  EXPECT_EQ(told_of_open_ranks(file),
            "not closed by 2 of 4 ranks; rank 0 in no call; rank 1 in a collective write for 3 s");
  left = std::make_unique<LiveRecords>();
  fill(left->records[3], 1, LiveCall::none, 0);
  left->records[3].path.set("/d/shown");
  left->records[3].activity = 2;
  left->activities[1].offsets.add(0, 64, {0, 64, 0, 0});
  leave(*folder, "one", *left);
  const std::vector<FileRecord> shown = folder->untold_files(13 * second_ns);
  ASSERT_EQ(shown.size(), 2u);
  EXPECT_THAT(shown[1].activities[0], HasSubstr(R"("first_rank":1,"ranks_a_row":1,"rows":1,)"));
  EXPECT_THAT(shown[1].activities[0], HasSubstr(R"("asked_written":[0,64])"));
  folder.reset();
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(OpenFiles, SoAreThoseThatWereOpenBriefly) {
  auto folder = LiveFolder::make(Environment());
  ASSERT_TRUE(folder.ok()) << folder.error().message;
  auto left = std::make_unique<LiveRecords>();
  BriefOpens& brief = left->brief[1];
  brief.path.set("/d/brief");
  brief.ranks = 4;
  brief.opens = 90;
  brief.totals.sums[static_cast<size_t>(Counter::independent_writes)] = 360;
  brief.totals.maxima[static_cast<size_t>(Counter::independent_writes)] = 91;
  brief.totals.maxima[ClosedTotals::open_ns] = second_ns / 2;
  brief.first_error.set("no space");
  brief.used = true;
  left->brief.back().opens = 7;
  left->brief.back().used = true;
  leave(*folder, "one", *left);
  const std::vector<FileRecord> files = folder->untold_files(second_ns);
  ASSERT_EQ(files.size(), 2u);
  EXPECT_EQ(files[0].file, "/d/brief");
  EXPECT_EQ(files[0].ranks, 4);
  EXPECT_EQ(files[0].times_opened, 90);
  EXPECT_EQ(files[0].sum[Counter::independent_writes], 360);
  EXPECT_EQ(files[0].slowest[Counter::independent_writes], 91);
  EXPECT_EQ(files[0].open_seconds, 0.5);
  EXPECT_EQ(files[0].first_error, "no space");
  EXPECT_TRUE(files[0].open_ranks.empty());
  EXPECT_EQ(files[1].file, BriefOpens::several);
  EXPECT_THAT(render_details(files),
              HasSubstr("sampled  90 of 90 opens so brief that only totals are known"));
}

TEST(OpenFiles, AreToldOfFirst) {
  FileRecord slow, open, refused;
  slow.file = "/d/slow";
  slow.open_seconds = 9;
  open.file = "/d/open";
  open.ranks = 3;
  open.sum[Counter::failed_calls] = 2;
  open.first_error = "MPI_File_write_at: no space";
  open.open_ranks = {{0, LiveCall::none, 0}, {1, LiveCall::close, 2}, {2, LiveCall::close, 3}};
  refused.file = "/d/refused";
  refused.ranks = 3;
  refused.times_opened = 0;
  refused.first_error = "MPI_File_open: no such file";
  const std::string text = render_summary({slow, refused, open});
  EXPECT_THAT(text, HasSubstr("concilio: the program ended before it closed 1 file; what was counted until"));
  EXPECT_THAT(text,
              HasSubstr("not closed by 3 ranks; rank 0 in no call; ranks 1-2 in MPI_File_close for 3 s\n"));
  EXPECT_THAT(text, HasSubstr("           2 calls failed; the first: MPI_File_write_at: no space\n"));
  EXPECT_THAT(text, HasSubstr("/d/refused: not opened by 3 ranks\n           MPI_File_open: no such file\n"));
  EXPECT_LT(text.find("/d/open"), text.find("/d/slow"));
  EXPECT_LT(text.find("/d/refused"), text.find("/d/slow"));
  EXPECT_THAT(render_summary({slow}), Not(HasSubstr("closed")));
  EXPECT_THAT(render_details({open}),
              HasSubstr("\n  2 calls failed; the first: MPI_File_write_at: no space\n"));
}

TEST(OpenFiles, StayInTheReport) {
  FileRecord file;
  file.file = "/d/a";
  file.first_error = "no space";
  file.open_ranks = {{7, LiveCall::collective_read, 1.5}, {8, LiveCall::none, 0}};
  const Result<Report> whole = parse_report(text_of(Report{"1", {}, 0, {{file}, 0}}));
  ASSERT_TRUE(whole.ok());
  const Records& again = whole->records;
  ASSERT_EQ(again.files.size(), 1u);
  EXPECT_EQ(again.files[0].first_error, "no space");
  ASSERT_EQ(again.files[0].open_ranks.size(), 2u);
  EXPECT_EQ(again.files[0].open_ranks[0].rank, 7);
  EXPECT_EQ(again.files[0].open_ranks[0].call, LiveCall::collective_read);
  EXPECT_EQ(again.files[0].open_ranks[0].seconds, 1.5);
  EXPECT_EQ(again.files[0].open_ranks[1].call, LiveCall::none);
}

TEST(Ranges, OfRanks) {
  EXPECT_EQ(ranges_of({}), "");
  EXPECT_EQ(ranges_of({3}), "3");
  EXPECT_EQ(ranges_of({0, 1, 2, 5, 7, 8}), "0-2, 5, 7-8");
  EXPECT_EQ(ranges_of({0, 2, 4, 6, 8, 10, 12}), "0, 2, 4, 6, 8, 10, ...");
}

TEST(LiveText, KeepsTheEndOfWhatIsTooLong) {
  LiveText<4> text;
  text.set("ab");
  EXPECT_EQ(text.view(), "ab");
  text.set("abcdef");
  EXPECT_EQ(text.view(), "cdef");
  text.set("a");
  EXPECT_EQ(text.view(), "a");
}

}  // namespace
}  // namespace concilio::tools
