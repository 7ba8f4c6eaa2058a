// A file that is already open is opened again, whatever has happened to its name.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <functional>

#include "store/posix/posix.h"

namespace concilio::store::open_again_test {
namespace {

using testing::HasSubstr;

constexpr OpenMode create{true, true, true, false}, read_write{true, true, false, false};

class OpenAgain : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("concilio_again_" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
    first_ = opened(create);
    write(*first_, 'a');
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string path(const std::string& name = "file") const { return folder_ / name; }

  // The first `failing` attempts to open anything fail with `system_errno`.
  Result<std::unique_ptr<StoreFile>> try_open(const OpenMode& mode, int failing = 0, int system_errno = 0) {
    const auto hook = [failing, system_errno](StoreOperation operation, int64_t) mutable -> SyscallOutcome {
      if (operation == StoreOperation::open && failing-- > 0) return {system_errno, INT64_MAX};
      return {};
    };
    return make_posix_store(hook)->open(path(), mode);
  }
  std::unique_ptr<StoreFile> opened(const OpenMode& mode, int failing = 0, int system_errno = 0) {
    auto file = try_open(mode, failing, system_errno);
    if (!file) ADD_FAILURE() << file.error().message;
    return file ? std::move(*file) : nullptr;
  }
  OpenMode again(bool with_descriptor = true) const {
    OpenMode mode = read_write;
    mode.same_as = first_->identity();
    mode.descriptor = with_descriptor ? first_->descriptor() : -1;
    return mode;
  }
  static void write(StoreFile& file, char letter) {
    auto byte = static_cast<std::byte>(letter);
    ASSERT_TRUE(file.write({0, &byte, 1}));
  }
  static char letter_in(StoreFile& file) {
    std::byte byte{'?'};
    EXPECT_TRUE(file.read({0, &byte, 1}));
    return static_cast<char>(byte);
  }
  // Another file gets the name.
  void replace() {
    ASSERT_EQ(rename(path().c_str(), path("moved").c_str()), 0);
    write(*opened(create), 'b');
  }

  std::filesystem::path folder_;
  std::unique_ptr<StoreFile> first_;
};

// In another process, which has all descriptors of this one.
bool true_in_a_child(const std::function<bool()>& what) {
  const pid_t child = fork();
  if (child == 0) _exit(what() ? 0 : 1);
  int status = -1;
  return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST_F(OpenAgain, FileThatWasUnlinked) {
  ASSERT_EQ(unlink(path().c_str()), 0);
  const auto second = opened(again());
  ASSERT_TRUE(second);
  EXPECT_EQ(letter_in(*second), 'a');
}

// A child process opens what this one has open.
TEST_F(OpenAgain, FileThatAnotherProcessHasOpen) {
  replace();
  OpenMode mode = again();
  mode.process = getpid();
  EXPECT_TRUE(true_in_a_child([&] {
    close(mode.descriptor);
    const auto second = try_open(mode);
    return second && (*second)->identity().inode == mode.same_as.inode && letter_in(**second) == 'a';
  }));
  // Another file of that process, or none: the path is not tried.
  const auto other = opened(read_write);
  mode.descriptor = other->descriptor();
  EXPECT_FALSE(try_open(mode));
  mode.descriptor = 1 << 20;
  mode.same_as = other->identity();
  EXPECT_FALSE(try_open(mode));
}

TEST_F(OpenAgain, FileWhoseNameAnotherTook) {
  replace();
  const auto second = opened(again());
  ASSERT_TRUE(second);
  EXPECT_EQ(letter_in(*second), 'a');
}

TEST_F(OpenAgain, LocksOfBothKeepEachOtherOut) {
  const auto second = opened(again());
  ASSERT_TRUE(first_->lock(0, 10, LockMode::exclusive, 0));
  EXPECT_FALSE(second->lock(0, 10, LockMode::shared, 0));
  ASSERT_TRUE(first_->unlock(0, 10));
  EXPECT_TRUE(second->lock(0, 10, LockMode::exclusive, 0));
}

TEST_F(OpenAgain, WithoutADescriptorThePathMustLeadToTheFile) {
  EXPECT_TRUE(opened(again(false)));
  replace();
  const auto second = try_open(again(false));
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().kind, ErrorKind::no_such_file);
  EXPECT_THAT(second.error().message, HasSubstr(path()));
  EXPECT_THAT(second.error().message, HasSubstr("another file"));
}

TEST_F(OpenAgain, WithoutProcThePathServes) {
  const auto second = opened(again(), 1, ENOENT);
  ASSERT_TRUE(second);
  EXPECT_EQ(letter_in(*second), 'a');
  ASSERT_TRUE(first_->lock(0, 10, LockMode::exclusive, 0));
  EXPECT_FALSE(second->lock(0, 10, LockMode::shared, 0)) << "it has a description of its own";
}

TEST_F(OpenAgain, WithoutProcAndNameTheDescriptorItselfServes) {
  replace();
  const auto second = opened(again(), 1, ENOENT);
  ASSERT_TRUE(second);
  EXPECT_EQ(letter_in(*second), 'a');
}

TEST_F(OpenAgain, LocksOfASharedDescriptionKeepProcessesApart) {
  const auto second = opened(again(), 2, EACCES);
  ASSERT_TRUE(second);
  ASSERT_TRUE(second->lock(0, 10, LockMode::exclusive, 0));
  EXPECT_FALSE(first_->lock(0, 10, LockMode::shared, 0)) << "which locks by the description";
  EXPECT_TRUE(true_in_a_child([&] {
    const auto third = opened(again(), 2, EACCES);
    return third && third->lock(10, 10, LockMode::exclusive, 0) && !third->lock(0, 10, LockMode::shared, 0);
  }));
  ASSERT_TRUE(second->unlock(0, 10));
  EXPECT_TRUE(true_in_a_child([&] {
    const auto third = opened(again(), 2, EACCES);
    return third && third->lock(0, 10, LockMode::exclusive, 0);
  }));
}

TEST_F(OpenAgain, FailuresOfAllWaysLeaveNoDescriptorOpen) {
  const int before = dup(0);
  close(before);
  EXPECT_FALSE(try_open(again(), 3, EMFILE));
  replace();
  EXPECT_FALSE(try_open(again(false)));
  const int after = dup(0);
  close(after);
  EXPECT_EQ(before, after);
}

TEST_F(OpenAgain, FileIsRemovedOnlyIfTheNameStillLeadsToIt) {
  const FileIdentity identity = first_->identity();
  replace();
  const Status refused = make_posix_store()->remove(path(), identity);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::no_such_file);
  EXPECT_TRUE(std::filesystem::exists(path()));
  EXPECT_TRUE(make_posix_store()->remove(path("moved"), identity));
  EXPECT_FALSE(std::filesystem::exists(path("moved")));
}

TEST_F(OpenAgain, IdentitiesThatMayBeOneFile) {
  EXPECT_TRUE(may_be_same({1, 2}, {1, 2}));
  EXPECT_FALSE(may_be_same({1, 2}, {1, 3}));
  EXPECT_FALSE(may_be_same({1, 2}, {2, 2}));
  EXPECT_TRUE(may_be_same({1, 2}, {0, 2})) << "of another host";
  EXPECT_FALSE(may_be_same({1, 2}, {0, 3}));
  EXPECT_TRUE(may_be_same({1, 2}, {})) << "not known";
}

}  // namespace
}  // namespace concilio::store::open_again_test
