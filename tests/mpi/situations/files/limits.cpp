// Limits of memory, descriptors, sizes and threads.
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <thread>

#include <concilio/file.h>

#include "situations/situation.h"

using namespace situations;

namespace {

int64_t resident_bytes() {
  long total = 0, resident = 0;
  if (std::FILE* file = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(file, "%ld %ld", &total, &resident) != 2) resident = 0;
    std::fclose(file);
  }
  return int64_t{resident} * sysconf(_SC_PAGESIZE);
}

// Shared memory of Concilio that this process has mapped: files without a name in /dev/shm, or anonymous
// memory; their lengths by inode.
std::map<unsigned long, int64_t> shared_segments() {
  std::ifstream maps("/proc/self/maps");
  std::map<unsigned long, int64_t> found;
  for (std::string line; std::getline(maps, line);) {
    unsigned long begin = 0, end = 0, inode = 0;
    if (line.find("/dev/shm/#") == std::string::npos && line.find("/memfd:concilio") == std::string::npos)
      continue;
    if (std::sscanf(line.c_str(), "%lx-%lx %*s %*s %*s %lu", &begin, &end, &inode) == 3)
      found[inode] += static_cast<int64_t>(end - begin);
  }
  return found;
}
int64_t shared_segments_bytes() {
  int64_t bytes = 0;
  for (const auto& [inode, length] : shared_segments()) bytes += length;
  return bytes;
}

constexpr int64_t mebibyte = 1 << 20;

// Whether signals come again and again, so that no more memory than this can be reserved by one call; and how
// many calls they have interrupted.
std::atomic<bool> signals_come = false;
constexpr off_t longest_reservation = mebibyte;
std::atomic<int> interrupted = 0;
constexpr int most_interrupted = 1000;  // whoever tries for ever is stopped

bool is_shared_segment(int fd) {
  char name[64] = "";
  const std::string link = "/proc/self/fd/" + std::to_string(fd);
  if (readlink(link.c_str(), name, sizeof name - 1) < 0) return false;
  return std::string_view(name).starts_with("/dev/shm/#") ||
         std::string_view(name).starts_with("/memfd:concilio");
}

// Writes 2 MiB a rank to a new file by two-phase. Returns the shared memory while the file is open.
std::map<unsigned long, int64_t> segments_of_a_file(const char* name, const char* window) {
  const Info info{{"concilio_method", "two_phase"}, {"cb_buffer_size", window}};
  const std::vector<uint8_t> mine = values(context.rank, 2 * mebibyte);
  const File file(context.fresh_file(name), MPI_MODE_CREATE | MPI_MODE_RDWR, info);
  OK(MPI_File_write_at_all(file, context.rank * std::ssize(mine), mine.data(), static_cast<int>(mine.size()),
                           MPI_BYTE, MPI_STATUS_IGNORE));
  return shared_segments();
}

void interleaved_write_and_read(const char* name, MPI_Info info, int block, int blocks) {
  const std::string path = context.fresh_file(name);
  const int total = block * blocks;
  const std::vector<uint8_t> mine = values(context.rank, total);
  std::vector<uint8_t> back(mine.size(), 0);
  make_file(path, values(77, 100));
  {
    File file(path, MPI_MODE_RDWR, info);
    const int tile_bytes = block * context.ranks + 5;
    const Type tile = resized_of(contiguous_of(block, MPI_BYTE), 0, tile_bytes);
    OK(MPI_File_set_view(file, block * context.rank, MPI_BYTE, tile, "native", MPI_INFO_NULL));
    OK(MPI_File_write_all(file, mine.data(), total, MPI_BYTE, MPI_STATUS_IGNORE));
    OK(MPI_File_read_at_all(file, 0, back.data(), total, MPI_BYTE, MPI_STATUS_IGNORE));
    EXPECT_BYTES(mine, back);
  }
  barrier();
  const std::vector<uint8_t> found = contents(path);
  const int tile_bytes = block * context.ranks + 5;
  EXPECT_EQUAL((blocks - 1) * tile_bytes + block * context.ranks, std::ssize(found));
  for (int64_t i = 0; i < total; ++i) {
    const auto at = static_cast<size_t>(i / block * tile_bytes + context.rank * block + i % block);
    EXPECT(at < found.size() && found[at] == mine[static_cast<size_t>(i)]);
  }
  // The bytes between the tiles are the old ones, or 0 after the old end of the file.
  if (context.own) return;
  for (int tile = 0; tile < blocks - 1; ++tile) {
    for (int i = 0; i < 5; ++i) {
      const auto at = static_cast<size_t>(tile * tile_bytes + block * context.ranks + i);
      EXPECT(at < found.size() && found[at] == (at < 100 ? value(77, static_cast<int64_t>(at)) : 0));
    }
  }
}

}  // namespace

