// Mapped files, as the stores provide them.
#include "store/mapping.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <string>

#include "store/memory.h"
#include "store/posix/posix.h"
#include "store/wrappers/fault.h"
#include "store/wrappers/throttle.h"
#include "store/wrappers/trace.h"

namespace concilio::store::mapping_test {
namespace {

class MappedFile : public testing::Test {
 protected:
  MappedFile() {
    std::string name = (std::filesystem::temp_directory_path() / "concilio-mapping-XXXXXX").string();
    const int fd = mkstemp(name.data());
    if (fd >= 0) close(fd);
    path_ = name;
  }
  ~MappedFile() override { std::filesystem::remove(path_); }

  std::unique_ptr<StoreFile> open(std::unique_ptr<Store> store, OpenMode mode = {true, true}) {
    store_ = std::move(store);
    auto file = store_->open(path_, mode);
    EXPECT_TRUE(file.ok());
    return file ? std::move(*file) : nullptr;
  }
  std::unique_ptr<StoreFile> open_posix(OpenMode mode = {true, true}) {
    return open(make_posix_store(), mode);
  }

  void fill(StoreFile& file, int64_t bytes) {
    std::string text(static_cast<size_t>(bytes), 'x');
    for (size_t i = 0; i < text.size(); ++i) text[i] = static_cast<char>('a' + i % 23);
    ASSERT_TRUE(file.write({0, reinterpret_cast<std::byte*>(text.data()), bytes}).ok());
  }
  std::string contents(StoreFile& file, int64_t offset, int64_t bytes) {
    std::string text(static_cast<size_t>(bytes), '?');
    const auto got = file.read({offset, reinterpret_cast<std::byte*>(text.data()), bytes});
    EXPECT_TRUE(got.ok());
    text.resize(got ? static_cast<size_t>(*got) : 0);
    return text;
  }
  int64_t size() { return static_cast<int64_t>(std::filesystem::file_size(path_)); }

  // The tests' own folder may be on a file system whose files are not mapped.
  static bool mappable(StoreFile& file) { return file.can_map(true); }

