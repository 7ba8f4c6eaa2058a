// The end of the file, and holes in it.
#include <algorithm>

#include "situations/situation.h"

using namespace situations;

namespace {

constexpr uint8_t untouched = 0xcd;

// Reads `asked` bytes at `offset` of a file that has `there` of them. If `memory` is set, the buffer has
// pieces of 3 bytes, 5 apart.
void read_past_end(bool collective, bool holes_in_memory, bool holes_in_file) {
  const std::string path = context.fresh_file("past-end");
  const int asked = 90, there = 57;
  // Byte i of the view is at 2 * (i / 10) * 10 + i % 10, or at i.
  auto place = [&](int i) { return holes_in_file ? i / 10 * 20 + i % 10 : i; };
  const std::vector<uint8_t> bytes = values(3, place(there - 1) + 1);
  make_file(path, bytes);
  File file(path, MPI_MODE_RDONLY);
  const Type tile = resized_of(contiguous_of(10, MPI_BYTE), 0, 20);
  if (holes_in_file) OK(MPI_File_set_view(file, 0, MPI_BYTE, tile, "native", MPI_INFO_NULL));
  std::vector<uint8_t> buffer(asked * 5 / 3, untouched), expected = buffer;
  for (int i = 0; i < there; ++i) {
    expected[static_cast<size_t>(holes_in_memory ? i / 3 * 5 + i % 3 : i)] =
        bytes[static_cast<size_t>(place(i))];
  }
  const Type memory = vector_of(asked / 3, 3, 5, MPI_BYTE);
  const int count = holes_in_memory ? 1 : asked;
  const MPI_Datatype type = holes_in_memory ? static_cast<MPI_Datatype>(memory) : MPI_BYTE;
  MPI_Status status;
  OK((collective ? MPI_File_read_at_all : MPI_File_read_at)(file, 0, buffer.data(), count, type, &status));
  EXPECT_EQUAL(there, bytes_in(status));
  EXPECT_BYTES(expected, buffer);
}

}  // namespace

SITUATION(ReadPastEnd, Independent, not_own) {
  read_past_end(false, false, false);
}
SITUATION(ReadPastEnd, IndependentHolesInMemory, not_own) {
  read_past_end(false, true, false);
}
SITUATION(ReadPastEnd, IndependentHolesInFile, not_own) {
  read_past_end(false, false, true);
}
SITUATION(ReadPastEnd, IndependentHolesInBoth, not_own) {
  read_past_end(false, true, true);
}
SITUATION(ReadPastEnd, Collective, not_own) {
  read_past_end(true, false, false);
}
SITUATION(ReadPastEnd, CollectiveHolesInMemory, not_own) {
  read_past_end(true, true, false);
}
SITUATION(ReadPastEnd, CollectiveHolesInFile, not_own) {
  read_past_end(true, false, true);
}
SITUATION(ReadPastEnd, CollectiveHolesInBoth, not_own) {
  read_past_end(true, true, true);
}

SITUATION(ReadPastEnd, SomeRanksWhollyBeyond, not_own) {
  const std::string path = context.fresh_file("wholly-beyond");
  const std::vector<uint8_t> bytes = values(1, 150);
  make_file(path, bytes);
  File file(path, MPI_MODE_RDWR);
  std::vector<uint8_t> buffer(100, untouched), expected = buffer;
  const int there = std::clamp(150 - context.rank * 100, 0, 100);
  for (int i = 0; i < there; ++i)
    expected[static_cast<size_t>(i)] = bytes[static_cast<size_t>(context.rank * 100 + i)];
  MPI_Status status;
  OK(MPI_File_seek(file, context.rank * 100, MPI_SEEK_SET));
  OK(MPI_File_read_all(file, buffer.data(), 100, MPI_BYTE, &status));
  EXPECT_EQUAL(there, bytes_in(status));
  EXPECT_BYTES(expected, buffer);
  MPI_Offset position = -1;
  OK(MPI_File_get_position(file, &position));
  EXPECT_EQUAL(context.rank * 100 + 100, position);  // the pointer moves by what was asked for
}