#pragma GCC visibility push(default)
// The library's reservations of shared memory come by here.
extern "C" int posix_fallocate(int fd, off_t offset, off_t length) {
  using Function = int (*)(int, off_t, off_t);
  static const auto next = reinterpret_cast<Function>(dlsym(RTLD_NEXT, "posix_fallocate"));
  if (!signals_come || length <= longest_reservation || !is_shared_segment(fd))
    return next(fd, offset, length);
  return ++interrupted < most_interrupted ? EINTR : ENOSPC;
}
#pragma GCC visibility pop

SITUATION(Windows, OfFourKiB, everywhere) {
  interleaved_write_and_read("window",
                             Info{{"cb_buffer_size", "4096"},
                                  {"romio_cb_write", "enable"},
                                  {"romio_cb_read", "enable"},
                                  {"concilio_method", "two_phase"}},
                             61, 900);
}

SITUATION(Windows, SmallerThanABlock, everywhere) {
  interleaved_write_and_read("small-window",
                             Info{{"cb_buffer_size", "512"},
                                  {"romio_cb_write", "enable"},
                                  {"romio_cb_read", "enable"},
                                  {"cb_nodes", "1"}},
                             3000, 9);
}

SITUATION(MemoryLimit, AtItsFloor, everywhere) {
  for (const char* limit : {"1", "4096", "65536", "131072"}) {
    interleaved_write_and_read(
        "limit", Info{{"concilio_memory_limit", limit}, {"concilio_method", "two_phase"}}, 100, 1500);
  }
}

SITUATION(ThousandsOfCalls, NoLeak, not_own) {
  const std::string path = context.fresh_file("calls");
  File file(path);
  const std::vector<uint8_t> mine = values(context.rank, 100);
  std::vector<uint8_t> back(100, 0);
  int64_t resident = 0;
  for (int i = 0; i < 1200; ++i) {
    if (i == 200) resident = resident_bytes();
    const Type tile = resized_of(contiguous_of(10 + i % 7, MPI_BYTE), 0, 20 * context.ranks);
    OK(MPI_File_set_view(file, 20 * context.rank, MPI_BYTE, tile, "native", MPI_INFO_NULL));
    const Type memory = vector_of(10, 5, 10, MPI_BYTE);
    OK(MPI_File_write_at_all(file, 0, mine.data(), 1, memory, MPI_STATUS_IGNORE));
    OK(MPI_File_read_at(file, 0, back.data(), 1, memory, MPI_STATUS_IGNORE));
  }
  const int64_t grown = resident_bytes() - resident;
  if (!context.own) EXPECT(grown < 8 * mebibyte);
}