  std::string path_;
  std::unique_ptr<Store> store_;
};

TEST_F(MappedFile, BeginsAtTheByteAskedForWhereverThatLiesInItsPage) {
  auto file = open_posix();
  fill(*file, 20000);
  if (!mappable(*file)) GTEST_SKIP();
  for (const int64_t offset : {0, 1, 4095, 4096, 4097, 12345, 19999}) {
    const int64_t length = 20000 - offset;
    auto mapping = file->map(offset, length, false);
    ASSERT_TRUE(mapping.ok()) << mapping.error().message;
    EXPECT_EQ(std::string(reinterpret_cast<char*>(mapping->data()), static_cast<size_t>(length)),
              contents(*file, offset, length));
  }
}

TEST_F(MappedFile, WhatIsWrittenThereIsReadByEverybody) {
  auto file = open_posix();
  fill(*file, 10000);
  if (!mappable(*file)) GTEST_SKIP();
  auto mapping = file->map(5000, 3, true);
  ASSERT_TRUE(mapping.ok());
  std::memcpy(mapping->data(), "NEW", 3);
  EXPECT_EQ(contents(*file, 4999, 5),
            std::string(1, static_cast<char>('a' + 4999 % 23)) + "NEW" + static_cast<char>('a' + 5003 % 23));
  EXPECT_EQ(size(), 10000);
}

TEST_F(MappedFile, SpaceEndsTheFileAtItsOwnEndOrLeavesItLonger) {
  auto file = open_posix();
  fill(*file, 100);
  if (!mappable(*file)) GTEST_SKIP();
  ASSERT_TRUE(file->make_space(10, 20).ok());
  EXPECT_EQ(size(), 100);
  ASSERT_TRUE(file->make_space(70001, 7).ok());
  EXPECT_EQ(size(), 70008);
  EXPECT_EQ(contents(*file, 98, 4), std::string({'a' + 98 % 23, 'a' + 99 % 23, 0, 0}));
  EXPECT_EQ(contents(*file, 70001, 100), std::string(7, '\0'));
  EXPECT_TRUE(file->make_space(70001, 0).ok());
}

TEST_F(MappedFile, SpaceOfManySteps) {
  auto file = open_posix();
  if (!mappable(*file)) GTEST_SKIP();
  constexpr int64_t bytes = (int64_t{64} << 20) + 12345;
  const Status status = file->make_space(3, bytes);
  if (!status && status.error().kind == ErrorKind::no_space) GTEST_SKIP();
  ASSERT_TRUE(status.ok());
  EXPECT_EQ(size(), bytes + 3);
  struct stat found;
  ASSERT_EQ(stat(path_.c_str(), &found), 0);
  EXPECT_GE(found.st_blocks * 512, bytes);
}

TEST_F(MappedFile, BehindTheEndIsAnErrorAndNoSignal) {
  auto file = open_posix();
  fill(*file, 5000);
  if (!mappable(*file)) GTEST_SKIP();
  for (const bool write : {false, true}) {
    auto mapping = file->map(4000, 10000, write);
    ASSERT_FALSE(mapping.ok());
    EXPECT_EQ(mapping.error().kind, ErrorKind::unsupported);
  }
}

// The error that the kernel returns if there is too little memory.
TEST_F(MappedFile, PagesThatCannotBeHadNowAreLeftToRequests) {
  auto file = open(make_posix_store([](StoreOperation operation, int64_t bytes) {
    return SyscallOutcome{operation == StoreOperation::map ? EAGAIN : 0, bytes};
  }));
  fill(*file, 100);
  const auto mapping = file->map(0, 100, false);
  ASSERT_FALSE(mapping.ok());
  EXPECT_EQ(mapping.error().kind, ErrorKind::unsupported);
}

TEST_F(MappedFile, NeedsWhatTheOpeningAllows) {
  auto both = open_posix();
  fill(*both, 10);
  if (!mappable(*both)) GTEST_SKIP();
  EXPECT_TRUE(both->can_map(false));
  auto reading = open_posix({true, false});
  EXPECT_TRUE(reading->can_map(false));
  EXPECT_FALSE(reading->can_map(true));
  EXPECT_EQ(reading->map(0, 10, true).error().kind, ErrorKind::access_mode);
  EXPECT_EQ(reading->make_space(0, 10).error().kind, ErrorKind::access_mode);
  auto writing = open_posix({false, true});
  EXPECT_FALSE(writing->can_map(true));
  EXPECT_EQ(writing->map(0, 10, true).error().kind, ErrorKind::access_mode);
}

TEST_F(MappedFile, ThrottledStorageIsNotMappedPastItsThrottle) {
  auto file = open(make_throttle_store(make_posix_store(), {}));
  fill(*file, 10);
  EXPECT_FALSE(file->can_map(false));
  EXPECT_FALSE(file->can_map(true));
  EXPECT_EQ(file->map(0, 10, false).error().kind, ErrorKind::unsupported);
}

TEST_F(MappedFile, TracedStorageIsMappedAndSeen) {
  std::string seen;
  auto file = open(make_trace_store(make_posix_store(), [&](const StoreEvent& event, bool) {
    seen += operation_name(event.operation) + std::to_string(event.offset) + ":" +
            std::to_string(event.bytes) + " ";
  }));
  fill(*file, 100);
  if (!mappable(*file)) GTEST_SKIP();
  seen.clear();
  EXPECT_TRUE(file->make_space(10, 90).ok());
  EXPECT_TRUE(file->map(20, 30, true).ok());
  EXPECT_EQ(seen, "preallocate10:90 map20:30 ");
}

TEST_F(MappedFile, FaultsStrikeMappings) {
  auto plan = parse_faults("map:2:EIO");
  ASSERT_TRUE(plan.ok());
  auto file = open(make_fault_store(make_posix_store(), *plan));
  fill(*file, 100);
  if (!mappable(*file)) GTEST_SKIP();
  EXPECT_TRUE(file->map(0, 100, true).ok());
  EXPECT_EQ(file->map(0, 100, true).error().kind, ErrorKind::io);
}

TEST(Mapping, StorageInMemoryHasNone) {
  auto store = make_memory_store();
  auto file = store->open("a", {true, true, true, false});
  ASSERT_TRUE(file.ok());
  EXPECT_FALSE((*file)->can_map(false));
  EXPECT_EQ((*file)->map(0, 1, false).error().kind, ErrorKind::unsupported);
  EXPECT_EQ((*file)->make_space(0, 1).error().kind, ErrorKind::unsupported);
}

TEST(Mapping, FileSystemsThatMoveBlocksAreOnlyRead) {
  constexpr uint32_t btrfs = 0x9123683E, ext4 = 0x0000EF53, tmpfs = 0x01021994, hugetlbfs = 0x958458F6,
                     overlayfs = 0x794C7630;
  EXPECT_TRUE(may_be_mapped(btrfs, false));
  EXPECT_FALSE(may_be_mapped(btrfs, true));
  EXPECT_TRUE(may_be_mapped(overlayfs, false));
  EXPECT_FALSE(may_be_mapped(overlayfs, true));
  EXPECT_TRUE(may_be_mapped(ext4, true));
  EXPECT_TRUE(may_be_mapped(tmpfs, true));
  EXPECT_FALSE(may_be_mapped(hugetlbfs, false));
}

}  // namespace
}  // namespace concilio::store::mapping_test
