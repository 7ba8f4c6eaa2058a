#include "store/posix/posix.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <thread>
#include <vector>

#include "base/copy_bytes.h"
#include "base/waiting.h"
#include "store/place/filesystem.h"
#include "store/plain_requests.h"
#include "store/posix/ring.h"

namespace concilio::store::posix_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr OpenMode create{true, true, true, false}, read_only{true, false, false, false};

// The system's fallocate where signals come again and again: what is longer is interrupted and undone, as on
// tmpfs. Somebody who tries it for ever is stopped.
int64_t longest_reservation = INT64_MAX;
extern "C" int fallocate(int fd, int mode, off_t offset, off_t length) {
  static int interrupted = 0;
  if (length <= longest_reservation)
    return static_cast<int>(syscall(SYS_fallocate, fd, mode, offset, length));
  errno = ++interrupted < 1000 ? EINTR : ENOSPC;
  return -1;
}

// The system's pread, whose calls are counted.
std::atomic<int> reads = 0;
extern "C" ssize_t pread(int fd, void* data, size_t bytes, off_t offset) {
  ++reads;
  return syscall(SYS_pread64, fd, data, bytes, offset);
}

struct Call {
  StoreOperation operation;
  int64_t bytes;
  bool operator==(const Call&) const = default;
};

class Posix : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("concilio_posix_" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override {
    umask(old_umask_);
    std::filesystem::remove_all(folder_);
  }
  std::string path(const std::string& name = "file") const { return folder_ / name; }

  // A file whose n-th system call returns outcomes[n], and whose later ones succeed. Making a ring returns
  // ring_errno_.
  std::unique_ptr<StoreFile> open(std::vector<SyscallOutcome> outcomes) {
    auto store = make_posix_store([this, outcomes, next = size_t{0}](
                                      StoreOperation operation, int64_t bytes) mutable -> SyscallOutcome {
      if (operation == StoreOperation::open) return {};
      if (operation == StoreOperation::ring) {
        ++rings_;
        return {ring_errno_, INT64_MAX};
      }
      calls_.push_back({operation, bytes});
      return next < outcomes.size() ? outcomes[next++] : SyscallOutcome{};
    });
    Result<std::unique_ptr<StoreFile>> file = store->open(path(), create);
    if (!file) {
      ADD_FAILURE() << file.error().message;
      return nullptr;
    }
    return std::move(*file);
  }

  std::filesystem::path folder_;
  std::vector<Call> calls_;
  int ring_errno_ = 0, rings_ = 0;
  mode_t old_umask_ = umask(022);
};

TEST_F(Posix, ShortWriteIsContinuedWhereItStopped) {
  const auto file = open({{0, 3}, {0, 1}, {0, 0}});
  std::string text = "abcdefgh";
  auto* data = reinterpret_cast<std::byte*>(text.data());
  const Transfer transfers[] = {{0, data, 2}, {2, data + 4, 4}};
  ASSERT_TRUE(file->write(transfers));
  EXPECT_THAT(calls_, ElementsAre(Call{StoreOperation::write, 6}, Call{StoreOperation::write, 3},
                                  Call{StoreOperation::write, 2}, Call{StoreOperation::write, 1}));
  std::string got(6, '?');
  ASSERT_TRUE(file->read({0, reinterpret_cast<std::byte*>(got.data()), 6}));
  EXPECT_EQ(got, "abefgh");
}

TEST_F(Posix, InterruptedTransferIsMadeAgain) {
  const auto file = open({{EINTR, 0}, {EINTR, 0}});
  std::byte byte{7};
  ASSERT_TRUE(file->write({0, &byte, 1}));
  EXPECT_EQ(calls_.size(), 3u);
}

TEST_F(Posix, InterruptedSyncResizeAndLockAreMadeAgain) {
  for (int i = 0; i < 4; ++i) {
    calls_.clear();
    const auto file = open({{EINTR, 0}});
    const Status status = i == 0   ? file->sync()
                          : i == 1 ? file->resize(5)
                          : i == 2 ? file->preallocate(5)
                                   : file->lock(0, 1, LockMode::exclusive, 0);
    EXPECT_TRUE(status);
    EXPECT_EQ(calls_.size(), 2u) << i;
  }
}

