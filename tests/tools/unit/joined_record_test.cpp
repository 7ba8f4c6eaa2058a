// The parts of a record that ranks write, and the file that they become.
#include "summary/joined_record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "base/system/read_file.h"

namespace concilio::tools::joined_record_test {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class JoinedRecordTest : public testing::Test {
 protected:
  JoinedRecordTest() { fs::create_directories(folder_); }
  ~JoinedRecordTest() override { fs::remove_all(folder_); }

  std::string file() const { return folder_ + "/calls"; }
  static void write_part(const JoinedRecord& record, int rank, const std::string& text) {
    std::ofstream(record.folder() + "/rank-" + std::to_string(rank)) << text;
  }

 private:
  // Several tests run at a time.
  std::string folder_ = testing::TempDir() + "joined_record_test-" + std::to_string(getpid());
};

TEST_F(JoinedRecordTest, HasTheRanksInOrderAndCountsItsLines) {
  const auto record = JoinedRecord::begin(file());
  ASSERT_TRUE(record) << record.error().message;
  EXPECT_FALSE(record->has_parts());
  write_part(*record, 10, "{\"rank\":10,\"ranks\":11,\"host\":\"b\"}\n{\"call\":\"j\"}\n");
  for (int rank = 0; rank < 9; ++rank)
    write_part(*record, rank, "{\"rank\":" + std::to_string(rank) + ",\"ranks\":11,\"host\":\"a\"}\n");
  EXPECT_TRUE(record->has_parts());
  const auto joined = record->join();
  ASSERT_TRUE(joined) << joined.error().message;
  EXPECT_EQ(joined->ranks, 11);
  EXPECT_THAT(joined->absent, ElementsAre(9));
  EXPECT_THAT(joined->full, ElementsAre());
  const std::string text = *read_all(file());
  EXPECT_THAT(text, testing::StartsWith(
                        "{\"concilio_record\":1,\"ranks\":11,\"nodes\":2}\n{\"rank\":0,\"node\":0}\n"));
  EXPECT_THAT(
      text, testing::EndsWith("{\"rank\":9}\n{\"rank\":10,\"node\":1}\n{\"call\":\"j\"}\n{\"lines\":13}\n"));
}

// Where storage had no room for all of a line, or a signal came, the line is left out.
TEST_F(JoinedRecordTest, EndsAPartBeforeALineThatIsNotWhole) {
  const auto record = JoinedRecord::begin(file());
  ASSERT_TRUE(record) << record.error().message;
  write_part(*record, 0, "{\"rank\":0,\"ranks\":1,\"host\":\"a\"}\n{\"call\":\"j\"}\n{\"call\":");
  const auto joined = record->join();
  ASSERT_TRUE(joined) << joined.error().message;
  EXPECT_THAT(joined->full, ElementsAre(0));
  EXPECT_THAT(*read_all(file()), HasSubstr("{\"call\":\"j\"}\n{\"full\":true}\n{\"lines\":4}\n"));
}

TEST_F(JoinedRecordTest, IsOfOneProgram) {
  const auto record = JoinedRecord::begin(file());
  ASSERT_TRUE(record) << record.error().message;
  write_part(*record, 0, "{\"rank\":0,\"ranks\":1,\"host\":\"a\"}\n");
  write_part(*record, 1, "{\"rank\":1,\"ranks\":2,\"host\":\"a\"}\n");
  const auto joined = record->join();
  ASSERT_FALSE(joined);
  EXPECT_THAT(joined.error().message, HasSubstr("several programs"));
  EXPECT_FALSE(fs::exists(file()));
}

// A device is not removed, nor is a link.
TEST_F(JoinedRecordTest, RemovesNothingButAnOldRecord) {
  std::ofstream(file()) << "old";
  const std::string link = file() + ".link";
  fs::create_symlink(file(), link);
  ASSERT_TRUE(JoinedRecord::begin(link));
  EXPECT_TRUE(fs::is_symlink(link));
  ASSERT_TRUE(JoinedRecord::begin(file()));
  EXPECT_FALSE(fs::exists(file()));
}

TEST_F(JoinedRecordTest, LeavesNoFolderBehind) {
  std::string folder;
  {
    const auto record = JoinedRecord::begin(file());
    ASSERT_TRUE(record) << record.error().message;
    folder = record->folder();
    EXPECT_TRUE(fs::exists(folder));
  }
  EXPECT_FALSE(fs::exists(folder));
  EXPECT_FALSE(JoinedRecord::begin("/no/such/folder/calls"));
}

}  // namespace
}  // namespace concilio::tools::joined_record_test
