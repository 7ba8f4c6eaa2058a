// Calls in which only some ranks have data, or ranks have different amounts.
#include "situations/situation.h"

using namespace situations;

namespace {

constexpr int block = 3000;

// The block of rank r is at r * block. It is passed by the ranks for which `takes` is true, and the others
// pass no data.
void blocks_from_some(const char* name, bool (*takes)(int), MPI_Info info = MPI_INFO_NULL) {
  const std::string path = context.fresh_file(name);
  const int count = takes(context.rank) ? block : 0;
  std::vector<uint8_t> mine = values(context.rank, block), back(block, 0);
  std::vector<uint8_t> expected;
  for (int rank = 0; rank < context.ranks; ++rank) {
    if (!takes(rank)) continue;
    expected.resize(static_cast<size_t>(rank) * block, 0);
    const std::vector<uint8_t> part = values(rank, block);
    expected.insert(expected.end(), part.begin(), part.end());
  }
  {
    File file(path, MPI_MODE_CREATE | MPI_MODE_RDWR, info);
    OK(MPI_File_set_size(file, 0));
    MPI_Status status;
    const MPI_Offset at = MPI_Offset{context.rank} * block;
    OK(MPI_File_write_at_all(file, at, mine.data(), count, MPI_BYTE, &status));
    EXPECT_EQUAL(count, bytes_in(status));
    OK(MPI_File_sync(file));
    barrier();
    OK(MPI_File_sync(file));
    OK(MPI_File_read_at_all(file, at, back.data(), count, MPI_BYTE, &status));
    EXPECT_EQUAL(count, bytes_in(status));
    if (count) {
      EXPECT_BYTES(mine, back);
    }
    OK(MPI_File_write_all(file, mine.data(), 0, MPI_BYTE, &status));
    OK(MPI_File_read_all(file, back.data(), 0, MPI_BYTE, &status));
  }
  barrier();
  if (!context.own) EXPECT_BYTES(expected, contents(path));
}

bool even(int rank) {
  return rank % 2 == 0;
}
bool odd(int rank) {
  return rank % 2 == 1;
}
bool last(int rank) {
  return rank == context.ranks - 1;
}
bool none(int) {
  return false;
}
bool every(int) {
  return true;
}

}  // namespace

SITUATION(HalfTheRanks, ZeroLength, everywhere) {
  blocks_from_some("half", even);
  blocks_from_some("half", odd);
}

SITUATION(HalfTheRanks, ZeroLengthByEveryMethod, everywhere) {
  for (const char* method : {"auto", "independent", "list", "sieve", "two_phase"}) {
    blocks_from_some("half-method", even, Info{{"concilio_method", method}});
  }
  for (const char* collective : {"enable", "disable", "automatic"}) {
    blocks_from_some("half-cb", odd, Info{{"romio_cb_write", collective}, {"romio_cb_read", collective}});
  }
}

SITUATION(OneRank, NothingFromTheRest, everywhere) {
  blocks_from_some("one", last);
}

SITUATION(Nobody, ZeroLengthEverywhere, everywhere) {
  blocks_from_some("nobody", none);
}

SITUATION(OneAggregator, ForAllRanks, everywhere) {
  blocks_from_some("one-aggregator", every, Info{{"cb_nodes", "1"}, {"romio_cb_write", "enable"}});
}

SITUATION(ZeroSizeFiletype, OnSomeRanks, everywhere) {
  const std::string path = context.fresh_file("zero-filetype");
  const bool empty = odd(context.rank);
  std::vector<uint8_t> mine = values(context.rank, 60);
  {
    File file(path);
    const Type nothing = contiguous_of(0, MPI_BYTE);
    const Type some = vector_of(3, 10, 10 * context.ranks, MPI_BYTE);
    const MPI_Offset start = empty ? 0 : 10 * context.rank;
    const Type tile = resized_of(some, 0, 30 * context.ranks);
    OK(MPI_File_set_view(file, start, MPI_BYTE, empty ? nothing : tile, "native", MPI_INFO_NULL));
    MPI_Offset place = -1;
    if (!empty) OK(MPI_File_get_byte_offset(file, 0, &place));
    if (empty && !context.own) {
      MPI_File_get_byte_offset(file, 0, &place);  // the call must return, whatever its result
    }
    MPI_Status status;
    OK(MPI_File_write_all(file, mine.data(), empty ? 0 : 60, MPI_BYTE, &status));
    EXPECT_EQUAL(empty ? 0 : 60, bytes_in(status));
  }
  barrier();
  const std::vector<uint8_t> found = contents(path);
  for (int rank = 0; rank < context.ranks; rank += 2) {
    const std::vector<uint8_t> theirs = values(rank, 60);
    for (int i = 0; i < 60; ++i) {
      const size_t at = static_cast<size_t>(rank * 10 + i / 10 * 10 * context.ranks + i % 10);
      EXPECT(at < found.size() && found[at] == theirs[static_cast<size_t>(i)]);
    }
  }
}