TEST_F(Posix, FailureAfterAShortWriteNamesWhatWasLeft) {
  const auto file = open({{0, 3}, {ENOSPC, 0}});
  std::byte data[8] = {};
  const Status written = file->write({100, data, 8});
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().kind, ErrorKind::no_space);
  EXPECT_EQ(written.error().message,
            "cannot write 5 bytes at offset 103 of " + path() + ": No space left on device");
}

TEST_F(Posix, AdjacentTransfersAreOneCallAndOthersAreNot) {
  const auto file = open({});
  std::byte data[100] = {};
  // The first three are adjacent in the file, and the first two in memory too.
  const Transfer transfers[] = {
      {0, data, 10}, {10, data + 10, 10}, {20, data + 50, 10}, {31, data, 10}, {0, data, 5}};
  ASSERT_TRUE(file->write(transfers));
  EXPECT_THAT(calls_, ElementsAre(Call{StoreOperation::write, 30}, Call{StoreOperation::write, 10},
                                  Call{StoreOperation::write, 5}));
}

int open_rings() {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code gone;
    count += std::filesystem::read_symlink(entry.path(), gone).string().find("io_uring") != std::string::npos;
  }
  return count;
}

// Five requests of 10 bytes, 100 apart. The second has two pieces of memory.
std::vector<Transfer> scattered(std::byte* data) {
  return {{0, data, 10},        {100, data + 10, 4},  {104, data + 90, 6},
          {200, data + 20, 10}, {300, data + 30, 10}, {400, data + 40, 10}};
}

TEST_F(Posix, ScatteredTransfersAreRequestsAtOnceOfOneRing) {
  const auto file = open({});
  std::byte data[100] = {};
  ASSERT_TRUE(file->write_at_once(scattered(data)));
  ASSERT_TRUE(file->write_at_once(scattered(data)));
  EXPECT_EQ(rings_, 1);
  const int rings = open_rings();
  EXPECT_EQ(rings, make_ring() ? 1 : 0);
  EXPECT_THAT(calls_, testing::AllOf(testing::SizeIs(10), testing::Each(Call{StoreOperation::write, 10})));
}

TEST_F(Posix, OneRequestNeedsNoRing) {
  const auto file = open({});
  std::byte data[20] = {};
  const Transfer adjacent[] = {{0, data, 10}, {10, data, 10}};
  ASSERT_TRUE(file->write_at_once(adjacent));
  EXPECT_EQ(rings_, 0);
}

TEST_F(Posix, RequestsGoInTurnWhereTheKernelRefusesARing) {
  for (const int refusal : {ENOSYS, EPERM, ENOMEM}) {
    ring_errno_ = refusal;
    rings_ = 0;
    const auto file = open({{}, {ENOSPC, 0}});
    std::byte data[100] = {std::byte{1}};
    const Status written = file->write_at_once(scattered(data));
    ASSERT_FALSE(written);
    EXPECT_EQ(written.error().message,
              "cannot write 10 bytes at offset 100 of " + path() + ": No space left on device");
    ASSERT_TRUE(file->write_at_once(scattered(data)));
    EXPECT_EQ(*file->size(), 410);
    EXPECT_EQ(rings_, 1) << "asked again and again";
  }
}

TEST_F(Posix, EachRequestAtOnceMayFail) {
  for (size_t k = 0; k < 5; ++k) {
    std::vector<SyscallOutcome> outcomes(k + 1);
    outcomes[k] = {ENOSPC, 0};
    const auto file = open(outcomes);
    std::byte data[100] = {};
    const Status written = file->write_at_once(scattered(data));
    ASSERT_FALSE(written) << k;
    EXPECT_EQ(written.error().kind, ErrorKind::no_space);
    EXPECT_EQ(written.error().message, "cannot write 10 bytes at offset " + std::to_string(100 * k) + " of " +
                                           path() + ": No space left on device");
    // A failure leaves the ring usable.
    ASSERT_TRUE(file->write_at_once(scattered(data)));
  }
}

