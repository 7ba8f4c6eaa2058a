#include "base/system/cached_file.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <vector>

namespace concilio::cached_file_test {
namespace {

constexpr int64_t page_bytes = 4096, file_bytes = 300'000;
constexpr auto untouched = std::byte{0xa5};

std::byte byte_at(int64_t offset) {
  return static_cast<std::byte>(offset * 3 + offset / 251);
}

class CachedFile : public testing::Test {
 protected:
  CachedFile() {
    std::string name = testing::TempDir() + "cached_file_XXXXXX";
    file_ = mkstemp(name.data());
    unlink(name.c_str());
    std::vector<std::byte> all;
    for (int64_t offset = 0; offset < file_bytes; ++offset) all.push_back(byte_at(offset));
    EXPECT_EQ(pwrite(file_, all.data(), all.size(), 0), file_bytes);
  }
  ~CachedFile() override { close(file_); }

  // Memory so many bytes into a page, with `untouched` around it.
  std::byte* memory(int64_t into_page, int64_t bytes) {
    room_.assign(static_cast<size_t>(bytes + 3 * page_bytes), untouched);
    const auto begin = reinterpret_cast<uintptr_t>(room_.data());
    return room_.data() + (page_bytes - begin % page_bytes) + into_page;
  }
  int64_t touched() const {
    return static_cast<int64_t>(room_.size()) - std::count(room_.begin(), room_.end(), untouched);
  }

  int file_ = -1;
  std::vector<std::byte> room_;
};

struct Request {
  int64_t into_page, bytes, offset;
};
constexpr Request requests[] = {{16, 1, 0},         {16, 2048, 0},         {16, 65536, 4096},
                                {31, 65537, 8192},  {16, 200'000, 70'000}, {0, 140'000, 4096 - 9},
                                {100, 99'999, 101}, {5, 131'072, 4099}};

TEST_F(CachedFile, ReadsInPiecesWhatAPlainRequestReads) {
  for (const auto& [into_page, bytes, offset] : requests) {
    std::byte* const to = memory(into_page, bytes);
    ASSERT_EQ(move_in_pieces(file_, Operation::read, to, bytes, offset), bytes);
    for (int64_t i = 0; i < bytes; ++i) ASSERT_EQ(to[i], byte_at(offset + i)) << "byte " << offset + i;
    std::fill_n(to, bytes, untouched);
    EXPECT_EQ(touched(), 0);
  }
}

TEST_F(CachedFile, WritesInPiecesWhatAPlainRequestWrites) {
  for (const auto& [into_page, bytes, offset] : requests) {
    std::byte* const from = memory(into_page, bytes);
    for (int64_t i = 0; i < bytes; ++i) from[i] = ~byte_at(offset + i);
    ASSERT_EQ(move_in_pieces(file_, Operation::write, from, bytes, offset), bytes);
    std::vector<std::byte> all(file_bytes);
    ASSERT_EQ(pread(file_, all.data(), all.size(), 0), file_bytes);
    for (int64_t at = 0; at < file_bytes; ++at) {
      const bool written = at >= offset && at < offset + bytes;
      ASSERT_EQ(all[static_cast<size_t>(at)], written ? ~byte_at(at) : byte_at(at)) << "byte " << at;
    }
    for (int64_t i = 0; i < bytes; ++i) from[i] = byte_at(offset + i);
    ASSERT_EQ(move_in_pieces(file_, Operation::write, from, bytes, offset), bytes);
  }
}

TEST_F(CachedFile, MemoryBehindTheFilesEndStaysAsItIs) {
  for (const int64_t there : {0, 1, 5000, 65536, 70'000}) {
    std::byte* const to = memory(16, 100'000);
    ASSERT_EQ(move_in_pieces(file_, Operation::read, to, 100'000, file_bytes - there), there);
    std::fill_n(to, there, untouched);
    EXPECT_EQ(touched(), 0);
  }
}

TEST_F(CachedFile, ErrorIsToldUnlessBytesWereMovedBefore) {
  std::byte* const to = memory(16, 100'000);
  errno = 0;
  EXPECT_EQ(move_in_pieces(-1, Operation::read, to, 100'000, 0), -1);
  EXPECT_EQ(errno, EBADF);
  EXPECT_EQ(move_in_pieces(file_, Operation::read, to, 100'000, -1), -1);
  EXPECT_EQ(errno, EINVAL);
  EXPECT_EQ(touched(), 0);
}

TEST_F(CachedFile, WhatWasMovedBeforeAnErrorIsTold) {
  std::byte* const from = memory(16, 100'000);
  struct rlimit before;
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto old_handler = signal(SIGXFSZ, SIG_IGN);
  const rlimit limit = {(64 << 10) + 64, before.rlim_max};  // where the second piece begins
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
  const ssize_t moved = move_in_pieces(file_, Operation::write, from, 100'000, 0);
  setrlimit(RLIMIT_FSIZE, &before);
  signal(SIGXFSZ, old_handler);
  EXPECT_EQ(moved, (64 << 10) + 64);
}

// As memory of a GPU. A caller that is told so looks for the GPU's driver.
TEST_F(CachedFile, MemoryThatTheProcessCannotReachIsTold) {
  void* const nowhere = mmap(nullptr, 1 << 20, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(nowhere, MAP_FAILED);
  for (const Operation operation : {Operation::read, Operation::write}) {
    errno = 0;
    EXPECT_EQ(move_in_pieces(file_, operation, static_cast<std::byte*>(nowhere) + 16, 100'000, 0), -1);
    EXPECT_EQ(errno, EFAULT);
  }
  std::byte first{};
  EXPECT_EQ(pread(file_, &first, 1, 0), 1);
  EXPECT_EQ(first, byte_at(0));
  munmap(nowhere, 1 << 20);
}

TEST_F(CachedFile, SlowRequestsAreThoseWhoseTargetLiesJustAhead) {
  std::byte* const data = memory(16, 4096);
  EXPECT_TRUE(is_slow_request(Operation::read, data, 4096, 0));
  EXPECT_FALSE(is_slow_request(Operation::read, data, 2047, 0));
  EXPECT_FALSE(is_slow_request(Operation::read, data, 4096, 16));
  EXPECT_FALSE(is_slow_request(Operation::write, data, 4096, 0));
  EXPECT_FALSE(is_slow_request(Operation::write, data, 4096, 16));
  EXPECT_TRUE(is_slow_request(Operation::write, data, 4096, 17));
}

}  // namespace
}  // namespace concilio::cached_file_test
