// Files that ranks map (concilio_method=mapped): where the file ends, who makes it grow, and which parts stay
// sparse.
#include <concilio/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "situations/situation.h"

using namespace situations;

namespace {

constexpr uint8_t untouched = 0xee;

// Blocks of `block` bytes, of any length, that belong to the ranks by turns.
Type dealt_out(int block) {
  return resized_of(contiguous_of(block, MPI_BYTE), 0, MPI_Aint{block} * context.ranks);
}

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22
#endif

// Whether this system and the tests' folder are of a kind on which files can certainly be mapped for reading.
bool certainly_mapped() {
  const auto bytes = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  void* page = mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) return false;
  const bool can = madvise(page, bytes, MADV_POPULATE_READ) == 0;
  munmap(page, bytes);
  struct statfs found;
  constexpr long ext4 = 0xEF53, tmpfs = 0x01021994, xfs = 0x58465342;
  return can && statfs(context.folder.c_str(), &found) == 0 &&
         (found.f_type == ext4 || found.f_type == tmpfs || found.f_type == xfs);
}

int64_t counted(MPI_File file, const char* name) {
  int64_t value = -1;
  EXPECT_EQUAL(CONCILIO_SUCCESS, concilio_file_counter(file, name, &value));
  return value;
}

// Whether the method was possible for the last call.
bool could_map(MPI_File file) {
  concilio_candidate one;
  for (int i = 0; concilio_file_last_candidate(file, i, &one) == CONCILIO_SUCCESS; ++i) {
    if (std::strcmp(one.method, "mapped") == 0) return one.legal;
  }
  return false;
}

}  // namespace

SITUATION(Mapped, ReadsAskStorageForNothing, everywhere) {
  if (context.own) return;
  const std::string path = context.fresh_file("mapped-reads");
  const int block = 100, blocks = 500;
  const std::vector<uint8_t> bytes = values(3, block * blocks * context.ranks);
  make_file(path, bytes);
  for (const bool collective : {true, false}) {
    File file(path, MPI_MODE_RDONLY, Info{{"concilio_method", "mapped"}});
    const Type type = dealt_out(block);
    OK(MPI_File_set_view(file, MPI_Offset{block} * context.rank, MPI_BYTE, type, "native", MPI_INFO_NULL));
    std::vector<uint8_t> found(static_cast<size_t>(block * blocks), untouched), expected;
    OK((collective ? MPI_File_read_at_all : MPI_File_read_at)(file, 0, found.data(), block * blocks, MPI_BYTE,
                                                              MPI_STATUS_IGNORE));
    for (int i = 0; i < blocks; ++i) {
      const auto begin = bytes.begin() + (i * context.ranks + context.rank) * block;
      expected.insert(expected.end(), begin, begin + block);
    }
    EXPECT_BYTES(expected, found);
    const char* limited = getenv("CONCILIO_HINTS");
    if (certainly_mapped() && !limited) EXPECT(could_map(file));
    EXPECT_EQUAL(could_map(file) ? 1 : 0, counted(file, "method_mapped"));
    if (could_map(file)) EXPECT_EQUAL(0, counted(file, "storage_reads"));
  }
}

SITUATION(Mapped, FileEndsAtTheLastByteThatAnyRankWrites, everywhere) {
  for (const bool collective : {true, false}) {
    for (const int block : {1, 7, 4096, 70001}) {
      const std::string path = context.fresh_file("mapped-growing");
      const int blocks = 20, bytes = block * blocks;
      const std::vector<uint8_t> mine = values(context.rank, bytes);
      {
        File file(path, MPI_MODE_CREATE | MPI_MODE_RDWR, Info{{"concilio_method", "mapped"}});
        const Type type = dealt_out(block);
        OK(MPI_File_set_view(file, 3 + MPI_Offset{block} * context.rank, MPI_BYTE, type, "native",
                             MPI_INFO_NULL));
        OK((collective ? MPI_File_write_at_all : MPI_File_write_at)(file, 0, mine.data(), bytes, MPI_BYTE,
                                                                    MPI_STATUS_IGNORE));
        OK(MPI_File_sync(file));
        barrier();
        OK(MPI_File_sync(file));
        std::vector<uint8_t> found(mine.size(), untouched);
        OK((collective ? MPI_File_read_at_all : MPI_File_read_at)(file, 0, found.data(), bytes, MPI_BYTE,
                                                                  MPI_STATUS_IGNORE));
        EXPECT_BYTES(mine, found);
      }
      barrier();
      std::vector<uint8_t> expected(static_cast<size_t>(3 + bytes * context.ranks), 0);
      for (int rank = 0; rank < context.ranks; ++rank) {
        const std::vector<uint8_t> its = values(rank, bytes);
        for (int i = 0; i < blocks; ++i)
          std::copy_n(its.begin() + i * block, block,
                      expected.begin() + 3 + (i * context.ranks + rank) * block);
      }
      EXPECT_BYTES(expected, contents(path));
      barrier();
    }
  }
}