TEST_F(Posix, FirstOfSeveralFailuresAtOnceIsTold) {
  const auto file = open({{}, {}, {EIO, 0}, {ENOSPC, 0}, {EFBIG, 0}});
  std::byte data[100] = {};
  const Status written = file->write_at_once(scattered(data));
  ASSERT_FALSE(written);
  EXPECT_THAT(written.error().message, HasSubstr("offset 200 of"));
  EXPECT_EQ(written.error().system_errno, EIO);
}

TEST_F(Posix, ShortAndInterruptedRequestsAtOnceGoOnWhereTheyStopped) {
  std::string text(100, '?'), got(100, '?');
  for (size_t i = 0; i < text.size(); ++i) text[i] = static_cast<char>('0' + i);
  const std::vector<SyscallOutcome> outcomes = {{0, 3},     {0, 1}, {EINTR, 0}, {0, 9}, {EINTR, 0},
                                                {EINTR, 0}, {0, 2}, {0, 1},     {0, 1}, {0, 4}};
  ASSERT_TRUE(open(outcomes)->write_at_once(scattered(reinterpret_cast<std::byte*>(text.data()))));
  const Result<int64_t> count =
      open(outcomes)->read_at_once(scattered(reinterpret_cast<std::byte*>(got.data())));
  ASSERT_TRUE(count);
  EXPECT_EQ(*count, 50);
  EXPECT_EQ(got.substr(0, 14), text.substr(0, 14));
  EXPECT_EQ(got.substr(20, 30), text.substr(20, 30));
  EXPECT_EQ(got.substr(90, 6), text.substr(90, 6));
}

TEST_F(Posix, FailureAfterAShortRequestAtOnceNamesWhatWasLeft) {
  if (!make_ring()) GTEST_SKIP() << make_ring().error().message;
  const auto file = open({{}, {0, 5}, {}, {}, {}, {ENOSPC, 0}});
  std::byte data[100] = {};
  const Status written = file->write_at_once(scattered(data));
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().message,
            "cannot write 5 bytes at offset 105 of " + path() + ": No space left on device");
}

TEST_F(Posix, DeviceThatIsAlwaysFullFailsRequestsAtOnce) {
  const auto file = make_posix_store()->open("/dev/full", {true, true, false, false});
  if (!file) GTEST_SKIP() << file.error().message;
  std::byte data[100] = {};
  const Status written = (*file)->write_at_once(scattered(data));
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().message,
            "cannot write 10 bytes at offset 0 of /dev/full: No space left on device");
}

TEST_F(Posix, ReadsAtOnceStopAtTheFirstThatIsShort) {
  const auto file = open({});
  ASSERT_TRUE(file->resize(205));
  std::vector<std::byte> data(100, std::byte{1});
  const Result<int64_t> got = file->read_at_once(scattered(data.data()));
  ASSERT_TRUE(got);
  EXPECT_EQ(*got, 25);
  EXPECT_EQ(data[24], std::byte{0});
  EXPECT_EQ(data[25], std::byte{1});
  EXPECT_EQ(data[30], std::byte{1});
}

TEST_F(Posix, NoCallMovesMoreThanTheSystemDoes) {
  const auto file = open({{EIO, 0}, {EIO, 0}});
  std::byte byte{};
  // The calls fail before they touch the memory, which does not exist.
  EXPECT_FALSE(file->write({0, &byte, int64_t{1} << 33}));
  const Transfer transfers[] = {{0, &byte, 0x7fffefff}, {0x7fffefff, &byte, 10}};
  EXPECT_FALSE(file->write(transfers));
  EXPECT_THAT(calls_,
              ElementsAre(Call{StoreOperation::write, 0x7ffff000}, Call{StoreOperation::write, 0x7ffff000}));
}

