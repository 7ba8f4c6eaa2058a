#include "summary/advice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace concilio::tools {
namespace {

using testing::HasSubstr, testing::StartsWith;

FileRecord slow_file() {
  FileRecord file;
  file.ranks = 4;
  file.slowest[Counter::call_ns] = 1'000'000'000;
  return file;
}

// 4 ranks write 1000 times 8 bytes each.
FileRecord small_writes() {
  FileRecord file = slow_file();
  file.sum[Counter::independent_writes] = 4000;
  file.slowest[Counter::independent_writes] = 1000;
  file.sum[Counter::bytes_written] = 32000;
  return file;
}

// Collective writes that took two_phase although list would take half the time.
FileRecord dear_two_phase() {
  FileRecord file = slow_file();
  file.sum[Counter::collective_writes] = 4;
  file.reasons = {
      {"write",
       "two_phase",
       true,
       "",
       4,
       {{plan::Method::two_phase, true, true, 4e-3, 0, 0}, {plan::Method::list, true, false, 2e-3, 0, 0}}}};
  return file;
}

TEST(Advice, SmallIndependentCallsAreMadeCollective) {
  EXPECT_EQ(advice_on(small_writes()).text,
            "8-byte independent writes, 4000 by 4 ranks: make them fewer and collective: "
            "MPI_File_write_at_all; h5py: with "
            "dset.collective:");
  FileRecord reads = slow_file();
  reads.sum[Counter::independent_reads] = 4000;
  reads.slowest[Counter::independent_reads] = 1000;
  reads.sum[Counter::bytes_read] = 4000 * 1536;
  reads.sum[Counter::collective_reads] = 4;
  EXPECT_THAT(advice_on(reads).text,
              StartsWith("at most 1.5-KiB independent reads, 4000 by 4 ranks: make them fewer and "
                         "collective: MPI_File_read_at_all;"));
}

TEST(Advice, SaysWhatItWins) {
  const Advice small = advice_on(small_writes());
  EXPECT_EQ(small.seconds, 1);
  EXPECT_TRUE(small.at_most);
  EXPECT_THAT(small.to_paste, testing::Contains("h5py: with dset.collective:"));
  EXPECT_THAT(small.to_paste, testing::Contains(StartsWith("C: MPI_File_write_at_all(")));
  FileRecord file = dear_two_phase();
  file.hints["concilio_method"] = "two_phase";
  const Advice chosen = advice_on(file);
  EXPECT_DOUBLE_EQ(chosen.seconds, 4 * 2e-3);
  EXPECT_FALSE(chosen.at_most);
  // Other calls by the same method are helped too.
  file.reasons.push_back(file.reasons.front());
  EXPECT_DOUBLE_EQ(advice_on(file).seconds, 2 * 4 * 2e-3);
  EXPECT_EQ(to_be_won(small), "at most 1 s to be won");
  EXPECT_EQ(to_be_won(chosen), "about 8 ms to be won");
}

TEST(Advice, TellsWhatOneCollectiveCallWouldTake) {
  FileRecord file = small_writes();
  file.one_calls = {{"write", "two_phase", 0.3, 0.8}};
  const Advice advice = advice_on(file);
  EXPECT_EQ(advice.expectation,
            "as one collective write, two_phase would take 300 ms instead of 1 s (predicted, by prices that "
            "give 800 ms for the calls as they were)");
  EXPECT_DOUBLE_EQ(advice.seconds, 0.7);
  EXPECT_FALSE(advice.at_most);
  // Where other calls took a part of the time, nobody has measured what these took.
  file.sum[Counter::independent_reads] = 1;
  const Advice among_others = advice_on(file);
  EXPECT_EQ(among_others.expectation,
            "as one collective write, two_phase would take 300 ms instead of 800 ms (both predicted)");
  EXPECT_DOUBLE_EQ(among_others.seconds, 0.5);
  // What is known of the reads says nothing of the writes.
  file.one_calls[0].operation = "read";
  EXPECT_EQ(advice_on(file).expectation, "");
  EXPECT_TRUE(advice_on(file).at_most);
}

TEST(Advice, MoreThanTheCallsTookIsNotWon) {
  FileRecord file = small_writes();
  file.sum[Counter::independent_reads] = 1;
  file.one_calls = {{"write", "two_phase", 0.3, 7}};
  EXPECT_EQ(to_be_won(advice_on(file)), "at most 1 s to be won");
}

TEST(Advice, NoneWhereACollectiveCallWouldWinNothing) {
  FileRecord file = small_writes();
  file.one_calls = {{"write", "list", 0.9, 0.8}};
  EXPECT_EQ(advice_on(file).text, "");
  file.one_calls[0].seconds = 0.7;
  EXPECT_NE(advice_on(file).text, "");
}

TEST(Advice, IndependentCallsInManyPiecesAreMadeCollective) {
  FileRecord file = slow_file();
  file.sum[Counter::independent_writes] = 4;
  file.slowest[Counter::independent_writes] = 1;
  file.sum[Counter::bytes_written] = file.sum[Counter::storage_bytes_written] = 4 << 20;
  file.sum[Counter::storage_writes] = 65536;
  EXPECT_EQ(advice_on(file).text, "");
  file.reasons = {{"write", "list", false, "", 4, {}}};
  EXPECT_THAT(advice_on(file).text,
              StartsWith("independent writes in 64-byte pieces, 65536 requests of 4 ranks: "
                         "make them collective: MPI_File_write_at_all;"));
}

TEST(Advice, NoneWhereNothingIsKnownToHelp) {
  EXPECT_EQ(advice_on(slow_file()).text, "");
  FileRecord file = small_writes();
  file.slowest[Counter::call_ns] = 1'000'000;  // nothing can be gained
  EXPECT_EQ(advice_on(file).text, "");
  file = small_writes();
  file.slowest[Counter::independent_writes] = 4000;  // one rank made all the calls
  EXPECT_EQ(advice_on(file).text, "");
  file = small_writes();
  file.sum[Counter::bytes_written] = int64_t{4000} << 20;
  EXPECT_EQ(advice_on(file).text, "");
  file = small_writes();
  file.sum[Counter::independent_writes] = 40;
  file.slowest[Counter::independent_writes] = 10;
  file.sum[Counter::bytes_written] = 320;
  EXPECT_EQ(advice_on(file).text, "");
}

TEST(Advice, HintThatChoseASlowerMethod) {
  FileRecord file = dear_two_phase();
  EXPECT_EQ(advice_on(file).text, "");
  file.hints["concilio_method"] = "two_phase";
  EXPECT_EQ(advice_on(file).text,
            "--hint concilio_method=auto: predicted 2 ms a write by list, 4 ms by two_phase");
  file.hints = {{"concilio_method", "auto"}, {"romio_cb_write", "enable"}};
  EXPECT_THAT(advice_on(file).text, StartsWith("--hint romio_cb_write=automatic: predicted 2 ms"));
  // If both methods have run, their measured times take precedence over the prices.
  plan::Candidate& taken = file.reasons[0].candidates[0];
  taken.calls = 3;
  taken.measured_seconds = 1e-3;
  EXPECT_THAT(advice_on(file).text, HasSubstr("predicted"));
  plan::Candidate& other = file.reasons[0].candidates[1];
  other.calls = 1;
  other.measured_seconds = 3e-3;
  EXPECT_EQ(advice_on(file).text, "");
  other.legal = false;
  other.measured_seconds = 0.1e-3;
  EXPECT_EQ(advice_on(file).text, "");
}

TEST(Advice, HintThatForbadeToBringPiecesTogether) {
  FileRecord file = slow_file();
  file.sum[Counter::collective_writes] = 4;
  file.sum[Counter::storage_writes] = 65536;
  file.sum[Counter::storage_bytes_written] = 4 << 20;
  file.reasons = {{"write", "list", true, "", 4, {}}};
  EXPECT_EQ(advice_on(file).text, "");
  file.hints = {{"romio_ds_write", "disable"}};
  EXPECT_EQ(advice_on(file).text,
            "--hint romio_ds_write=automatic: with romio_ds_write=disable there were 65536 writes of 64 B on "
            "average");
  file.hints["romio_cb_write"] = "disable";
  EXPECT_THAT(advice_on(file).text, StartsWith("--hint romio_cb_write=automatic: "));
  file.sum[Counter::storage_writes] = 4;
  EXPECT_EQ(advice_on(file).text, "");
}

TEST(Advice, MemoryLimitBelowTheUsual) {
  FileRecord file = slow_file();
  file.slowest[Counter::collective_writes] = 2;
  file.slowest[Counter::rounds] = 2000;
  file.hints["concilio_memory_limit"] = "8388608";
  EXPECT_EQ(advice_on(file).text, "");
  file.hints["concilio_memory_limit"] = "65536";
  EXPECT_EQ(advice_on(file).text, "--memory-limit 8M: 64 KiB make 2000 rounds of 2 collective calls");
}

TEST(Advice, FileOfOneStorageTarget) {
  FileRecord file = slow_file();
  file.ranks = 4;
  file.hints["romio_filesystem_type"] = "Concilio on lustre";
  file.hints["striping_factor"] = "1";
  file.sum[Counter::bytes_written] = int64_t{1} << 30;
  EXPECT_EQ(advice_on(file).text,
            "--hint striping_factor=-1, where the program creates the file: 1 GiB went to or from one "
            "storage target of "
            "Lustre; for all files of a folder: lfs setstripe -c -1 FOLDER");
  file.hints["striping_factor"] = "2";
  EXPECT_EQ(advice_on(file).text, "");
  file.hints["striping_factor"] = "1";
  file.hints["romio_filesystem_type"] = "Concilio on ext4";
  EXPECT_EQ(advice_on(file).text, "");
}

}  // namespace
}  // namespace concilio::tools