SITUATION(Mapped, ReadsStopAtTheEndOfTheFile, not_own) {
  // The file ends in the middle of a block and of a page, and for some ranks before their first byte.
  for (const int size : {0, 1, 4096, 10000, 12289}) {
    const std::string path = context.fresh_file("mapped-end");
    const std::vector<uint8_t> bytes = values(9, size);
    make_file(path, bytes);
    for (const bool collective : {true, false}) {
      File file(path, MPI_MODE_RDONLY, Info{{"concilio_method", "mapped"}});
      const int block = 1000, count = 20 * block;
      const Type type = dealt_out(block);
      OK(MPI_File_set_view(file, MPI_Offset{block} * context.rank, MPI_BYTE, type, "native", MPI_INFO_NULL));
      std::vector<uint8_t> found(static_cast<size_t>(count), untouched), expected = found;
      MPI_Status status;
      OK((collective ? MPI_File_read_at_all : MPI_File_read_at)(file, 0, found.data(), count, MPI_BYTE,
                                                                &status));
      int there = 0;
      for (int i = 0; i < count; ++i) {
        const int place = (i / block * context.ranks + context.rank) * block + i % block;
        if (place >= size) break;
        expected[static_cast<size_t>(i)] = bytes[static_cast<size_t>(place)];
        ++there;
      }
      EXPECT_EQUAL(there, bytes_in(status));
      EXPECT_BYTES(expected, found);
    }
    barrier();
  }
}

SITUATION(Mapped, SparseFilesStaySparse, not_own) {
  const std::string path = context.fresh_file("mapped-sparse");
  const int pieces = 8, far = 8 << 20;
  const std::vector<uint8_t> mine = values(context.rank, pieces);
  {
    File file(path, MPI_MODE_CREATE | MPI_MODE_RDWR, Info{{"concilio_method", "mapped"}});
    const Type type = resized_of(contiguous_of(1, MPI_BYTE), 0, far);
    OK(MPI_File_set_view(file, context.rank, MPI_BYTE, type, "native", MPI_INFO_NULL));
    OK(MPI_File_write_at_all(file, 0, mine.data(), pieces, MPI_BYTE, MPI_STATUS_IGNORE));
  }
  barrier();
  struct stat found;
  EXPECT_EQUAL(0, stat(path.c_str(), &found));
  EXPECT_EQUAL(MPI_Offset{far} * (pieces - 1) + context.ranks, MPI_Offset{found.st_size});
  EXPECT_EQUAL(true, found.st_blocks * 512 < far);
}

SITUATION(Mapped, HolesAndNeighboursKeepTheirBytes, everywhere) {
  const std::string path = context.fresh_file("mapped-holes");
  const int tile = 3 * context.ranks + 2, tiles = 5000;
  std::vector<uint8_t> expected = values(5, 20 + tile * tiles + 100);
  make_file(path, expected);
  {
    File file(path, MPI_MODE_RDWR, Info{{"concilio_method", "mapped"}});
    const Type type = resized_of(contiguous_of(3, MPI_BYTE), 0, tile);
    OK(MPI_File_set_view(file, 20 + 3 * context.rank, MPI_BYTE, type, "native", MPI_INFO_NULL));
    const std::vector<uint8_t> mine = values(context.rank, 3 * tiles);
    OK(MPI_File_write_all(file, mine.data(), 3 * tiles, MPI_BYTE, MPI_STATUS_IGNORE));
  }
  barrier();
  for (int rank = 0; rank < context.ranks; ++rank) {
    const std::vector<uint8_t> its = values(rank, 3 * tiles);
    for (int i = 0; i < 3 * tiles; ++i) {
      expected[static_cast<size_t>(20 + i / 3 * tile + 3 * rank + i % 3)] = its[static_cast<size_t>(i)];
    }
  }
  EXPECT_BYTES(expected, contents(path));
}

SITUATION(Mapped, FilesOpenForWritingOnly, everywhere) {
  const std::string path = context.fresh_file("mapped-write-only");
  const std::vector<uint8_t> mine = values(context.rank, 9000);
  {
    File file(path, MPI_MODE_CREATE | MPI_MODE_WRONLY, Info{{"concilio_method", "mapped"}});
    OK(MPI_File_write_at_all(file, MPI_Offset{9000} * context.rank, mine.data(), 9000, MPI_BYTE,
                             MPI_STATUS_IGNORE));
  }
  barrier();
  std::vector<uint8_t> expected;
  for (int rank = 0; rank < context.ranks; ++rank) {
    const std::vector<uint8_t> its = values(rank, 9000);
    expected.insert(expected.end(), its.begin(), its.end());
  }
  EXPECT_BYTES(expected, contents(path));
}
