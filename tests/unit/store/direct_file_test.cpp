// Transfers between a file and the memory of a GPU, by the stand-in for cuFile.
#include "store/posix/direct_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <vector>

#include "base/gpu/cufile.h"
#include "base/waiting.h"
#include "gpu/memory.h"
#include "store/memory.h"
#include "store/wrappers/fault.h"
#include "store/wrappers/throttle.h"
#include "store/wrappers/trace.h"

namespace concilio::store::direct_file_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr OpenMode create{true, true, true, false};
constexpr int64_t size = 16 * CuFile::unit;

std::vector<uint8_t> bytes_of(uint8_t first) {
  std::vector<uint8_t> bytes(size);
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<uint8_t>(first + i / 100);
  return bytes;
}

class Direct : public testing::Test {
 protected:
  Direct() : memory_(bytes_of(1)), stream_(DeviceStream::begin(DeviceMemory::at(memory_.data()))) {
    (void)cufile();
    folder_ = std::filesystem::temp_directory_path() / ("concilio_direct_" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
  }
  ~Direct() override { std::filesystem::remove_all(folder_); }

  void SetUp() override {
    if (!has_direct_files(folder_)) GTEST_SKIP();
  }
  std::unique_ptr<StoreFile> open(const std::unique_ptr<Store>& store) {
    auto file = store->open(folder_ / "file", create);
    if (!file) {
      ADD_FAILURE() << file.error().message;
      return nullptr;
    }
    return std::move(*file);
  }
  Transfer whole() const { return {0, reinterpret_cast<std::byte*>(memory_.data()), size}; }
  Result<int64_t> move(StoreFile& file, Operation operation) {
    return file.move_directly(operation, *stream_, whole());
  }

  std::filesystem::path folder_;
  const GpuMemory memory_;
  const Result<DeviceStream> stream_;
};

TEST_F(Direct, OfAPosixFile) {
  const auto store = make_posix_store();
  const auto file = open(store);
  ASSERT_TRUE(file->reaches(*stream_));
  EXPECT_EQ(*move(*file, Operation::write), size);
  memory_.put(bytes_of(50));
  EXPECT_EQ(*move(*file, Operation::read), size);
  EXPECT_EQ(memory_.get(), bytes_of(1));
  EXPECT_EQ(cufile().call("cufile_files"), 1);
  EXPECT_TRUE(file->close());
  EXPECT_EQ(cufile().call("cufile_files"), 0);
}

TEST_F(Direct, NotWhereStorageHasNoFiles) {
  const auto store = make_memory_store();
  EXPECT_FALSE(open(store)->reaches(*stream_));
}

TEST_F(Direct, NotWhereFilesAreInMemory) {
  const std::string path = "/dev/shm/concilio_direct_" + std::to_string(getpid());
  const auto store = make_posix_store();
  const auto file = store->open(path, create);
  ASSERT_TRUE(file) << file.error().message;
  std::filesystem::remove(path);
  EXPECT_FALSE((*file)->reaches(*stream_));
}

TEST_F(Direct, NotForAnotherVendorsMemory) {
  static const GpuLibrary hip(HIP_STAND_IN);
  void* address = nullptr;
  hip.call("hipMalloc", &address, size_t{4096});
  const auto stream = DeviceStream::begin(DeviceMemory::at(address));
  ASSERT_TRUE(stream);
  EXPECT_FALSE(open(make_posix_store())->reaches(*stream));
}

TEST_F(Direct, FaultsStrikeAndTracesTell) {
  const auto plan = parse_faults("write:2:ENOSPC;read:1:EIO");
  std::vector<std::string> seen;
  const auto store = make_trace_store(
      make_fault_store(make_posix_store(), *plan), [&](const StoreEvent& event, bool succeeded) {
        seen.push_back(std::string(operation_name(event.operation)) + (succeeded ? " " : " failed ") +
                       std::to_string(event.bytes));
      });
  const auto file = open(store);
  seen.clear();
  ASSERT_TRUE(file->reaches(*stream_));
  EXPECT_TRUE(move(*file, Operation::write));
  EXPECT_EQ(move(*file, Operation::write).error().kind, ErrorKind::no_space);
  EXPECT_EQ(move(*file, Operation::read).error().kind, ErrorKind::io);
  EXPECT_TRUE(move(*file, Operation::read));
  EXPECT_THAT(seen, ElementsAre("write 65536", "write failed 65536", "read failed 65536", "read 65536"));
}

TEST_F(Direct, ASlowStoreIsSlow) {
  const auto store = make_throttle_store(make_posix_store(), *parse_throttle("request=30"));
  const auto file = open(store);
  ASSERT_TRUE(file->reaches(*stream_));
  const int64_t begin_ns = now_ns();
  EXPECT_TRUE(move(*file, Operation::write));
  EXPECT_GE(now_ns() - begin_ns, 30'000'000);
}

// Half of what is left each time, in whole blocks, and interrupted every second time.
TEST_F(Direct, InterruptedAndShortCalls) {
  const auto store =
      make_posix_store(make_fault_hook(*parse_faults("write:*:eintr;write:*:short;read:2:short")));
  const auto file = open(store);
  ASSERT_TRUE(file->reaches(*stream_));
  const int64_t last_block = size - CuFile::unit;
  EXPECT_EQ(*move(*file, Operation::write), last_block) << "half a block is left to others";
  memory_.put(bytes_of(50));
  EXPECT_EQ(*move(*file, Operation::read), last_block) << "the file ends there";
  std::vector<uint8_t> expected = bytes_of(1), rest = bytes_of(50);
  std::copy(rest.begin() + last_block, rest.end(), expected.begin() + last_block);
  EXPECT_EQ(memory_.get(), expected);
}

TEST_F(Direct, WhatCuFileCannotDoIsLeftToOthersAndSaidOnce) {
  const auto store = make_posix_store();
  const auto file = open(store);
  ASSERT_TRUE(file->reaches(*stream_));
  cufile().call("cufile_fail", 1, -5011);
  testing::internal::CaptureStderr();
  EXPECT_EQ(*move(*file, Operation::write), 0);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_THAT(said, HasSubstr("cannot write 65536 bytes at offset 0 of "));
  EXPECT_THAT(said, HasSubstr("directly: CUDA failed (cuFile error 5011)"));
  EXPECT_FALSE(file->reaches(*stream_));
}

TEST_F(Direct, AFileThatIsOpenForOneDirection) {
  { const auto made = open(make_posix_store()); }
  const auto store = make_posix_store();
  for (const bool reads : {true, false}) {
    const OpenMode mode{reads, !reads, false, false};
    auto file = store->open(folder_ / "file", mode);
    ASSERT_TRUE(file);
    ASSERT_TRUE((*file)->reaches(*stream_));
    EXPECT_TRUE(move(**file, reads ? Operation::read : Operation::write));
  }
}

}  // namespace
}  // namespace concilio::store::direct_file_test