TEST_F(Posix, ShortReadGoesOnToTheEndOfItsTransfer) {
  const auto file = open({{}, {0, 1000}, {EINTR, 0}, {0, 1}});
  ASSERT_TRUE(file->resize(5000));
  std::vector<std::byte> data(6000, std::byte{1});
  const Result<int64_t> got = file->read({0, data.data(), 6000});
  ASSERT_TRUE(got);
  EXPECT_EQ(*got, 5000);
  EXPECT_EQ(data[4999], std::byte{0});
  EXPECT_EQ(data[5000], std::byte{1});
}

// Where the kernel would copy to memory just ahead of the file's bytes, within a page, it copies in pieces to
// another place, if that is faster on this machine.
TEST_F(Posix, SlowReadsGoInPieces) {
  constexpr int64_t page_bytes = 4096, bytes = 1 << 20;
  auto opened = make_posix_store()->open(path(), create);
  ASSERT_TRUE(opened);
  StoreFile& file = **opened;
  std::vector<std::byte> written(bytes), room(bytes + 3 * page_bytes);
  for (size_t i = 0; i < written.size(); ++i) written[i] = static_cast<std::byte>(i * 5 + i / 251);
  const Transfer all{0, written.data(), bytes};
  ASSERT_TRUE(file.write(std::span(&all, 1)));
  std::byte* const page = room.data() + (page_bytes - reinterpret_cast<uintptr_t>(room.data()) % page_bytes);
  const PlainRequests plain(file);
  for (const int64_t ahead : {0, 1, 16, 31, 32}) {
    const bool slow = is_slow_distance(static_cast<uint64_t>(ahead), 0);
    const Transfer into{0, page + ahead, bytes};
    EXPECT_EQ(plain.move(Operation::read, into), slow ? -1 : bytes) << ahead;
    std::ranges::fill(room, std::byte{});
    reads = 0;
    EXPECT_EQ(*file.read(std::span(&into, 1)), bytes);
    EXPECT_EQ(reads, slow && has_slow_distances() ? 1 + 16 : 1) << ahead;
    EXPECT_TRUE(std::ranges::equal(written, std::span(into.data, bytes))) << ahead;
    // Two adjacent ones, of which the first or the second is slow.
    const Transfer halves[] = {{0, page + ahead, bytes / 2},
                               {bytes / 2, page + page_bytes + 48 - ahead + bytes / 2, bytes / 2}};
    EXPECT_EQ(*file.read(halves), bytes);
    for (const Transfer& half : halves)
      EXPECT_TRUE(std::equal(half.data, half.data + half.length, &written[static_cast<size_t>(half.offset)]));
  }
}

TEST_F(Posix, MappingsThatTheSystemDoesNotAllow) {
  for (const int system_errno : {EACCES, EPERM, ENODEV}) {
    const auto file = open({{}, {system_errno, 0}});
    ASSERT_TRUE(file->resize(10));
    const Result<Mapping> mapping = file->map(0, 10, false);
    ASSERT_FALSE(mapping);
    EXPECT_EQ(mapping.error().kind, ErrorKind::unsupported);
    EXPECT_EQ(mapping.error().system_errno, system_errno);
  }
}

TEST_F(Posix, LocksThatTheStorageDoesNotHave) {
  for (const int system_errno : {EINVAL, ENOLCK, ENOSYS, EOPNOTSUPP}) {
    const auto file = open({{system_errno, 0}, {system_errno, 0}});
    EXPECT_EQ(file->lock(0, 1, LockMode::shared, 1000).error().kind, ErrorKind::unsupported);
    EXPECT_EQ(file->unlock(0, 1).error().kind, ErrorKind::unsupported);
  }
}

