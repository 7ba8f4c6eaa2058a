// The behaviour that every store must have.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <numeric>
#include <random>
#include <thread>

#include "store/memory.h"
#include "store/posix/posix.h"
#include "store/wrappers/fault.h"
#include "store/wrappers/throttle.h"
#include "store/wrappers/trace.h"

namespace concilio::store::conformance_test {
namespace {

using testing::HasSubstr;
using Bytes = std::vector<std::byte>;
using Wrap = std::function<std::unique_ptr<Store>(std::unique_ptr<Store>)>;

constexpr OpenMode create{true, true, true, false}, read_only{true, false, false, false},
    write_only{false, true, true, false}, create_new{true, true, true, true};

struct StoreCase {
  const char* name;
  std::function<std::unique_ptr<Store>()> make;
};

std::unique_ptr<Store> traced(std::unique_ptr<Store> inner) {
  return make_trace_store(std::move(inner), [](const StoreEvent&, bool) {});
}

std::unique_ptr<Store> throttled(std::unique_ptr<Store> inner) {
  ThrottleCosts costs;
  costs.open_ns = costs.request_ns = costs.lock_ns = 1000;
  costs.bytes_per_second = int64_t{1} << 34;
  return make_throttle_store(std::move(inner), costs);
}

FaultPlan faults(const char* text) {
  Result<FaultPlan> plan = parse_faults(text);
  return plan ? *plan : FaultPlan{};
}

std::unique_ptr<Store> faulted(std::unique_ptr<Store> inner) {
  return make_fault_store(std::move(inner), faults("write:1000000:EIO"));
}

const StoreCase store_cases[] = {
    {"posix", [] { return make_posix_store(); }},
    {"memory", [] { return make_memory_store(); }},
    {"traced_posix", [] { return traced(make_posix_store()); }},
    {"traced_memory", [] { return traced(make_memory_store()); }},
    {"throttled_posix", [] { return throttled(make_posix_store()); }},
    {"throttled_memory", [] { return throttled(make_memory_store()); }},
    {"faulted_posix", [] { return faulted(make_posix_store()); }},
    {"faulted_memory", [] { return faulted(make_memory_store()); }},
    {"posix_with_short_transfers", [] { return make_posix_store(make_fault_hook(faults("any:*:short"))); }},
    {"posix_without_ring", [] { return make_posix_store(make_fault_hook(faults("ring:*:ENOSYS"))); }},
    {"posix_interrupted", [] { return make_posix_store(make_fault_hook(faults("any:*:eintr"))); }},
};

class StoreConformance : public testing::TestWithParam<StoreCase> {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("concilio_store_" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
    store_ = GetParam().make();
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name = "file") const { return folder_ / name; }

  std::unique_ptr<StoreFile> open(const OpenMode& mode = create) {
    Result<std::unique_ptr<StoreFile>> file = store_->open(path(), mode);
    if (!file) {
      ADD_FAILURE() << file.error().message;
      return nullptr;
    }
    return std::move(*file);
  }

