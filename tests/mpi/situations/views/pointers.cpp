// File pointers, sizes and modes.
#include <algorithm>

#include "situations/situation.h"

using namespace situations;

namespace {

// The first four of every eight bytes are data.
Type half_tile() {
  return resized_of(contiguous_of(4, MPI_BYTE), 0, 8);
}

void expect_end(const char* name, int file_bytes, MPI_Offset expected) {
  const std::string path = context.fresh_file(name);
  make_file(path, values(1, file_bytes));
  File file(path, MPI_MODE_RDWR);
  const Type tile = half_tile();
  OK(MPI_File_set_view(file, 0, MPI_BYTE, tile, "native", MPI_INFO_NULL));
  OK(MPI_File_seek(file, 0, MPI_SEEK_END));
  MPI_Offset position = -1;
  OK(MPI_File_get_position(file, &position));
  EXPECT_EQUAL(expected, position);
}

}  // namespace

SITUATION(SeekEnd, PlainView, everywhere) {
  const std::string path = context.fresh_file("end-plain");
  make_file(path, values(1, 100));
  File file(path, MPI_MODE_RDWR);
  OK(MPI_File_seek(file, -30, MPI_SEEK_END));
  MPI_Offset position = -1;
  OK(MPI_File_get_position(file, &position));
  EXPECT_EQUAL(70, position);
  OK(MPI_File_set_view(file, 20, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
  OK(MPI_File_seek(file, -5, MPI_SEEK_END));
  OK(MPI_File_get_position(file, &position));
  EXPECT_EQUAL(15, position);
}

SITUATION(SeekEnd, UnderViewEndingInHole, not_own) {
  expect_end("end-hole", 14, 8);        // 0..4 and 8..12 are data, 12..14 lie in the hole
  expect_end("end-hole-start", 12, 8);  // at the start of the hole
  expect_end("end-tile", 16, 8);        // at the end of a tile
}

SITUATION(SeekEnd, UnderViewEndingInData, not_own_openmpi) {
  expect_end("end-data", 10, 6);
}

SITUATION(Seek, BeforeTheStartRefused, everywhere) {
  const std::string path = context.fresh_file("seek-negative");
  File file(path);
  OK(MPI_File_seek(file, 5, MPI_SEEK_SET));
  EXPECT(MPI_File_seek(file, -1, MPI_SEEK_SET) != MPI_SUCCESS);
  EXPECT(MPI_File_seek(file, -6, MPI_SEEK_CUR) != MPI_SUCCESS);
  EXPECT(MPI_File_seek(file, 0, 4711) != MPI_SUCCESS);
  MPI_Offset position = -1;
  OK(MPI_File_get_position(file, &position));
  EXPECT_EQUAL(5, position);
}

SITUATION(Seek, BeyondTheEndAndBack, everywhere) {
  const std::string path = context.fresh_file("seek-beyond");
  File file(path);
  OK(MPI_File_seek(file, 1000, MPI_SEEK_SET));
  OK(MPI_File_seek(file, -999 + context.rank, MPI_SEEK_CUR));
  uint8_t byte = value(context.rank, 0), back = 0;
  OK(MPI_File_write_all(file, &byte, 1, MPI_BYTE, MPI_STATUS_IGNORE));
  OK(MPI_File_read_at_all(file, 1 + context.rank, &back, 1, MPI_BYTE, MPI_STATUS_IGNORE));
  EXPECT_EQUAL(byte, back);
}

SITUATION(Pointers, ExplicitOffsetsLeaveThemAlone, everywhere) {
  const std::string path = context.fresh_file("pointers");
  File file(path);
  uint8_t bytes[40] = {};
  MPI_Offset position = -1;
  OK(MPI_File_seek(file, 7, MPI_SEEK_SET));
  OK(MPI_File_write_at_all(file, 100, bytes, 40, MPI_BYTE, MPI_STATUS_IGNORE));
  OK(MPI_File_read_at(file, 100, bytes, 40, MPI_BYTE, MPI_STATUS_IGNORE));
  OK(MPI_File_get_position(file, &position));
  EXPECT_EQUAL(7, position);
  OK(MPI_File_write_all(file, bytes, 40, MPI_BYTE, MPI_STATUS_IGNORE));
  OK(MPI_File_get_position(file, &position));
  EXPECT_EQUAL(47, position);
  OK(MPI_File_set_view(file, 3, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL));
  OK(MPI_File_get_position(file, &position));
  EXPECT_EQUAL(0, position);
}

SITUATION(Pointers, DifferOnEachRank, not_own_openmpi) {
  const std::string path = context.fresh_file("own-pointers");
  const std::vector<uint8_t> mine = values(context.rank, 30);
  File file(path);
  OK(MPI_File_seek(file, context.rank * 30, MPI_SEEK_SET));
  for (int i = 0; i < 3; ++i)
    OK(MPI_File_write_all(file, mine.data() + i * 10, 10, MPI_BYTE, MPI_STATUS_IGNORE));
  OK(MPI_File_seek(file, -30, MPI_SEEK_CUR));
  std::vector<uint8_t> back(30, 0);
  OK(MPI_File_read(file, back.data(), 30, MPI_BYTE, MPI_STATUS_IGNORE));
  EXPECT_BYTES(mine, back);
}

SITUATION(ByteOffset, UnderAViewWithHoles, everywhere) {
  const std::string path = context.fresh_file("byte-offset");
  File file(path);
  const Type tile = half_tile();
  OK(MPI_File_set_view(file, 100, MPI_BYTE, tile, "native", MPI_INFO_NULL));
  for (int i = 0; i < 20; ++i) {
    MPI_Offset place = -1;
    OK(MPI_File_get_byte_offset(file, i, &place));
    EXPECT_EQUAL(100 + i / 4 * 8 + i % 4, place);
  }
}

// Alone among the calls with individual pointers.
SITUATION(ByteOffset, OfASequentialFile, not_own) {
  const std::string path = context.fresh_file("byte-offset-sequential");
  File file(path, MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_SEQUENTIAL);
  const Type type = resized_of(contiguous_of(1, MPI_INT), 0, 12);
  OK(MPI_File_set_view(file, MPI_DISPLACEMENT_CURRENT, MPI_INT, type, "native", MPI_INFO_NULL));
  MPI_Offset place = -1;
  OK(MPI_File_get_byte_offset(file, 5, &place));
  EXPECT_EQUAL(MPI_Offset{60}, place);
}

SITUATION(Size, ThatDiffersBetweenRanks, not_own) {
  const std::string path = context.fresh_file("sizes-differ");
  File file(path);
  OK(MPI_File_set_size(file, 50));
  const MPI_Offset size = 100 + context.rank;
  for (const auto set : {MPI_File_set_size, MPI_File_preallocate}) {
    if (context.ranks > 1) FAILS(MPI_ERR_NOT_SAME, set(file, size));
    MPI_Offset now = -1;
    OK(MPI_File_get_size(file, &now));
    EXPECT_EQUAL(MPI_Offset{50}, now);
  }
}

SITUATION(Size, SetGetAndPreallocate, not_own_openmpi) {
  const std::string path = context.fresh_file("size");
  File file(path);
  MPI_Offset size = -1;
  OK(MPI_File_get_size(file, &size));
  EXPECT_EQUAL(0, size);
  OK(MPI_File_set_size(file, 5000));
  barrier();
  OK(MPI_File_get_size(file, &size));
  EXPECT_EQUAL(5000, size);
  barrier();
  OK(MPI_File_preallocate(file, 3000));  // it never shrinks
  OK(MPI_File_get_size(file, &size));
  EXPECT_EQUAL(5000, size);
  barrier();  // nobody needs the file any more
  OK(MPI_File_preallocate(file, 9000));
  barrier();
  OK(MPI_File_get_size(file, &size));
  EXPECT_EQUAL(9000, size);
  barrier();
  OK(MPI_File_set_size(file, 10));
  barrier();
  OK(MPI_File_get_size(file, &size));
  EXPECT_EQUAL(10, size);
  EXPECT(MPI_File_set_size(file, -1) != MPI_SUCCESS);
}

SITUATION(Size, ShrunkThenGrownIsZero, everywhere) {
  const std::string path = context.fresh_file("shrunk");
  make_file(path, values(1, 1000));
  {
    File file(path, MPI_MODE_RDWR);
    OK(MPI_File_set_size(file, 100));
    OK(MPI_File_set_size(file, 1000));
  }
  barrier();
  std::vector<uint8_t> expected = values(1, 1000);
  std::fill(expected.begin() + 100, expected.end(), uint8_t{0});
  EXPECT_BYTES(expected, contents(path));
}

SITUATION(Modes, AppendStartsAtTheEnd, everywhere) {
  const std::string path = context.fresh_file("append");
  make_file(path, values(1, 50));
  File file(path, MPI_MODE_RDWR | MPI_MODE_APPEND);
  MPI_Offset position = -1;
  OK(MPI_File_get_position(file, &position));
  EXPECT_EQUAL(50, position);
}

SITUATION(Modes, DeleteOnClose, everywhere) {
  const std::string path = context.fresh_file("delete-on-close");
  {
    File file(path, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE);
    uint8_t byte = 1;
    OK(MPI_File_write_at_all(file, context.rank, &byte, 1, MPI_BYTE, MPI_STATUS_IGNORE));
    barrier();
    EXPECT(exists(path));
    barrier();
  }
  barrier();
  EXPECT(!exists(path));
}

SITUATION(Modes, WriteOnlyKeepsTheHoles, everywhere) {
  for (const bool collective : {true, false}) {
    const std::string path = context.fresh_file("write-only");
    make_file(path, values(1, 40 * context.ranks));
    const std::vector<uint8_t> mine = values(context.rank + 2, 20);
    {
      File file(path, MPI_MODE_WRONLY);
      // Ten of twenty bytes, twice. No rank has the other ten.
      const Type tile = resized_of(contiguous_of(10, MPI_BYTE), 0, 20 * context.ranks);
      OK(MPI_File_set_view(file, 20 * context.rank, MPI_BYTE, tile, "native", MPI_INFO_NULL));
      OK((collective ? MPI_File_write_all : MPI_File_write)(file, mine.data(), 20, MPI_BYTE,
                                                            MPI_STATUS_IGNORE));
    }
    barrier();
    std::vector<uint8_t> expected = values(1, 40 * context.ranks);
    for (int rank = 0; rank < context.ranks; ++rank) {
      for (int i = 0; i < 20; ++i) {
        expected[static_cast<size_t>(i / 10 * 20 * context.ranks + rank * 20 + i % 10)] = value(rank + 2, i);
      }
    }
    EXPECT_BYTES(expected, contents(path));
  }
}

SITUATION(Modes, Asked, everywhere) {
  const std::string path = context.fresh_file("amode");
  File file(path, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_UNIQUE_OPEN);
  int amode = 0, flag = 7;
  OK(MPI_File_get_amode(file, &amode));
  EXPECT_EQUAL(MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_UNIQUE_OPEN, amode);
  OK(MPI_File_get_atomicity(file, &flag));
  EXPECT_EQUAL(0, flag);
  MPI_Group world, group;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  OK(MPI_File_get_group(file, &group));
  int same = MPI_UNEQUAL;
  MPI_Group_compare(world, group, &same);
  EXPECT_EQUAL(MPI_IDENT, same);
  MPI_Group_free(&world);
  MPI_Group_free(&group);
  MPI_Aint extent = 0;
  OK(MPI_File_get_type_extent(file, MPI_DOUBLE, &extent));
  EXPECT_EQUAL(8, extent);
}

SITUATION(Atomicity, StridedWritesAreNotMixed, not_own_openmpi) {
  const std::string path = context.fresh_file("atomic");
  const Type tile = vector_of(50, 4, 8, MPI_BYTE);
  {
    File file(path);
    OK(MPI_File_set_atomicity(file, 1));
    int flag = 0;
    OK(MPI_File_get_atomicity(file, &flag));
    EXPECT_EQUAL(1, flag);
    OK(MPI_File_set_view(file, 0, MPI_BYTE, tile, "native", MPI_INFO_NULL));
    const std::vector<uint8_t> mine(200, static_cast<uint8_t>(context.rank + 1));
    for (int i = 0; i < 10; ++i) {
      barrier();
      OK(MPI_File_write_at(file, 0, mine.data(), 200, MPI_BYTE, MPI_STATUS_IGNORE));
      barrier();
      std::vector<uint8_t> back(200, 0);
      OK(MPI_File_read_at(file, 0, back.data(), 200, MPI_BYTE, MPI_STATUS_IGNORE));
      EXPECT(back[0] >= 1 && back[0] <= context.ranks);
      EXPECT_BYTES(std::vector<uint8_t>(200, back[0]), back);
    }
  }
}