// Blocks of 1 to 3 bytes with gaps of 1 to 7, so that no two neighbours are alike.
SITUATION(LongDatatypes, AreChargedForWhatTheyTake, not_own) {
  if (!concilio_file_memory) return note_failure(__FILE__, __LINE__, "no concilio_file_memory");
  constexpr int64_t blocks = 300'000;
  std::vector<int> lengths;
  std::vector<MPI_Aint> places;
  MPI_Aint end = 0;
  for (int64_t i = 0; i < blocks; ++i) {
    lengths.push_back(static_cast<int>(1 + i * i % 3));
    places.push_back(end + 1 + i * i % 7);
    end = places.back() + lengths.back();
  }
  const Type listed = blocks_at(lengths, places, MPI_BYTE);
  File file(
      context.fresh_file("long-types"), MPI_MODE_CREATE | MPI_MODE_RDWR,
      Info{{"concilio_memory_limit", "1048576"}, {"concilio_method", "list"}});  // which keeps no buffer
  const auto charged = [&] {
    int64_t limit = 0, now = 0, most = 0;
    EXPECT_EQUAL(0, concilio_file_memory(file, &limit, &now, &most));
    return std::pair(now, most);
  };
  const int64_t before = charged().first;
  OK(MPI_File_set_view(file, context.rank, MPI_BYTE, listed, "native", MPI_INFO_NULL));
  // An offset and a length for each block. While the type is decoded, MPI's lists of them exist too.
  const int64_t kept = charged().first - before;
  EXPECT(kept >= 8 * blocks && kept <= 17 * blocks);
  EXPECT(charged().second - before >= kept + 12 * blocks && charged().second - before <= 36 * blocks);
  // The same type in memory. It is known by now, and is charged while the call runs.
  std::vector<uint8_t> buffer(static_cast<size_t>(end), 1);
  OK(MPI_File_write_at(file, 0, buffer.data(), 1, listed, MPI_STATUS_IGNORE));
  EXPECT_EQUAL(before + kept, charged().first);
  EXPECT(charged().second - before >= 2 * kept);
  OK(MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL));
  EXPECT(charged().first - before < 4096);
}

SITUATION(SharedSegments, StayForTheNextFile, not_own) {
  const auto first = segments_of_a_file("segment-first", "512K");
  const auto between = shared_segments(), next = segments_of_a_file("segment-next", "512K");
  EXPECT(first == between);
  EXPECT(first == next);
  if (context.ranks > 1) EXPECT(shared_segments_bytes() > mebibyte);
}

SITUATION(SharedSegments, OfManyFilesGoWithThem, not_own) {
  const int64_t before = shared_segments_bytes();
  {
    const std::string all = std::to_string(context.ranks);
    const Info info{{"concilio_method", "two_phase"}, {"cb_buffer_size", "512K"}, {"cb_nodes", all.c_str()}};
    const std::vector<uint8_t> mine = values(context.rank, 4 * mebibyte);
    std::vector<std::unique_ptr<File>> files;
    for (int i = 0; i < 8; ++i) {
      files.push_back(std::make_unique<File>(context.fresh_file(("segments-" + std::to_string(i)).c_str()),
                                             MPI_MODE_CREATE | MPI_MODE_RDWR, info));
      OK(MPI_File_write_at_all(*files.back(), context.rank * std::ssize(mine), mine.data(),
                               static_cast<int>(mine.size()), MPI_BYTE, MPI_STATUS_IGNORE));
    }
    if (context.ranks > 1) EXPECT(shared_segments_bytes() > 8 * mebibyte * ranks_of_host());
  }
  // The memory in which the ranks of a node meet is kept for later files, and windows of 4 MiB for each rank,
  // as the first rank counts them.
  const int64_t most = 4 * mebibyte * ranks_of_host() + mebibyte;
  if (context.rank == 0) EXPECT(shared_segments_bytes() - before < most);
}

SITUATION(SharedSegments, AreHadDespiteManySignals, not_own) {
  signals_come = true;
  interleaved_write_and_read(
      "signals",
      Info{
          {"concilio_memory_limit", "64M"}, {"cb_buffer_size", "33554432"}, {"concilio_method", "two_phase"}},
      1 << 19, 16);
  signals_come = false;
  int most = interrupted;
  MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (context.ranks > 1) EXPECT(most > 0 && most < most_interrupted);
}