SITUATION(RecordVariable, WriteSyncReadWithSomeRanksEmpty, everywhere) {
  const std::string path = context.fresh_file("record");
  {
    File file(path);
    for (int record = 0; record < 5; ++record) {
      std::vector<uint8_t> mine = values(record, 40);
      const MPI_Offset at = record * 40;
      const int writes = context.rank == record % context.ranks ? 40 : 0;
      OK(MPI_File_write_at_all(file, at, mine.data(), writes, MPI_BYTE, MPI_STATUS_IGNORE));
      OK(MPI_File_sync(file));
      barrier();
      OK(MPI_File_sync(file));
      std::vector<uint8_t> back(40, 0);
      const int reads = context.rank == 0 ? 40 : 0;
      OK(MPI_File_read_at_all(file, at, back.data(), reads, MPI_BYTE, MPI_STATUS_IGNORE));
      if (reads) EXPECT_BYTES(mine, back);
    }
  }
  if (context.rank == 0) EXPECT_EQUAL(200, std::ssize(contents(path)));
}

SITUATION(Communicators, TwoFilesAtOnceOnOne, everywhere) {
  const std::string first = context.fresh_file("first"), second = context.fresh_file("second");
  const std::vector<uint8_t> a = values(context.rank, 500), b = values(context.rank + 50, 500);
  {
    File one(first), two(second);
    for (int i = 0; i < 5; ++i) {
      const MPI_Offset at = (MPI_Offset{i} * context.ranks + context.rank) * 100;
      OK(MPI_File_write_at_all(one, at, a.data() + i * 100, 100, MPI_BYTE, MPI_STATUS_IGNORE));
      OK(MPI_File_write_at_all(two, at, b.data() + i * 100, 100, MPI_BYTE, MPI_STATUS_IGNORE));
    }
    one.close();
    std::vector<uint8_t> back(100, 0);
    OK(MPI_File_read_at_all(two, context.rank * 100, back.data(), 100, MPI_BYTE, MPI_STATUS_IGNORE));
    EXPECT_BYTES(std::vector<uint8_t>(b.begin(), b.begin() + 100), back);
  }
  barrier();
  for (const auto& [path, mine] : {std::pair(first, a), std::pair(second, b)}) {
    const std::vector<uint8_t> found = contents(path);
    EXPECT_EQUAL(500 * context.ranks, std::ssize(found));
    for (size_t i = 0; i < 500 && std::ssize(found) == 500 * context.ranks; ++i) {
      const auto ranks = static_cast<size_t>(context.ranks), rank = static_cast<size_t>(context.rank);
      EXPECT_EQUAL(mine[i], found[(i / 100 * ranks + rank) * 100 + i % 100]);
    }
  }
}

SITUATION(Communicators, HalvesWithAFileEach, everywhere) {
  context.fresh_file("half0");
  const std::string path = context.folder + "/half" + std::to_string(context.rank % 2);
  context.fresh_file("half1");
  MPI_Comm half;
  MPI_Comm_split(MPI_COMM_WORLD, context.rank % 2, -context.rank, &half);  // in the opposite order
  int rank, ranks;
  MPI_Comm_rank(half, &rank);
  MPI_Comm_size(half, &ranks);
  std::vector<uint8_t> mine = values(rank, 700);
  {
    File file(path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, half);
    const Type tile = resized_of(contiguous_of(7, MPI_BYTE), 0, 7 * ranks);
    OK(MPI_File_set_view(file, rank * 7, MPI_BYTE, tile, "native", MPI_INFO_NULL));
    OK(MPI_File_write_all(file, mine.data(), 700, MPI_BYTE, MPI_STATUS_IGNORE));
  }
  MPI_Barrier(half);
  const std::vector<uint8_t> found = contents(path);
  EXPECT_EQUAL(700 * ranks, std::ssize(found));
  for (int i = 0; i < 700 && std::ssize(found) == 700 * ranks; ++i) {
    EXPECT_EQUAL(mine[static_cast<size_t>(i)],
                 found[static_cast<size_t>((i / 7 * ranks + rank) * 7 + i % 7)]);
  }
  MPI_Comm_free(&half);
}

SITUATION(Communicators, EachRankItsOwnFileOnSelf, everywhere) {
  const std::string path = context.folder + "/self" + std::to_string(context.rank);
  const std::vector<uint8_t> mine = values(context.rank, 2000);
  {
    File file(path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, MPI_COMM_SELF);
    OK(MPI_File_write_all(file, mine.data(), 1000, MPI_BYTE, MPI_STATUS_IGNORE));
    OK(MPI_File_write(file, mine.data() + 1000, 1000, MPI_BYTE, MPI_STATUS_IGNORE));
  }
  EXPECT_BYTES(mine, contents(path));
}

SITUATION(Communicators, FreedWhileTheFileIsOpen, everywhere) {
  const std::string path = context.fresh_file("freed");
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  File file(path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, comm);
  MPI_Comm_free(&comm);
  std::vector<uint8_t> mine = values(context.rank, 10), back(10, 0);
  OK(MPI_File_write_at_all(file, context.rank * 10, mine.data(), 10, MPI_BYTE, MPI_STATUS_IGNORE));
  OK(MPI_File_read_at_all(file, context.rank * 10, back.data(), 10, MPI_BYTE, MPI_STATUS_IGNORE));
  EXPECT_BYTES(mine, back);
}