TEST_F(Posix, LockConflictIsTriedAgainUntilItIsGone) {
  const auto file = open({{EAGAIN, 0}, {EACCES, 0}, {EAGAIN, 0}});
  EXPECT_TRUE(file->lock(0, 1, LockMode::exclusive, 60'000));
  EXPECT_GE(calls_.size(), 4u);
}

// Who has to sleep first locks the turnstile. That may happen to one that is preempted, but not always.
TEST_F(Posix, LockThatIsSoonFreeIsGotWithoutSleep) {
  constexpr int most_tries = 100;
  bool got_at_once = false;
  for (int i = 0; i < most_tries && !got_at_once; ++i) {
    const auto file = open({{EAGAIN, 0}});
    calls_.clear();
    EXPECT_TRUE(file->lock(0, 1, LockMode::exclusive, 60'000));
    got_at_once = calls_.size() == 2;
  }
  EXPECT_TRUE(got_at_once);
}

// At every moment some reader has the range. So the writer gets it only if those that come later wait.
TEST_F(Posix, ReadersThatFollowEachOtherLetAWriterIn) {
  const auto open_again = [&] {
    auto file = make_posix_store()->open(path(), create);
    return std::move(*file);
  };
  const auto writer = open_again();
  std::atomic<bool> done = false;
  std::atomic<int> reading = 0;
  std::vector<std::thread> readers;
  for (int i = 0; i < 4; ++i) {
    readers.emplace_back([&, file = open_again()] {
      for (bool first = true; !done; first = false) {
        EXPECT_TRUE(file->lock(0, 1, LockMode::shared, 60'000));
        if (first) ++reading;
        sleep_ns(300'000);
        EXPECT_TRUE(file->unlock(0, 1));
      }
    });
  }
  while (reading < 4) sleep_ns(100'000);
  EXPECT_TRUE(writer->lock(0, 1, LockMode::exclusive, 10'000));
  done = true;
  EXPECT_TRUE(writer->unlock(0, 1));
  for (std::thread& reader : readers) reader.join();
}

TEST_F(Posix, PreallocateWhereTheFileSystemCannot) {
  const auto file = open({{EOPNOTSUPP, 0}});
  ASSERT_TRUE(file->preallocate(100));
  EXPECT_EQ(*file->size(), 100);
  calls_.clear();
  const auto other = open({{EOPNOTSUPP, 0}});
  ASSERT_TRUE(other->preallocate(50));
  EXPECT_EQ(*other->size(), 100);
}

// Another open appends between the look at the size and what follows it.
TEST_F(Posix, PreallocateCutsNothingOff) {
  const auto other = open({});
  int calls = 0;
  auto store = make_posix_store([&](StoreOperation operation, int64_t) -> SyscallOutcome {
    if (operation != StoreOperation::preallocate) return {};
    if (++calls == 1) return {EOPNOTSUPP, 0};
    std::byte letters[200];
    std::ranges::fill(letters, std::byte{'x'});
    EXPECT_TRUE(other->write({0, letters, 200}));
    return {};
  });
  const auto file = store->open(path(), create);
  ASSERT_TRUE(file);
  ASSERT_TRUE((*file)->preallocate(100));
  EXPECT_EQ(calls, 2);
  std::byte found[200];
  EXPECT_EQ(*other->read({0, found, 200}), 200);
  EXPECT_THAT(found, testing::Each(std::byte{'x'}));
}

TEST_F(Posix, SpaceIsHadDespiteManySignals) {
  constexpr int64_t bytes = 1 << 20;
  const auto file = open({});
  longest_reservation = bytes / 10;
  const Status reserved = file->preallocate(bytes), made = file->make_space(bytes, bytes);
  longest_reservation = INT64_MAX;
  EXPECT_TRUE(reserved) << reserved.error().message;
  EXPECT_TRUE(made) << made.error().message;
  EXPECT_EQ(*file->size(), 2 * bytes);
}

TEST_F(Posix, PreallocateOnAFullDisk) {
  const auto file = open({{ENOSPC, 0}});
  const Status status = file->preallocate(1 << 20);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().kind, ErrorKind::no_space);
  EXPECT_EQ(*file->size(), 0);
}

TEST_F(Posix, DeviceThatIsAlwaysFull) {
  const auto file = make_posix_store()->open("/dev/full", {true, true, false, false});
  if (!file) GTEST_SKIP() << file.error().message;
  std::byte data[4096] = {};
  const Status written = (*file)->write({123, data, 4096});
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().kind, ErrorKind::no_space);
  EXPECT_EQ(written.error().message,
            "cannot write 4096 bytes at offset 123 of /dev/full: No space left on device");
  EXPECT_TRUE((*file)->sync());
}

TEST_F(Posix, FileSizeLimitOfTheProcess) {
  const auto file = open({});
  rlimit old{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &old), 0);
  const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{1000, old.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  std::byte data[2000] = {};
  const Status written = file->write({0, data, 2000});
  setrlimit(RLIMIT_FSIZE, &old);
  std::signal(SIGXFSZ, old_handler);
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().kind, ErrorKind::no_space);
  EXPECT_THAT(written.error().message, HasSubstr("cannot write 1000 bytes at offset 1000 of "));
}

TEST_F(Posix, OpenOfADirectory) {
  for (const OpenMode& mode : {read_only, create}) {
    const auto file = make_posix_store()->open(folder_, mode);
    ASSERT_FALSE(file);
    EXPECT_EQ(file.error().kind, ErrorKind::bad_file);
    EXPECT_EQ(file.error().message, "cannot open " + folder_.string() + ": Is a directory");
  }
  EXPECT_EQ(make_posix_store()->remove(folder_).error().kind, ErrorKind::bad_file);
}

TEST_F(Posix, PathThroughAFileOrTooLong) {
  ASSERT_TRUE(make_posix_store()->open(path(), create));
  EXPECT_EQ(make_posix_store()->open(path("file/below"), create).error().kind, ErrorKind::bad_file);
  EXPECT_EQ(make_posix_store()->open(path(std::string(5000, 'x')), create).error().kind, ErrorKind::bad_file);
  EXPECT_EQ(make_posix_store()->open("", create).error().kind, ErrorKind::no_such_file);
}

// Whether, in a child process, a file can be made, opened again and removed by the absolute form of its name.
bool reaches_by_absolute_path() {
  const std::string path = std::filesystem::current_path() / "file";
  for (int i = 0; i < 2; ++i) {
    if (!make_posix_store()->open(path, create)) return false;
  }
  return access("file", F_OK) == 0 && make_posix_store()->remove(path) && access("file", F_OK) != 0;
}

TEST_F(Posix, WorkingFolderWhosePathIsTooLong) {
  const pid_t child = fork();
  if (child == 0) {
    const std::string name(200, 'd');
    bool done = chdir(folder_.c_str()) == 0;
    for (int i = 0; i < 30; ++i) done = done && mkdir(name.c_str(), 0700) == 0 && chdir(name.c_str()) == 0;
    done = done && reaches_by_absolute_path();
    for (int i = 0; i < 30; ++i) done = chdir("..") == 0 && rmdir(name.c_str()) == 0 && done;
    _exit(done ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST_F(Posix, WorkingFolderBelowOneThatMayNotBeSearched) {
  std::filesystem::create_directories(path("inner"));
  ASSERT_EQ(chmod(path("inner").c_str(), 0777), 0);
  const pid_t child = fork();
  if (child == 0) {
    constexpr uid_t nobody = 65534;
    const bool may_not = chdir(path("inner").c_str()) == 0 && chmod(folder_.c_str(), 0) == 0 &&
                         (geteuid() != 0 || setuid(nobody) == 0);
    _exit(may_not && reaches_by_absolute_path() ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(chmod(folder_.c_str(), 0700), 0);
  EXPECT_EQ(status, 0);
}

TEST_F(Posix, OpenOfAPipeDoesNotWait) {
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  for (const OpenMode& mode : {read_only, create, OpenMode{false, true, false, false}}) {
    const auto file = make_posix_store()->open(path("pipe"), mode);
    ASSERT_FALSE(file);
    EXPECT_EQ(file.error().kind, ErrorKind::bad_file);
  }
}

// A child process that has a lease on the file, and gives it up shortly after it was told to.
class Lease {
 public:
  explicit Lease(const std::string& path) {
    int ready[2];
    if (pipe(ready) != 0) return;
    child_ = fork();
    if (child_ == 0) {
      sigset_t broken;
      sigemptyset(&broken);
      sigaddset(&broken, SIGIO);
      sigprocmask(SIG_BLOCK, &broken, nullptr);
      const int fd = ::open(path.c_str(), O_RDWR);
      const bool has = fcntl(fd, F_SETLEASE, F_WRLCK) == 0;
      (void)!::write(ready[1], &has, sizeof has);
      int broke = 0;
      if (has) sigwait(&broken, &broke);
      sleep_ns(50'000'000);
      _exit(0);
    }
    (void)!::read(ready[0], &held_, sizeof held_);
    close(ready[0]);
    close(ready[1]);
  }
  ~Lease() {
    kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
  }
  Lease(const Lease&) = delete;
  bool held() const { return held_; }

 private:
  pid_t child_ = -1;
  bool held_ = false;
};

TEST_F(Posix, OpenOfAFileWithALeaseWaitsForItsEnd) {
  ASSERT_TRUE(make_posix_store()->open(path(), create));
  const Lease lease(path());
  if (!lease.held()) GTEST_SKIP() << "no leases here";
  const auto file = make_posix_store()->open(path(), create);
  EXPECT_TRUE(file) << file.error().message;
}

TEST_F(Posix, RequestsMayWait) {
  for (const OpenMode& mode : {create, read_only, OpenMode{false, true, false, false}}) {
    const auto file = make_posix_store()->open(path(), mode);
    ASSERT_TRUE(file);
    EXPECT_EQ(fcntl((*file)->descriptor(), F_GETFL) & O_NONBLOCK, 0);
  }
}

TEST_F(Posix, ClosingThatFailsIsToldOnceAndClosesTheFile) {
  const int before = dup(0);
  close(before);
  const auto file = open({{EDQUOT, 0}});
  const Status closed = file->close();
  ASSERT_FALSE(closed);
  EXPECT_EQ(closed.error().kind, ErrorKind::quota);
  EXPECT_THAT(closed.error().message, HasSubstr(path()));
  const int after = dup(0);
  close(after);
  EXPECT_EQ(before, after);
  EXPECT_TRUE(file->close()) << "there is nothing left to close";
  EXPECT_THAT(calls_, ElementsAre(Call{StoreOperation::close, 0}));
}

TEST_F(Posix, ClosingGivesLocksBackThatAChildHasToo) {
  const auto file = open({});
  ASSERT_TRUE(file->lock(0, 10, LockMode::exclusive, 0));
  ASSERT_TRUE(file->lock(int64_t{1} << 62, 1, LockMode::exclusive, 0));
  const pid_t child = fork();
  if (child == 0) {
    for (;;) pause();
  }
  EXPECT_TRUE(file->close());
  const auto other = open({});
  EXPECT_TRUE(other->lock(0, 10, LockMode::exclusive, 0));
  EXPECT_TRUE(other->lock(int64_t{1} << 62, 1, LockMode::exclusive, 0));
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
}

TEST_F(Posix, ClosingWithoutLocksIsOneCall) {
  EXPECT_TRUE(open({})->close());
  EXPECT_THAT(calls_, ElementsAre(Call{StoreOperation::close, 0}));
}

TEST_F(Posix, ClosingThatIsInterruptedIsDone) {
  EXPECT_TRUE(open({{EINTR, 0}})->close());
}

TEST_F(Posix, OpenWithoutPermission) {
  if (geteuid() == 0) GTEST_SKIP() << "root may open every file";
  ASSERT_TRUE(make_posix_store()->open(path(), create));
  ASSERT_EQ(chmod(path().c_str(), 0), 0);
  const auto file = make_posix_store()->open(path(), read_only);
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().kind, ErrorKind::access);
}

TEST_F(Posix, NewFileHasThePermissionsAskedForLessTheUmask) {
  umask(027);
  OpenMode mode = create;
  mode.permissions = 0604;
  ASSERT_TRUE(make_posix_store()->open(path(), mode));
  struct stat status;
  ASSERT_EQ(stat(path().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
}

TEST_F(Posix, NewFileHasTheModeTheUmaskLeavesAndIsNotInherited) {
  umask(027);
  const auto file = make_posix_store()->open(path(), create);
  ASSERT_TRUE(file);
  struct stat status;
  ASSERT_EQ(stat(path().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0640u);
  bool found = false;
  for (int fd = 0; fd < 64; ++fd) {
    struct stat open_status;
    if (fstat(fd, &open_status) != 0 || open_status.st_ino != status.st_ino) continue;
    found = true;
    EXPECT_TRUE(fcntl(fd, F_GETFD) & FD_CLOEXEC);
  }
  EXPECT_TRUE(found);
}

TEST_F(Posix, NoFileIsAStandardStream) {
  const int input = dup(STDIN_FILENO);
  close(STDIN_FILENO);
  const auto file = open({});
  EXPECT_GT(file->descriptor(), STDERR_FILENO);
  EXPECT_EQ(fcntl(STDIN_FILENO, F_GETFD), -1) << "it is still open";
  EXPECT_TRUE(fcntl(file->descriptor(), F_GETFD) & FD_CLOEXEC);
  if (input < 0) return;
  dup2(input, STDIN_FILENO);
  close(input);
}

TEST_F(Posix, RefusedOpensLeaveNoDescriptorOpen) {
  const int before = dup(0);
  ASSERT_GE(before, 0);
  close(before);
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(make_posix_store()->open(folder_, read_only));
  const int after = dup(0);
  close(after);
  EXPECT_EQ(before, after);
}

TEST(FileSystems, KindsOfStorage) {
  EXPECT_EQ(layout_of_magic(0xEF53, 4096).kind, StorageLayout::Kind::local);
  EXPECT_EQ(layout_of_magic(0xEF53, 4096).name, "ext4");
  EXPECT_EQ(layout_of_magic(0xEF53, 4096).block_bytes, 4096);
  EXPECT_EQ(layout_of_magic(0x01021994, 4096).kind, StorageLayout::Kind::memory);
  EXPECT_EQ(layout_of_magic(0x6969, 4096).kind, StorageLayout::Kind::network);
  EXPECT_EQ(layout_of_magic(0x0BD00BD0, 4096).kind, StorageLayout::Kind::parallel);
  EXPECT_EQ(layout_of_magic(0xFE534D42, 4096).kind, StorageLayout::Kind::network);
  EXPECT_EQ(layout_of_magic(0x12345678, 4096).kind, StorageLayout::Kind::unknown);
  EXPECT_EQ(layout_of_magic(0x12345678, 4096).name, "0x12345678");
}

// What is not done as a whole, or is not allowed, is left to the file.
TEST_F(Posix, PlainRequestsMoveAllOrNothingThatCounts) {
  auto made = make_posix_store()->open(path(), create);
  ASSERT_TRUE(made);
  const PlainRequests plain(**made);
  std::byte data[100] = {std::byte{7}}, back[100] = {};
  EXPECT_EQ(plain.move(Operation::write, {10, data, 100}), 100);
  EXPECT_EQ(plain.move(Operation::read, {10, back, 100}), 100);
  EXPECT_EQ(back[0], std::byte{7});
  EXPECT_LT(plain.move(Operation::read, {60, back, 100}), 0) << "the file ends";
  EXPECT_LT(plain.move(Operation::read, {-1, back, 100}), 0);
  auto reader = make_posix_store()->open(path(), read_only);
  ASSERT_TRUE(reader);
  EXPECT_EQ(PlainRequests(**reader).move(Operation::read, {0, back, 100}), 100);
  EXPECT_LT(PlainRequests(**reader).move(Operation::write, {0, data, 100}), 0);
  const auto observed = open({});
  EXPECT_LT(PlainRequests(*observed).move(Operation::read, {0, back, 100}), 0)
      << "it is asked before each call";
  EXPECT_LT(PlainRequests().move(Operation::read, {0, back, 100}), 0);
}

}  // namespace
}  // namespace concilio::store::posix_test
