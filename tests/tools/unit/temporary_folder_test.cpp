#include "system/temporary_folder.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>

namespace concilio::tools {
namespace {

namespace fs = std::filesystem;

class TemporaryFolders : public testing::Test {
 protected:
  void SetUp() override { ASSERT_NE(mkdtemp(parent.data()), nullptr); }
  void TearDown() override { fs::remove_all(parent); }
  TemporaryFolder made() {
    Result<TemporaryFolder> folder = TemporaryFolder::make(parent, "used-");
    EXPECT_TRUE(folder.ok());
    return std::move(*folder);
  }
  std::string parent = testing::TempDir() + "/folders-XXXXXX";
};

TEST_F(TemporaryFolders, AreGoneWithTheirObjects) {
  std::optional<TemporaryFolder> first = made();
  const std::string path = first->path();
  EXPECT_TRUE(path.starts_with(parent + "/used-"));
  std::ofstream(path + "/file") << "text";
  const TemporaryFolder second = std::move(*first);
  first.reset();
  EXPECT_TRUE(fs::exists(path + "/file"));
  EXPECT_NE(made().path(), path);
  EXPECT_TRUE(fs::exists(path + "/file")) << "somebody uses it";
}

TEST_F(TemporaryFolders, OfAKilledOwnerAreRemovedByTheNext) {
  const pid_t owner = fork();
  ASSERT_GE(owner, 0);
  if (owner == 0) {
    const Result<TemporaryFolder> folder = TemporaryFolder::make(parent, "used-");
    if (folder) std::ofstream(folder->path() + "/file") << "text";
    kill(getpid(), SIGKILL);
  }
  ASSERT_EQ(waitpid(owner, nullptr, 0), owner);
  EXPECT_EQ(std::distance(fs::directory_iterator(parent), fs::directory_iterator()), 1);
  fs::create_directory(parent + "/other-123456");
  std::ofstream(parent + "/used-123456") << "no folder";
  const TemporaryFolder folder = made();
  EXPECT_EQ(std::distance(fs::directory_iterator(parent), fs::directory_iterator()), 3)
      << "the new one, and what is none of these folders";
}

TEST_F(TemporaryFolders, AnErrorNamesTheParent) {
  const auto none = TemporaryFolder::make(parent + "/missing", "used-");
  ASSERT_FALSE(none.ok());
  EXPECT_NE(none.error().message.find(parent + "/missing"), std::string::npos);
}

}  // namespace
}  // namespace concilio::tools