  std::filesystem::path folder_;
  std::unique_ptr<Store> store_;
};

INSTANTIATE_TEST_SUITE_P(Every, StoreConformance, testing::ValuesIn(store_cases),
                         [](const auto& info) { return std::string(info.param.name); });

Bytes bytes_of(std::string_view text) {
  const auto* data = reinterpret_cast<const std::byte*>(text.data());
  return Bytes(data, data + text.size());
}

Status write_text(StoreFile& file, int64_t offset, std::string_view text) {
  Bytes bytes = bytes_of(text);
  return file.write({offset, bytes.data(), static_cast<int64_t>(bytes.size())});
}

// The contents of a buffer of '?' after a read of `length` bytes.
std::string read_text(StoreFile& file, int64_t offset, int64_t length) {
  std::string text(static_cast<size_t>(length), '?');
  const Result<int64_t> got = file.read({offset, reinterpret_cast<std::byte*>(text.data()), length});
  if (!got) return got.error().message;
  return text;
}

TEST_P(StoreConformance, WhatIsWrittenIsRead) {
  const auto file = open();
  ASSERT_TRUE(write_text(*file, 3, "hello"));
  EXPECT_EQ(read_text(*file, 3, 5), "hello");
  EXPECT_EQ(*file->size(), 8);
}

TEST_P(StoreConformance, HoleReadsAsZeros) {
  const auto file = open();
  ASSERT_TRUE(write_text(*file, 100'000, "x"));
  EXPECT_EQ(read_text(*file, 99'990, 11), std::string(10, '\0') + "x");
}

TEST_P(StoreConformance, EndOfFileInsideATransferLeavesTheRestUntouched) {
  const auto file = open();
  ASSERT_TRUE(write_text(*file, 0, "abc"));
  std::string buffer(6, '?');
  const Result<int64_t> got = file->read({1, reinterpret_cast<std::byte*>(buffer.data()), 6});
  ASSERT_TRUE(got);
  EXPECT_EQ(*got, 2);
  EXPECT_EQ(buffer, "bc????");
}

TEST_P(StoreConformance, EndOfFileBetweenTransfersStopsThere) {
  const auto file = open();
  ASSERT_TRUE(write_text(*file, 0, "abcdef"));
  std::string buffer(9, '?');
  auto* data = reinterpret_cast<std::byte*>(buffer.data());
  const Transfer transfers[] = {{0, data, 2}, {2, data + 2, 1}, {4, data + 3, 3}, {20, data + 6, 3}};
  const Result<int64_t> got = file->read(transfers);
  ASSERT_TRUE(got);
  EXPECT_EQ(*got, 5);
  EXPECT_EQ(buffer, "abcef????");
}

TEST_P(StoreConformance, BeyondTheEndNothingIsRead) {
  const auto file = open();
  EXPECT_EQ(read_text(*file, 0, 3), "???");
  EXPECT_EQ(read_text(*file, int64_t{1} << 40, 3), "???");
}

TEST_P(StoreConformance, NoTransfersAndEmptyTransfersDoNothing) {
  const auto file = open();
  ASSERT_TRUE(file->write(std::span<const Transfer>{}));
  const Transfer empty[] = {{50, nullptr, 0}, {INT64_MAX, nullptr, 0}};
  ASSERT_TRUE(file->write(empty));
  EXPECT_EQ(*file->size(), 0);
  ASSERT_TRUE(write_text(*file, 0, "abc"));
  char a = '?', b = '?';
  const Transfer around[] = {
      {0, reinterpret_cast<std::byte*>(&a), 1}, {9, nullptr, 0}, {2, reinterpret_cast<std::byte*>(&b), 1}};
  const Result<int64_t> got = file->read(around);
  ASSERT_TRUE(got);
  EXPECT_EQ(*got, 2);
  EXPECT_EQ(a, 'a');
  EXPECT_EQ(b, 'c');
}

TEST_P(StoreConformance, NegativeAndOverflowingRangesAreArguments) {
  const auto file = open();
  std::byte data[8] = {};
  for (const Transfer& bad :
       {Transfer{-1, data, 4}, Transfer{0, data, -4}, Transfer{INT64_MAX - 2, data, 4}}) {
    const Status written = file->write(bad);
    ASSERT_FALSE(written);
    EXPECT_EQ(written.error().kind, ErrorKind::argument);
    const Result<int64_t> got = file->read(bad);
    ASSERT_FALSE(got);
    EXPECT_EQ(got.error().kind, ErrorKind::argument);
    EXPECT_FALSE(file->lock(bad.offset, bad.length, LockMode::exclusive, 0));
    EXPECT_FALSE(file->unlock(bad.offset, bad.length));
  }
  EXPECT_FALSE(file->resize(-1));
  EXPECT_FALSE(file->preallocate(-1));
  EXPECT_EQ(*file->size(), 0);
}

// Ascending transfers of random sizes, some adjacent in the file, some in memory, some empty.
std::vector<Transfer> random_transfers(std::mt19937& random, Bytes& buffer, int64_t file_bytes) {
  const auto pick = [&random](int64_t most) {
    return std::uniform_int_distribution<int64_t>(0, most)(random);
  };
  std::vector<Transfer> transfers;
  int64_t offset = pick(file_bytes / 2), used = 0;
  const int64_t count = pick(40) == 0 ? 2500 : pick(20);
  for (int64_t i = 0; i < count; ++i) {
    const int64_t room = static_cast<int64_t>(buffer.size()) - used;
    const int64_t length = std::min(pick(3) == 0 ? pick(700) : pick(9), room);
    transfers.push_back({offset, buffer.data() + used, length});
    offset += length + (pick(1) ? 0 : pick(60));
    used += length + (pick(1) ? 0 : std::min<int64_t>(pick(3), room - length));
  }
  return transfers;
}

void apply_write(Bytes& oracle, const std::vector<Transfer>& transfers) {
  for (const Transfer& transfer : transfers) {
    if (transfer.length == 0) continue;
    const auto end = static_cast<size_t>(transfer.offset + transfer.length);
    if (oracle.size() < end) oracle.resize(end);
    std::copy_n(transfer.data, transfer.length, oracle.begin() + transfer.offset);
  }
}

int64_t apply_read(const Bytes& oracle, const std::vector<Transfer>& transfers) {
  int64_t done = 0;
  for (const Transfer& transfer : transfers) {
    const auto size = static_cast<int64_t>(oracle.size());
    const int64_t bytes = std::clamp<int64_t>(size - transfer.offset, 0, transfer.length);
    if (bytes > 0) std::copy_n(oracle.begin() + transfer.offset, bytes, transfer.data);
    done += bytes;
    if (bytes < transfer.length) break;
  }
  return done;
}

TEST_P(StoreConformance, RandomOperationsAgreeWithAVectorOfBytes) {
  constexpr int64_t file_bytes = 20'000;
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  const auto file = open(), other = open();
  Bytes oracle;
  for (int step = 0; step < 150; ++step) {
    Bytes buffer(30'000), expected;
    for (std::byte& byte : buffer) byte = static_cast<std::byte>(random());
    const unsigned choice = random() % 20;
    if (choice < 9) {
      const auto transfers = random_transfers(random, buffer, file_bytes);
      ASSERT_TRUE(choice < 5 ? file->write(transfers) : file->write_at_once(transfers));
      apply_write(oracle, transfers);
    } else if (choice < 18) {
      const auto transfers = random_transfers(random, buffer, file_bytes);
      expected = buffer;
      auto expected_transfers = transfers;
      for (Transfer& transfer : expected_transfers) {
        transfer.data = expected.data() + (transfer.data - buffer.data());
      }
      const Result<int64_t> got = choice < 14 ? other->read(transfers) : other->read_at_once(transfers);
      ASSERT_TRUE(got);
      EXPECT_EQ(*got, apply_read(oracle, expected_transfers));
      ASSERT_TRUE(buffer == expected) << "step " << step;
    } else {
      const int64_t size = static_cast<int64_t>(random() % file_bytes);
      const bool resizes = choice == 18;
      ASSERT_TRUE(resizes ? file->resize(size) : file->preallocate(size));
      if (resizes || size > static_cast<int64_t>(oracle.size())) oracle.resize(static_cast<size_t>(size));
    }
    ASSERT_EQ(*other->size(), static_cast<int64_t>(oracle.size())) << "step " << step;
  }
}

TEST_P(StoreConformance, MoreAdjacentPiecesThanOneCallTakes) {
  constexpr int64_t pieces = 5000, piece_bytes = 3;
  const auto file = open();
  Bytes written(2 * pieces * piece_bytes), got(2 * pieces * piece_bytes);
  for (size_t i = 0; i < written.size(); ++i) written[i] = static_cast<std::byte>(i * 7 + 1);
  std::vector<Transfer> writes, reads;
  for (int64_t i = 0; i < pieces; ++i) {
    // Adjacent in the file, not in memory.
    writes.push_back({i * piece_bytes, written.data() + 2 * i * piece_bytes, piece_bytes});
    reads.push_back({i * piece_bytes, got.data() + 2 * i * piece_bytes, piece_bytes});
  }
  ASSERT_TRUE(file->write(writes));
  EXPECT_EQ(*file->size(), pieces * piece_bytes);
  const Result<int64_t> count = file->read(reads);
  ASSERT_TRUE(count);
  EXPECT_EQ(*count, pieces * piece_bytes);
  for (int64_t i = 0; i < pieces; ++i) {
    for (int64_t j = 0; j < 2 * piece_bytes; ++j) {
      const auto at = static_cast<size_t>(2 * i * piece_bytes + j);
      ASSERT_EQ(got[at], j < piece_bytes ? written[at] : std::byte{0}) << at;
    }
  }
}

TEST_P(StoreConformance, MoreRequestsAtOnceThanOneCallTakes) {
  constexpr int64_t pieces = 3000, piece_bytes = 3, stride = 50;
  const auto file = open();
  Bytes written(pieces * piece_bytes), got(pieces * piece_bytes);
  for (size_t i = 0; i < written.size(); ++i) written[i] = static_cast<std::byte>(i * 7 + 1);
  std::vector<Transfer> writes, reads;
  for (int64_t i = 0; i < pieces; ++i) {
    writes.push_back({i * stride, written.data() + i * piece_bytes, piece_bytes});
    reads.push_back({i * stride, got.data() + i * piece_bytes, piece_bytes});
  }
  ASSERT_TRUE(file->write_at_once(writes));
  EXPECT_EQ(*file->size(), (pieces - 1) * stride + piece_bytes);
  const Result<int64_t> count = file->read_at_once(reads);
  ASSERT_TRUE(count);
  EXPECT_EQ(*count, pieces * piece_bytes);
  EXPECT_EQ(got, written);
  EXPECT_EQ(read_text(*file, 3, 4), std::string(4, '\0'));
}

TEST_P(StoreConformance, AdjacentPiecesAmongRequestsAtOnce) {
  constexpr int64_t runs = 5, pieces = 2000, piece_bytes = 2, stride = 3 * pieces * piece_bytes;
  const auto file = open();
  Bytes written(2 * runs * pieces * piece_bytes), got(written.size());
  for (size_t i = 0; i < written.size(); ++i) written[i] = static_cast<std::byte>(i % 251);
  std::vector<Transfer> writes, reads;
  for (int64_t i = 0; i < runs * pieces; ++i) {
    const int64_t offset = i / pieces * stride + i % pieces * piece_bytes;
    writes.push_back({offset, written.data() + 2 * i * piece_bytes, piece_bytes});
    reads.push_back({offset, got.data() + 2 * i * piece_bytes, piece_bytes});
  }
  ASSERT_TRUE(file->write_at_once(writes));
  const Result<int64_t> count = file->read_at_once(reads);
  ASSERT_TRUE(count);
  EXPECT_EQ(*count, runs * pieces * piece_bytes);
  for (size_t i = 0; i < got.size(); ++i) {
    ASSERT_EQ(got[i], i % (2 * piece_bytes) < piece_bytes ? written[i] : std::byte{0}) << i;
  }
}

TEST_P(StoreConformance, EndOfFileAmongReadsAtOnce) {
  const auto file = open();
  ASSERT_TRUE(write_text(*file, 0, "abcdefghij"));
  std::string buffer(12, '?');
  auto* data = reinterpret_cast<std::byte*>(buffer.data());
  const Transfer transfers[] = {{0, data, 2}, {4, data + 2, 3}, {8, data + 5, 3}, {20, data + 8, 4}};
  const Result<int64_t> got = file->read_at_once(transfers);
  ASSERT_TRUE(got);
  EXPECT_EQ(*got, 7);
  EXPECT_EQ(buffer, "abefgij?????");
}

TEST_P(StoreConformance, NothingAtOnceDoesNothing) {
  const auto file = open();
  ASSERT_TRUE(file->write_at_once({}));
  const Transfer empty[] = {{50, nullptr, 0}, {70, nullptr, 0}, {INT64_MAX, nullptr, 0}};
  ASSERT_TRUE(file->write_at_once(empty));
  const Result<int64_t> got = file->read_at_once(empty);
  ASSERT_TRUE(got);
  EXPECT_EQ(*got, 0);
  EXPECT_EQ(*file->size(), 0);
}

TEST_P(StoreConformance, RangesThatAreNoneAmongRequestsAtOnce) {
  const auto file = open();
  std::byte data[8] = {};
  for (const Transfer& bad :
       {Transfer{-1, data, 4}, Transfer{9, data, -4}, Transfer{INT64_MAX - 2, data, 4}}) {
    const Transfer transfers[] = {{0, data, 2}, {5, data, 2}, bad};
    EXPECT_EQ(file->write_at_once(transfers).error().kind, ErrorKind::argument);
    EXPECT_EQ(file->read_at_once(transfers).error().kind, ErrorKind::argument);
  }
  EXPECT_EQ(*file->size(), 0);
}

TEST_P(StoreConformance, ModeForbidsRequestsAtOnce) {
  { ASSERT_TRUE(write_text(*open(), 0, "abcdef")); }
  std::byte data[4] = {};
  const Transfer transfers[] = {{0, data, 1}, {2, data + 1, 1}, {4, data + 2, 1}};
  const Status written = open(read_only)->write_at_once(transfers);
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().kind, ErrorKind::access_mode);
  const Result<int64_t> got = open(write_only)->read_at_once(transfers);
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().kind, ErrorKind::access_mode);
  EXPECT_EQ(read_text(*open(), 0, 6), "abcdef");
}

TEST_P(StoreConformance, ThreadsShareAFileWithRequestsAtOnce) {
  constexpr int64_t pieces = 150, threads = 4;
  const auto file = open();
  std::vector<std::thread> running;
  for (int64_t i = 0; i < threads; ++i) {
    running.emplace_back([&file, i] {
      Bytes bytes(pieces, static_cast<std::byte>('a' + i)), found(pieces);
      std::vector<Transfer> writes, reads;
      for (int64_t k = 0; k < pieces; ++k) {
        // A hole after the bytes of all writers, so that nothing is adjacent.
        writes.push_back({k * (threads + 1) + i, bytes.data() + k, 1});
        reads.push_back({k * (threads + 1) + i, found.data() + k, 1});
      }
      for (int repeats = 0; repeats < 5; ++repeats) {
        EXPECT_TRUE(file->write_at_once(writes));
        EXPECT_TRUE(file->read_at_once(reads));
        EXPECT_EQ(found, bytes);
      }
    });
  }
  for (std::thread& thread : running) thread.join();
  EXPECT_EQ(*file->size(), (pieces - 1) * (threads + 1) + threads);
}

TEST_P(StoreConformance, ResizeCutsAndWhatGrowsBackIsZero) {
  const auto file = open();
  ASSERT_TRUE(write_text(*file, 0, "abcdef"));
  ASSERT_TRUE(file->resize(2));
  EXPECT_EQ(*file->size(), 2);
  ASSERT_TRUE(file->resize(4));
  EXPECT_EQ(read_text(*file, 0, 6), std::string("ab\0\0??", 6));
}

TEST_P(StoreConformance, PreallocateGrowsAndNeverShrinks) {
  const auto file = open();
  ASSERT_TRUE(write_text(*file, 0, "abc"));
  ASSERT_TRUE(file->preallocate(0));
  ASSERT_TRUE(file->preallocate(2));
  EXPECT_EQ(*file->size(), 3);
  ASSERT_TRUE(file->preallocate(5));
  EXPECT_EQ(*file->size(), 5);
  EXPECT_EQ(read_text(*file, 0, 6), std::string("abc\0\0?", 6));
}

TEST_P(StoreConformance, SyncOfAnOpenFile) {
  const auto file = open();
  ASSERT_TRUE(write_text(*file, 0, "abc"));
  EXPECT_TRUE(file->sync());
}

TEST_P(StoreConformance, LayoutNamesTheStorage) {
  const auto file = open();
  const Result<StorageLayout> layout = file->layout();
  ASSERT_TRUE(layout);
  EXPECT_FALSE(layout->name.empty());
  EXPECT_GT(layout->block_bytes, 0);
}

TEST_P(StoreConformance, MissingFile) {
  const auto file = store_->open(path("missing"), read_only);
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().kind, ErrorKind::no_such_file);
  EXPECT_EQ(file.error().message, "cannot open " + path("missing") + ": No such file or directory");
  const Status removed = store_->remove(path("missing"));
  ASSERT_FALSE(removed);
  EXPECT_EQ(removed.error().kind, ErrorKind::no_such_file);
  EXPECT_EQ(removed.error().message, "cannot delete " + path("missing") + ": No such file or directory");
}

TEST_P(StoreConformance, ExclusiveCreationOfAFileThatExists) {
  { const auto file = open(create_new); }
  const auto file = store_->open(path(), create_new);
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().kind, ErrorKind::file_exists);
}

TEST_P(StoreConformance, CreationKeepsWhatIsThere) {
  { ASSERT_TRUE(write_text(*open(), 0, "abc")); }
  EXPECT_EQ(read_text(*open(), 0, 3), "abc");
}

TEST_P(StoreConformance, RemovedFileLivesOnWhereItIsOpen) {
  const auto file = open();
  ASSERT_TRUE(write_text(*file, 0, "abc"));
  ASSERT_TRUE(store_->remove(path()));
  EXPECT_FALSE(store_->open(path(), read_only));
  EXPECT_EQ(read_text(*file, 0, 3), "abc");
  EXPECT_EQ(*open()->size(), 0);
}

TEST_P(StoreConformance, ReadOnlyFileRefusesEveryChange) {
  { ASSERT_TRUE(write_text(*open(), 0, "abc")); }
  const auto file = open(read_only);
  const Status written = write_text(*file, 0, "x");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().kind, ErrorKind::access_mode);
  EXPECT_THAT(written.error().message, HasSubstr("it is open for reading only"));
  EXPECT_EQ(file->resize(0).error().kind, ErrorKind::access_mode);
  EXPECT_EQ(file->preallocate(10).error().kind, ErrorKind::access_mode);
  EXPECT_EQ(file->lock(0, 1, LockMode::exclusive, 0).error().kind, ErrorKind::access_mode);
  EXPECT_TRUE(file->lock(0, 1, LockMode::shared, 0));
  EXPECT_TRUE(file->sync());
  EXPECT_EQ(read_text(*file, 0, 3), "abc");
}

TEST_P(StoreConformance, WriteOnlyFileRefusesReads) {
  const auto file = open(write_only);
  ASSERT_TRUE(write_text(*file, 0, "abc"));
  std::byte byte{};
  const Result<int64_t> got = file->read({0, &byte, 1});
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().kind, ErrorKind::access_mode);
  EXPECT_THAT(got.error().message, HasSubstr("it is open for writing only"));
}

TEST_P(StoreConformance, ExclusiveLockKeepsOthersOutOfItsRangeAlone) {
  const auto a = open(), b = open();
  ASSERT_TRUE(a->lock(10, 10, LockMode::exclusive, 0));
  const Status refused = b->lock(19, 5, LockMode::shared, 0);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::file_in_use);
  EXPECT_THAT(refused.error().message, HasSubstr(path()));
  EXPECT_TRUE(b->lock(20, 5, LockMode::exclusive, 0));
  EXPECT_TRUE(b->lock(0, 10, LockMode::exclusive, 0));
  EXPECT_TRUE(a->unlock(10, 10));
  EXPECT_TRUE(b->lock(19, 5, LockMode::shared, 0));
}