SITUATION(ReadPastEnd, EmptyFile, not_own) {
  const std::string path = context.fresh_file("empty");
  File file(path);
  std::vector<uint8_t> buffer(100, untouched);
  MPI_Status status;
  OK(MPI_File_read_at_all(file, context.rank * 10, buffer.data(), 100, MPI_BYTE, &status));
  EXPECT_EQUAL(0, bytes_in(status));
  OK(MPI_File_read_at(file, 1000, buffer.data(), 100, MPI_BYTE, &status));
  EXPECT_EQUAL(0, bytes_in(status));
  EXPECT_BYTES(std::vector<uint8_t>(100, untouched), buffer);
}

SITUATION(HolesBeyondEnd, ReadAsZeros, not_own) {
  for (const char* method : {"auto", "independent", "list", "sieve", "two_phase"}) {
    for (const char* flush : {"auto", "rmw", "list", "batch"}) {
      for (const bool collective : {true, false}) {
        const std::string path = context.fresh_file("holes");
        make_file(path, values(9, 33));
        const Info info{{"concilio_method", method}, {"concilio_flush", flush}, {"cb_buffer_size", "4096"}};
        const int count = 600;
        const std::vector<uint8_t> mine = values(context.rank, count);
        {
          File file(path, MPI_MODE_RDWR, info);
          // Three bytes for each rank, then seven that no rank writes.
          const int tile_bytes = 3 * context.ranks + 7;
          const Type tile = resized_of(contiguous_of(3, MPI_BYTE), 0, tile_bytes);
          OK(MPI_File_set_view(file, 20 + 3 * context.rank, MPI_BYTE, tile, "native", MPI_INFO_NULL));
          OK((collective ? MPI_File_write_at_all : MPI_File_write_at)(file, 0, mine.data(), count, MPI_BYTE,
                                                                      MPI_STATUS_IGNORE));
        }
        barrier();
        const int tile_bytes = 3 * context.ranks + 7;
        std::vector<uint8_t> expected = values(9, 33);
        expected.resize(static_cast<size_t>(20 + (count / 3 - 1) * tile_bytes + 3 * context.ranks), 0);
        for (int rank = 0; rank < context.ranks; ++rank) {
          for (int i = 0; i < count; ++i) {
            expected[static_cast<size_t>(20 + i / 3 * tile_bytes + 3 * rank + i % 3)] = value(rank, i);
          }
        }
        const std::vector<uint8_t> found = contents(path);
        const std::string difference = first_difference(expected, found);
        if (!difference.empty()) {
          note_failure(__FILE__, __LINE__,
                       std::string("method ") + method + ", flush " + flush +
                           (collective ? ", collective: " : ", independent: ") + difference);
        }
      }
    }
  }
}

SITUATION(OverlappingWriters, HolesKeepOldBytes, everywhere) {
  // Every rank writes the same bytes. Together they are as many as the window has, or more, so their number
  // alone does not show that the window is full.
  const std::string path = context.fresh_file("overlapping-writers");
  const int tile_bytes = 16, data_bytes = 8, count = 800;
  const std::vector<uint8_t> old = values(5, 2000);
  make_file(path, old);
  {
    File file(path, MPI_MODE_RDWR, Info{{"cb_nodes", "1"}, {"romio_cb_write", "enable"}});
    const Type tile = resized_of(contiguous_of(data_bytes, MPI_BYTE), 0, tile_bytes);
    OK(MPI_File_set_view(file, 40, MPI_BYTE, tile, "native", MPI_INFO_NULL));
    const std::vector<uint8_t> same = values(6, count);
    OK(MPI_File_write_all(file, same.data(), count, MPI_BYTE, MPI_STATUS_IGNORE));
  }
  barrier();
  std::vector<uint8_t> expected = old;
  for (int i = 0; i < count; ++i) expected[static_cast<size_t>(40 + i / 8 * 16 + i % 8)] = value(6, i);
  EXPECT_BYTES(expected, contents(path));
}