SITUATION(DatatypeOfManyBlocks, MemoryStaysSmall, not_own) {
  // A hundred million pieces, described by two vectors. Only a thousand bytes, far inside, are accessed.
  const std::string path = context.fresh_file("many-blocks");
  File file(path);
  const Type inner = resized_of(vector_of(10000, 1, 2, MPI_BYTE), 0, 20000);
  const Type outer = resized_of(vector_of(10000, 1, 2, inner), 0, MPI_Aint{20000} * 20000);
  const int64_t before = resident_bytes();
  OK(MPI_File_set_view(file, 0, MPI_BYTE, outer, "native", MPI_INFO_NULL));
  std::vector<uint8_t> mine = values(context.rank, 1000), back(1000, 0);
  const MPI_Offset at = 50000000 + 1000 * context.rank;
  OK(MPI_File_write_at_all(file, at, mine.data(), 1000, MPI_BYTE, MPI_STATUS_IGNORE));
  OK(MPI_File_read_at_all(file, at, back.data(), 1000, MPI_BYTE, MPI_STATUS_IGNORE));
  EXPECT_BYTES(mine, back);
  const int64_t grown = resident_bytes() - before;
  EXPECT(grown < 16 * mebibyte);
}

SITUATION(Offsets, BeyondFourGiB, everywhere) {
  const std::string path = context.fresh_file("far");
  const MPI_Offset far = MPI_Offset{5} << 30;
  const std::vector<uint8_t> mine = values(context.rank, 300);
  std::vector<uint8_t> back(300, 0);
  {
    File file(path);
    const Type tile = resized_of(contiguous_of(30, MPI_BYTE), 0, 30 * context.ranks);
    OK(MPI_File_set_view(file, far + 30 * context.rank, MPI_BYTE, tile, "native", MPI_INFO_NULL));
    OK(MPI_File_write_all(file, mine.data(), 300, MPI_BYTE, MPI_STATUS_IGNORE));
    OK(MPI_File_read_at_all(file, 0, back.data(), 300, MPI_BYTE, MPI_STATUS_IGNORE));
    EXPECT_BYTES(mine, back);
    MPI_Offset size = 0;
    OK(MPI_File_sync(file));
    barrier();
    OK(MPI_File_get_size(file, &size));
    EXPECT_EQUAL(far + 300 * context.ranks, size);
  }
  barrier();
  if (context.rank == 0) unlink(path.c_str());
}

SITUATION(Sizes, TwoGiBMinus4096, large) {
  const std::string path = context.fresh_file("two-gib");
  const int count = 0x7fffffff - 4095;
  if (context.rank == 0) {
    std::vector<uint8_t> buffer(static_cast<size_t>(count));
    for (size_t i = 0; i < buffer.size(); i += 4096) buffer[i] = value(1, static_cast<int64_t>(i >> 12));
    File file(path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, MPI_COMM_SELF);
    MPI_Status status;
    OK(MPI_File_write_at(file, 0, buffer.data(), count, MPI_BYTE, &status));
    EXPECT_EQUAL(count, bytes_in(status));
    std::fill(buffer.begin(), buffer.end(), uint8_t{0});
    OK(MPI_File_read_at(file, 0, buffer.data(), count, MPI_BYTE, &status));
    EXPECT_EQUAL(count, bytes_in(status));
    for (size_t i = 0; i < buffer.size(); i += 4096) {
      EXPECT_EQUAL(value(1, static_cast<int64_t>(i >> 12)), buffer[i]);
    }
    file.close();
    unlink(path.c_str());
  }
  barrier();
}

SITUATION(Sizes, MoreThanTwoGiBNoncontiguous, large) {
  const std::string path = context.fresh_file("three-gib");
  const Type mebi = contiguous_of(mebibyte, MPI_BYTE);
  const int blocks = 3000 / context.ranks;
  std::vector<uint8_t> buffer(static_cast<size_t>(blocks) * mebibyte);
  for (int i = 0; i < blocks; ++i) buffer[static_cast<size_t>(i) * mebibyte + 17] = value(context.rank, i);
  {
    File file(path);
    const Type tile = resized_of(mebi, 0, mebibyte * context.ranks);
    OK(MPI_File_set_view(file, mebibyte * context.rank, MPI_BYTE, tile, "native", MPI_INFO_NULL));
    MPI_Status status;
    OK(MPI_File_write_all(file, buffer.data(), blocks, mebi, &status));
    EXPECT_EQUAL(blocks * mebibyte, bytes_in(status));
    std::fill(buffer.begin(), buffer.end(), uint8_t{0});
    OK(MPI_File_read_at_all(file, 0, buffer.data(), blocks, mebi, &status));
    for (int i = 0; i < blocks; ++i)
      EXPECT_EQUAL(value(context.rank, i), buffer[static_cast<size_t>(i) * mebibyte + 17]);
  }
  barrier();
  if (context.rank == 0) unlink(path.c_str());
}