TEST_P(StoreConformance, SharedLocksGoTogether) {
  const auto a = open(), b = open();
  ASSERT_TRUE(a->lock(0, 10, LockMode::shared, 0));
  EXPECT_TRUE(b->lock(5, 10, LockMode::shared, 0));
  EXPECT_EQ(b->lock(5, 10, LockMode::exclusive, 0).error().kind, ErrorKind::file_in_use);
}

// Two processes that lock by turns, so that one of them always has the range, must not keep out a third one.
TEST_P(StoreConformance, SharedLocksWithoutAGapLetAnExclusiveOneHaveItsTurn) {
  const auto a = open(), b = open(), c = open();
  std::atomic<bool> had = false;
  std::thread exclusive;
  constexpr int most_turns = 20'000;
  int turns = 0;
  ASSERT_TRUE(a->lock(0, 10, LockMode::shared, 60'000));
  exclusive = std::thread([&] {
    EXPECT_TRUE(c->lock(0, 10, LockMode::exclusive, 60'000));
    had = true;
    EXPECT_TRUE(c->unlock(0, 10));
  });
  const auto next = [&](StoreFile& now, StoreFile& before) {
    // If the third process waits by now, it gets the range first, and this one when the third has finished.
    const bool overlapped = now.lock(0, 10, LockMode::shared, 1).ok();
    EXPECT_TRUE(before.unlock(0, 10));
    EXPECT_TRUE(overlapped || now.lock(0, 10, LockMode::shared, 60'000).ok());
  };
  for (; turns < most_turns && !had; ++turns) {
    next(*b, *a);
    next(*a, *b);
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  EXPECT_LT(turns, most_turns);
  EXPECT_TRUE(a->unlock(0, 10));
  exclusive.join();
}

TEST_P(StoreConformance, WriteOnlyFileTakesSharedLocksExclusively) {
  const auto a = open(write_only), b = open();
  ASSERT_TRUE(a->lock(0, 10, LockMode::shared, 0));
  EXPECT_EQ(b->lock(0, 10, LockMode::shared, 0).error().kind, ErrorKind::file_in_use);
}

TEST_P(StoreConformance, UnlockOfTheMiddleKeepsBothEnds) {
  const auto a = open(), b = open();
  ASSERT_TRUE(a->lock(0, 30, LockMode::exclusive, 0));
  ASSERT_TRUE(a->unlock(10, 10));
  EXPECT_FALSE(b->lock(0, 10, LockMode::exclusive, 0));
  EXPECT_FALSE(b->lock(20, 10, LockMode::exclusive, 0));
  EXPECT_TRUE(b->lock(10, 10, LockMode::exclusive, 0));
}

TEST_P(StoreConformance, LocksEndWithTheirFile) {
  auto a = open();
  const auto b = open();
  ASSERT_TRUE(a->lock(0, 10, LockMode::exclusive, 0));
  ASSERT_TRUE(a->lock(5, 10, LockMode::exclusive, 0)) << "a file's own lock is in nobody's way";
  a.reset();
  EXPECT_TRUE(b->lock(0, 20, LockMode::exclusive, 0));
}

TEST_P(StoreConformance, LockOfNothingLocksNothing) {
  const auto a = open(), b = open();
  ASSERT_TRUE(a->lock(0, 0, LockMode::exclusive, 0));
  EXPECT_TRUE(b->lock(0, 10, LockMode::exclusive, 0));
  EXPECT_TRUE(b->unlock(0, 0));
  EXPECT_FALSE(a->lock(0, 10, LockMode::exclusive, 0)) << "unlocking nothing must not unlock all";
}

TEST_P(StoreConformance, LockWaitsForItsHolder) {
  const auto a = open(), b = open();
  ASSERT_TRUE(a->lock(0, 10, LockMode::exclusive, 0));
  std::thread holder([&a] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_TRUE(a->unlock(0, 10));
  });
  const Status locked = b->lock(0, 10, LockMode::exclusive, 60'000);
  EXPECT_TRUE(locked);
  holder.join();
}

TEST_P(StoreConformance, LockGivesUpAfterItsTimeout) {
  const auto a = open(), b = open();
  ASSERT_TRUE(a->lock(0, 10, LockMode::exclusive, 0));
  const auto start = std::chrono::steady_clock::now();
  const Status locked = b->lock(0, 10, LockMode::exclusive, 30);
  ASSERT_FALSE(locked);
  EXPECT_EQ(locked.error().kind, ErrorKind::file_in_use);
  EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(30));
}

TEST_P(StoreConformance, ThreadsShareAFile) {
  constexpr int64_t part_bytes = 1000;
  const auto file = open();
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&file, i] {
      Bytes bytes(part_bytes, static_cast<std::byte>('a' + i));
      for (int64_t at = 0; at < part_bytes; at += 100) {
        EXPECT_TRUE(file->write({i * part_bytes + at, bytes.data(), 100}));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::string expected;
  for (char c = 'a'; c < 'e'; ++c) expected += std::string(part_bytes, c);
  EXPECT_EQ(read_text(*file, 0, 4 * part_bytes), expected);
}

}  // namespace
}  // namespace concilio::store::conformance_test