SITUATION(Rewriting, ThroughAnotherAggregatorWithoutSync, not_own_openmpi) {
  // The file is filled in blocks, and then the same rank overwrites parts of it through another view. The
  // order of the rank's own calls counts.
  const std::string path = context.fresh_file("refill");
  const int bytes = 4096;
  const std::vector<uint8_t> mine = values(context.rank, 64);
  {
    File file(path, MPI_MODE_CREATE | MPI_MODE_RDWR, Info{{"romio_cb_write", "enable"}});
    const std::vector<uint8_t> fill(bytes, 0xff);
    OK(MPI_File_write_at_all(file, MPI_Offset{context.rank} * bytes, fill.data(), bytes, MPI_BYTE,
                             MPI_STATUS_IGNORE));
    const Type tile = resized_of(contiguous_of(1, MPI_BYTE), 0, 64);
    OK(MPI_File_set_view(file, MPI_Offset{context.rank} * bytes, MPI_BYTE, tile, "native", MPI_INFO_NULL));
    OK(MPI_File_write_at_all(file, 0, mine.data(), 64, MPI_BYTE, MPI_STATUS_IGNORE));
    OK(MPI_File_write_at(file, 3, mine.data(), 1, MPI_BYTE, MPI_STATUS_IGNORE));
  }
  barrier();
  std::vector<uint8_t> expected(static_cast<size_t>(bytes * context.ranks), 0xff);
  for (int rank = 0; rank < context.ranks; ++rank) {
    for (int i = 0; i < 64; ++i) {
      expected[static_cast<size_t>(rank * bytes + i * 64)] = value(rank, i == 3 ? 0 : i);
    }
  }
  EXPECT_BYTES(expected, contents(path));
}

SITUATION(Sieving, NeighboursBytesSurvive, not_own) {
  // Independent writes to one page at the same time, some with holes (read-modify-write) and some without.
  const std::string path = context.fresh_file("neighbours");
  for (int round = 0; round < 20; ++round) {
    make_file(path, std::vector<uint8_t>(8192, 0));
    const int slot = 16 * context.ranks;
    const std::vector<uint8_t> mine(8192 / 16 + 16, static_cast<uint8_t>(context.rank + 1));
    int tiles = 8192 / slot;
    {
      File file(path, MPI_MODE_RDWR, Info{{"romio_ds_write", "enable"}, {"concilio_method", "sieve"}});
      const Type tile = resized_of(contiguous_of(16, MPI_BYTE), 0, slot);
      const bool dense = context.rank % 2 == 1;
      barrier();
      if (dense) {
        for (int i = 0; i < tiles; ++i) {
          OK(MPI_File_write_at(file, i * slot + 16 * context.rank, mine.data(), 16, MPI_BYTE,
                               MPI_STATUS_IGNORE));
        }
      }
      OK(MPI_File_set_view(file, 16 * context.rank, MPI_BYTE, tile, "native", MPI_INFO_NULL));
      if (!dense) {
        for (int i = 0; i < tiles; i += 4) {
          const int now = std::min(4, tiles - i) * 16;
          const std::vector<uint8_t> bytes(static_cast<size_t>(now), static_cast<uint8_t>(context.rank + 1));
          OK(MPI_File_write_at(file, i * 16, bytes.data(), now, MPI_BYTE, MPI_STATUS_IGNORE));
        }
      }
    }
    barrier();
    std::vector<uint8_t> expected(8192, 0);
    for (int i = 0; i < tiles * slot; ++i) {
      expected[static_cast<size_t>(i)] = static_cast<uint8_t>(i % slot / 16 + 1);
    }
    EXPECT_BYTES(expected, contents(path));
    barrier();
  }
}
