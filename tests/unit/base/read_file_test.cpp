#include "base/system/read_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <thread>

namespace concilio::read_file_test {
namespace {

class ReadFile : public testing::Test {
 protected:
  ReadFile() {
    std::string name = testing::TempDir() + "read_file_XXXXXX";
    folder_ = mkdtemp(name.data());
  }
  ~ReadFile() override { std::filesystem::remove_all(folder_); }

  std::string holding(const std::string& text) {
    std::ofstream(path()) << text;
    return path();
  }
  std::string path() const { return folder_ + "/file"; }

 private:
  std::string folder_;
};

TEST_F(ReadFile, AllOfWhateverLength) {
  for (const size_t length : {0, 1, 64 << 10, (64 << 10) + 1, 1000000}) {
    const std::string text(length, 'x');
    const auto all = read_all(holding(text));
    ASSERT_TRUE(all);
    EXPECT_TRUE(*all == text) << length;
    const auto small = read_file(path(), static_cast<int64_t>(length));
    ASSERT_TRUE(small);
    EXPECT_TRUE(*small == text) << length;
  }
}

TEST_F(ReadFile, NoMoreThanIsAllowed) {
  const auto text = read_file(holding("12345"), 4);
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().kind, ErrorKind::bad_file);
}

TEST_F(ReadFile, WhatTheSystemWrites) {
  const auto status = read_all("/proc/self/status");
  ASSERT_TRUE(status);
  EXPECT_NE(status->find("VmPeak:"), std::string::npos);
}

TEST_F(ReadFile, APipeUntilItEnds) {
  ASSERT_EQ(mkfifo(path().c_str(), 0600), 0);
  EXPECT_FALSE(read_file(path(), 100));
  std::thread writer([&] { std::ofstream(path()) << "through a pipe"; });
  const auto text = read_all(path());
  writer.join();
  ASSERT_TRUE(text);
  EXPECT_EQ(*text, "through a pipe");
}

TEST_F(ReadFile, WhatCannotBeReadSaysWhy) {
  for (const auto& text : {read_all(path()), read_file(path(), 10)}) {
    ASSERT_FALSE(text);
    EXPECT_EQ(text.error().system_errno, ENOENT);
  }
  EXPECT_EQ(read_all("/").error().system_errno, EISDIR);
}

}  // namespace
}  // namespace concilio::read_file_test