SITUATION(Threads, EachWithItsOwnFileOnSelf, not_own) {
  int provided = MPI_THREAD_SINGLE;
  MPI_Query_thread(&provided);
  if (provided < MPI_THREAD_MULTIPLE) return;
  constexpr int count = 4, rounds = 20;
  int bad[count] = {};
  MPI_Comm comms[count];
  for (MPI_Comm& comm : comms) MPI_Comm_dup(MPI_COMM_SELF, &comm);
  std::vector<std::thread> threads;
  for (int thread = 0; thread < count; ++thread) {
    threads.emplace_back([&, thread] {
      const int64_t stream = context.rank * count + thread;
      const std::string path = context.folder + "/thread" + std::to_string(stream);
      const std::vector<uint8_t> mine = values(stream, 4000);
      for (int round = 0; round < rounds; ++round) {
        MPI_File file;
        std::vector<uint8_t> back(4000, 0);
        const auto at = static_cast<size_t>(thread);
        bad[thread] += MPI_File_open(comms[at], path.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL,
                                     &file) != 0;
        bad[thread] += MPI_File_write_all(file, mine.data(), 4000, MPI_BYTE, MPI_STATUS_IGNORE) != 0;
        bad[thread] += MPI_File_read_at(file, 0, back.data(), 4000, MPI_BYTE, MPI_STATUS_IGNORE) != 0;
        bad[thread] += back != mine;
        bad[thread] += MPI_File_close(&file) != 0;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (int thread = 0; thread < count; ++thread) EXPECT_EQUAL(0, bad[thread]);
  for (MPI_Comm& comm : comms) MPI_Comm_free(&comm);
}

// MPICH has 2048 communicators for everything. A file may take one of them, as it does in ROMIO.
SITUATION(ManyFiles, OpenAtOnceAreAThousandAndThenAnErrorIsReturned, not_own_mpich) {
  constexpr int most_ranks = 2;  // more ranks only take longer
  if (context.rank == 0 && context.ranks <= most_ranks) {
    rlimit descriptors{};
    EXPECT_EQUAL(0, getrlimit(RLIMIT_NOFILE, &descriptors));
    descriptors.rlim_cur = descriptors.rlim_max;
    EXPECT_EQUAL(0, setrlimit(RLIMIT_NOFILE, &descriptors));
    constexpr size_t most = 2200, spare_descriptors = 100;
    const size_t least = std::min<size_t>(1000, descriptors.rlim_max - spare_descriptors);
    const std::string path = context.folder + "/many";
    std::vector<MPI_File> files;
    int code = MPI_SUCCESS;
    while (files.size() < most) {
      MPI_File file;
      code =
          MPI_File_open(MPI_COMM_SELF, path.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
      if (code != MPI_SUCCESS) break;
      files.push_back(file);
    }
    EXPECT(files.size() >= least);
    // The program's communicator has its error handler back.
    MPI_Errhandler handler;
    OK(MPI_Comm_get_errhandler(MPI_COMM_SELF, &handler));
    EXPECT(handler == MPI_ERRORS_ARE_FATAL);
    OK(MPI_Errhandler_free(&handler));
    for (size_t i = 0; i < files.size(); ++i) {
      const uint8_t byte = value(5, static_cast<int64_t>(i));
      OK(MPI_File_write_at(files[i], static_cast<MPI_Offset>(i), &byte, 1, MPI_BYTE, MPI_STATUS_IGNORE));
    }
    const std::vector<uint8_t> expected = values(5, static_cast<int64_t>(files.size()));
    for (MPI_File& file : files) OK(MPI_File_close(&file));
    EXPECT_BYTES(expected, contents(path));
  }
  barrier();
}
