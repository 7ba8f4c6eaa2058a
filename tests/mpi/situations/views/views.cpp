// Views and datatypes.
#include <algorithm>
#include <cstring>

#include "situations/situation.h"

using namespace situations;

namespace {

// Expects that the file has byte i of values(rank, count) at place(i), for this rank.
template <typename Place>
void expect_mine(const std::string& path, int count, Place place) {
  barrier();
  const std::vector<uint8_t> found = contents(path), mine = values(context.rank, count);
  for (int i = 0; i < count; ++i) {
    const auto at = static_cast<size_t>(place(i));
    const int there = at < found.size() ? found[at] : -1;
    EXPECT_EQUAL(static_cast<int>(mine[static_cast<size_t>(i)]), there);
  }
}

}  // namespace

SITUATION(Views, ContiguousAmongNoncontiguous, everywhere) {
  const std::string path = context.fresh_file("one-contiguous");
  const std::vector<uint8_t> mine = values(context.rank, 400);
  const int others = context.ranks - 1;
  {
    File file(path);
    if (context.rank == 0) {
      OK(MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL));
    } else {
      const Type tile = resized_of(contiguous_of(4, MPI_BYTE), 0, 4 * others);
      OK(MPI_File_set_view(file, 400 + 4 * (context.rank - 1), MPI_BYTE, tile, "native", MPI_INFO_NULL));
    }
    OK(MPI_File_write_all(file, mine.data(), 400, MPI_BYTE, MPI_STATUS_IGNORE));
    std::vector<uint8_t> back(400, 0);
    OK(MPI_File_read_at_all(file, 0, back.data(), 400, MPI_BYTE, MPI_STATUS_IGNORE));
    EXPECT_BYTES(mine, back);
  }
  expect_mine(path, 400, [&](int i) {
    return context.rank == 0 ? i : 400 + (i / 4 * others + context.rank - 1) * 4 + i % 4;
  });
}

SITUATION(Views, PieceByPieceAndWriteAndWriteAllAgree, everywhere) {
  const std::vector<std::string> paths = {context.fresh_file("pieces"), context.fresh_file("write"),
                                          context.fresh_file("write-all")};
  // Uneven blocks: the k-th slot of 50 bytes belongs to rank k % ranks, which uses a part of it.
  std::vector<int> lengths;
  std::vector<MPI_Aint> places;
  int total = 0;
  for (int k = context.rank; k < 60; k += context.ranks) {
    lengths.push_back(1 + (k * 37) % 45);
    places.push_back(k * 50 + (k * 11) % 5);
    total += lengths.back();
  }
  const std::vector<uint8_t> mine = values(context.rank, total);
  const Type type = blocks_at(lengths, places, MPI_BYTE);
  for (int way = 0; way < 3; ++way) {
    File file(paths[static_cast<size_t>(way)]);
    OK(MPI_File_set_size(file, 3000));
    barrier();
    if (way == 0) {
      int done = 0;
      for (size_t i = 0; i < lengths.size(); ++i) {
        OK(MPI_File_write_at(file, places[i], mine.data() + done, lengths[i], MPI_BYTE, MPI_STATUS_IGNORE));
        done += lengths[i];
      }
      continue;
    }
    OK(MPI_File_set_view(file, 0, MPI_BYTE, type, "native", MPI_INFO_NULL));
    OK((way == 1 ? MPI_File_write : MPI_File_write_all)(file, mine.data(), total, MPI_BYTE,
                                                        MPI_STATUS_IGNORE));
  }
  barrier();
  const std::vector<uint8_t> expected = contents(paths[0]);
  EXPECT_EQUAL(3000, std::ssize(expected));
  EXPECT_BYTES(expected, contents(paths[1]));
  EXPECT_BYTES(expected, contents(paths[2]));
}

SITUATION(ResizedNonzeroLowerBound, TwoWritesInARow, not_own) {
  const std::string path = context.fresh_file("lower-bound");
  const std::vector<uint8_t> mine = values(context.rank, 48);
  {
    File file(path);
    // The bytes of a tile are at 8..16 above its origin, and tiles are 8 * ranks apart.
    const Type inner = blocks_at({8}, {8}, MPI_BYTE);
    const Type tile = resized_of(inner, 8, 8 * context.ranks);
    OK(MPI_File_set_view(file, 8 * context.rank, MPI_BYTE, tile, "native", MPI_INFO_NULL));
    OK(MPI_File_write_all(file, mine.data(), 20, MPI_BYTE, MPI_STATUS_IGNORE));
    OK(MPI_File_write_all(file, mine.data() + 20, 28, MPI_BYTE, MPI_STATUS_IGNORE));
  }
  expect_mine(path, 48, [](int i) { return 8 + (i / 8 * context.ranks + context.rank) * 8 + i % 8; });
}

SITUATION(MemoryTypes, NegativeStrideAndLowerBound, not_own) {
  const std::string path = context.fresh_file("negative");
  std::vector<uint8_t> buffer(200);
  for (size_t i = 0; i < 200; ++i) buffer[i] = value(context.rank, static_cast<int64_t>(i));
  const std::vector<uint8_t> before = buffer;
  {
    File file(path);
    const Type down = vector_of(10, 2, -5, MPI_BYTE);
    OK(MPI_File_write_at_all(file, context.rank * 20, buffer.data() + 100, 1, down, MPI_STATUS_IGNORE));
    std::fill(buffer.begin(), buffer.end(), uint8_t{0});
    OK(MPI_File_read_at_all(file, context.rank * 20, buffer.data() + 100, 1, down, MPI_STATUS_IGNORE));
    for (size_t i = 0; i < 200; ++i) {
      const bool data = i >= 55 && i < 102 && (i - 55) % 5 < 2;
      EXPECT_EQUAL(data ? before[i] : uint8_t{0}, buffer[i]);
    }
  }
  barrier();
  const std::vector<uint8_t> found = contents(path);
  for (size_t i = 0; i < 20; ++i) {
    EXPECT_EQUAL(before[100 - i / 2 * 5 + i % 2], found[static_cast<size_t>(context.rank) * 20 + i]);
  }
}

SITUATION(MemoryTypes, StructPaddedByTheMpi, everywhere) {
  struct Record {
    double number;
    char letter;
  };
  const std::string path = context.fresh_file("padded");
  int lengths[] = {1, 1};
  MPI_Aint places[] = {0, 8};
  MPI_Datatype members[] = {MPI_DOUBLE, MPI_CHAR}, made;
  MPI_Type_create_struct(2, lengths, places, members, &made);
  const Type type(made);
  MPI_Aint lower, extent;
  MPI_Type_get_extent(type, &lower, &extent);
  std::vector<uint8_t> buffer = values(context.rank, 5 * extent), back(buffer.size(), 0);
  File file(path);
  OK(MPI_File_write_at_all(file, context.rank * 45, buffer.data(), 5, type, MPI_STATUS_IGNORE));
  OK(MPI_File_read_at_all(file, context.rank * 45, back.data(), 5, type, MPI_STATUS_IGNORE));
  for (size_t i = 0; i < back.size(); ++i) {
    const bool data = static_cast<MPI_Aint>(i) % extent < 9;
    EXPECT_EQUAL(data ? buffer[i] : uint8_t{0}, back[i]);
  }
}

SITUATION(MemoryTypes, PairsKeepTheirPadding, not_own) {
  struct Pair {
    short first;
    int second;
  };
  const std::string path = context.fresh_file("pairs");
  std::vector<uint8_t> buffer = values(context.rank, 10 * sizeof(Pair)), back(buffer.size(), 0);
  File file(path);
  MPI_Status status;
  OK(MPI_File_write_at_all(file, context.rank * 60, buffer.data(), 10, MPI_SHORT_INT, &status));
  EXPECT_EQUAL(60, bytes_in(status));
  OK(MPI_File_read_at_all(file, context.rank * 60, back.data(), 10, MPI_SHORT_INT, MPI_STATUS_IGNORE));
  for (size_t i = 0; i < back.size(); ++i) {
    const bool padding = i % 8 == 2 || i % 8 == 3;
    EXPECT_EQUAL(padding ? uint8_t{0} : buffer[i], back[i]);
  }
}

SITUATION(MemoryTypes, NoncontiguousBothSides, everywhere) {
  const std::string path = context.fresh_file("both-sides");
  const int count = 50;
  std::vector<uint8_t> buffer(count * 12, 0xee), back(count * 12, 0xdd);
  const std::vector<uint8_t> mine = values(context.rank, count * 8);
  for (size_t i = 0; i < mine.size(); ++i) buffer[i / 8 * 12 + i % 8] = mine[i];
  const Type memory = resized_of(MPI_DOUBLE, 0, 12);
  {
    File file(path);
    const Type tile = resized_of(contiguous_of(5, MPI_DOUBLE), 0, 40 * context.ranks);
    OK(MPI_File_set_view(file, 40 * context.rank, MPI_DOUBLE, tile, "native", MPI_INFO_NULL));
    OK(MPI_File_write_all(file, buffer.data(), count, memory, MPI_STATUS_IGNORE));
    OK(MPI_File_read_at_all(file, 0, back.data(), count, memory, MPI_STATUS_IGNORE));
  }
  for (size_t i = 0; i < back.size(); ++i) EXPECT_EQUAL(i % 12 < 8 ? buffer[i] : uint8_t{0xdd}, back[i]);
  expect_mine(path, count * 8, [](int i) { return (i / 40 * context.ranks + context.rank) * 40 + i % 40; });
}

SITUATION(Darray, UnevenMixedBlockCyclic, everywhere) {
  const std::string path = context.fresh_file("darray");
  int grid[2] = {0, 0}, sizes[2] = {7, 11};
  MPI_Dims_create(context.ranks, 2, grid);
  int ways[2] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC}, arguments[2] = {MPI_DISTRIBUTE_DFLT_DARG, 2};
  MPI_Datatype made;
  MPI_Type_create_darray(context.ranks, context.rank, 2, sizes, ways, arguments, grid, MPI_ORDER_C, MPI_INT,
                         &made);
  const Type type(made);
  int bytes;
  MPI_Type_size(type, &bytes);
  const std::vector<uint8_t> mine = values(context.rank, bytes);
  {
    File file(path);
    OK(MPI_File_set_view(file, 12, MPI_INT, type, "native", MPI_INFO_NULL));
    OK(MPI_File_write_all(file, mine.data(), bytes / 4, MPI_INT, MPI_STATUS_IGNORE));
  }
  std::vector<int> places;  // of this rank's elements, in the order of the array
  const int rows = (7 + grid[0] - 1) / grid[0];
  for (int i = 0; i < 7; ++i) {
    for (int j = 0; j < 11; ++j) {
      if (i / rows == context.rank / grid[1] && j / 2 % grid[1] == context.rank % grid[1])
        places.push_back(i * 11 + j);
    }
  }
  EXPECT_EQUAL(bytes / 4, std::ssize(places));
  expect_mine(path, bytes, [&](int i) { return 12 + places[static_cast<size_t>(i / 4)] * 4 + i % 4; });
}

SITUATION(DecreasingFiletype, RefusedInSetView, not_own) {
  const std::string path = context.fresh_file("decreasing");
  File file(path);
  const Type down = blocks_at({4, 4}, {8, 0}, MPI_BYTE);
  FAILS(MPI_ERR_IO, MPI_File_set_view(file, 0, MPI_BYTE, down, "native", MPI_INFO_NULL));
  std::vector<uint8_t> mine = values(context.rank, 8), back(8, 0);
  OK(MPI_File_write_at_all(file, context.rank * 8, mine.data(), 8, MPI_BYTE, MPI_STATUS_IGNORE));
  OK(MPI_File_read_at_all(file, context.rank * 8, back.data(), 8, MPI_BYTE, MPI_STATUS_IGNORE));
  EXPECT_BYTES(mine, back);
}

SITUATION(DecreasingFiletype, OnOneRankOnlyRefusedOnAll, not_own) {
  const std::string path = context.fresh_file("decreasing-one");
  File file(path);
  const Type down = blocks_at({4, 4}, {8, 0}, MPI_BYTE);
  const MPI_Datatype mine = context.rank == context.ranks - 1 ? static_cast<MPI_Datatype>(down) : MPI_BYTE;
  EXPECT(MPI_File_set_view(file, 0, MPI_BYTE, mine, "native", MPI_INFO_NULL) != MPI_SUCCESS);
  uint8_t byte = 1;
  OK(MPI_File_write_at_all(file, context.rank, &byte, 1, MPI_BYTE, MPI_STATUS_IGNORE));
}

SITUATION(OverlappingFiletype, RefusedForWriting, not_own) {
  const std::string path = context.fresh_file("overlapping");
  File file(path);
  const Type twice = blocks_at({4, 4}, {0, 2}, MPI_BYTE);
  FAILS(MPI_ERR_IO, MPI_File_set_view(file, 0, MPI_BYTE, twice, "native", MPI_INFO_NULL));
  const Type tiles = resized_of(contiguous_of(8, MPI_BYTE), 0, 4);  // tiles overlap each other
  OK(MPI_File_set_view(file, 0, MPI_BYTE, tiles, "native", MPI_INFO_NULL));
  const uint8_t bytes[16] = {};
  // Within one tile no byte comes twice.
  OK(MPI_File_write_at(file, 0, bytes, 8, MPI_BYTE, MPI_STATUS_IGNORE));
  OK(MPI_File_write_at(file, 8, bytes, 8, MPI_BYTE, MPI_STATUS_IGNORE));
  // Nor in the end of one tile and the beginning of the next.
  OK(MPI_File_write_at(file, 6, bytes, 4, MPI_BYTE, MPI_STATUS_IGNORE));
  FAILS(MPI_ERR_TYPE, MPI_File_write_at(file, 6, bytes, 5, MPI_BYTE, MPI_STATUS_IGNORE));
  FAILS(MPI_ERR_TYPE, MPI_File_write_at(file, 0, bytes, 16, MPI_BYTE, MPI_STATUS_IGNORE));
  FAILS(MPI_ERR_TYPE, MPI_File_write_at_all(file, 0, bytes, 16, MPI_BYTE, MPI_STATUS_IGNORE));
}

// Each tile is a column of a matrix, so tiles interleave, but no byte comes twice.
SITUATION(InterleavedTiles, AreWrittenAloneAndTogether, not_own) {
  constexpr int rows = 20, width = 4, columns = 6, column = rows * width;  // of each rank; bytes of a column
  const std::string path = context.fresh_file("interleaved-tiles");
  const int row = context.ranks * columns * width;
  const Type type = resized_of(vector_of(rows, width, row, MPI_BYTE), 0, width);
  const std::vector<uint8_t> mine = values(context.rank, columns * column);
  std::vector<uint8_t> expected(static_cast<size_t>(rows * row));
  for (int rank = 0; rank < context.ranks; ++rank) {
    const std::vector<uint8_t> its = values(rank, columns * column);
    for (int i = 0; i < columns * column; ++i) {
      const int place = i % column / width * row + (rank * columns + i / column) * width + i % width;
      expected[static_cast<size_t>(place)] = its[static_cast<size_t>(i)];
    }
  }
  const MPI_Offset first = MPI_Offset{context.rank} * columns * column;
  for (const char* method : {"two_phase", "sieve", "mapped", "list", "auto"}) {
    make_file(path, {});
    File file(path, MPI_MODE_RDWR, Info{{"concilio_method", method}});
    OK(MPI_File_set_view(file, 0, MPI_BYTE, type, "native", MPI_INFO_NULL));
    const auto write = [&](int begin, int end, bool together) {
      OK((together ? MPI_File_write_at_all : MPI_File_write_at)(file, first + begin, mine.data() + begin,
                                                                end - begin, MPI_BYTE, MPI_STATUS_IGNORE));
    };
    write(0, column, false);
    write(column, 2 * column, true);
    write(2 * column, 3 * column + 10, true);
    write(3 * column + 10, 4 * column, false);
    write(4 * column, 6 * column, true);
    OK(MPI_File_sync(file));
    barrier();
    EXPECT_BYTES(expected, contents(path));
    std::vector<uint8_t> back(mine.size());
    for (int begin = 0; begin < columns; begin += 2) {
      OK(MPI_File_read_at_all(file, first + begin * column, back.data() + begin * column, 2 * column,
                              MPI_BYTE, MPI_STATUS_IGNORE));
    }
    EXPECT_BYTES(mine, back);
    OK(MPI_File_seek(file, 0, MPI_SEEK_END));
    MPI_Offset end = -1;
    OK(MPI_File_get_position(file, &end));
    EXPECT_EQUAL(MPI_Offset{context.ranks} * columns * column, end);
  }
}

// The first tile is read in ascending order, but the tiles after it are not. The calls are otherwise the
// same.
SITUATION(OverlappingFiletype, IsReadTileByTile, not_own) {
  constexpr int piece = 10, extent = 50, second = 2 * extent, tiles = 4;
  const std::string path = context.fresh_file("overlapping-tiles");
  const std::vector<uint8_t> bytes = values(0, 1000);
  {
    File file(path);
    OK(MPI_File_write_at_all(file, 0, bytes.data(), context.rank == 0 ? 1000 : 0, MPI_BYTE,
                             MPI_STATUS_IGNORE));
  }
  const Type type = resized_of(vector_of(2, piece, second, MPI_BYTE), 0, extent);
  for (const char* method : {"two_phase", "sieve", "mapped", "list", "auto"}) {
    File file(path, MPI_MODE_RDONLY, Info{{"concilio_method", method}});
    OK(MPI_File_set_view(file, context.rank, MPI_BYTE, type, "native", MPI_INFO_NULL));
    for (int tile = 0; tile < tiles; ++tile) {
      const auto begin = bytes.begin() + context.rank + tile * extent;
      std::vector<uint8_t> expected(begin, begin + piece), back(2 * piece);
      expected.insert(expected.end(), begin + second, begin + second + piece);
      OK(MPI_File_read_all(file, back.data(), 2 * piece, MPI_BYTE, MPI_STATUS_IGNORE));
      EXPECT_BYTES(expected, back);
    }
  }
}

// Bytes that come twice in a filetype are read twice, also where the tile is followed by others and where the
// file ends.
SITUATION(OverlappingFiletype, IsReadPieceByPiece, not_own) {
  constexpr int extent = 12, size = 100;
  const std::string path = context.fresh_file("overlapping-pieces");
  const std::vector<uint8_t> bytes = values(0, size);
  {
    File file(path);
    OK(MPI_File_write_at_all(file, 0, bytes.data(), context.rank == 0 ? size : 0, MPI_BYTE,
                             MPI_STATUS_IGNORE));
  }
  const Type pieces = blocks_at({4, 4, 1}, {0, 2, 3}, MPI_BYTE);
  const Type same = vector_of(3, 2, 0, MPI_BYTE);  // the same bytes three times
  const std::vector<int> places_of_pieces{0, 1, 2, 3, 2, 3, 4, 5, 3}, places_of_same{0, 1, 0, 1, 0, 1};
  for (const auto& [tile, places] :
       {std::pair(&pieces, &places_of_pieces), std::pair(&same, &places_of_same)}) {
    const Type type = resized_of(*tile, 0, extent);
    std::vector<uint8_t> expected;
    for (int begin = context.rank; begin < size; begin += extent) {
      for (const int place : *places) {
        if (begin + place < size) expected.push_back(bytes[static_cast<size_t>(begin + place)]);
      }
    }
    const int wanted = static_cast<int>(places->size()) * (size / extent);
    expected.resize(static_cast<size_t>(wanted));
    for (const char* method : {"two_phase", "sieve", "mapped", "list", "auto"}) {
      File file(path, MPI_MODE_RDONLY, Info{{"concilio_method", method}});
      OK(MPI_File_set_view(file, context.rank, MPI_BYTE, type, "native", MPI_INFO_NULL));
      for (const bool together : {true, false}) {
        std::vector<uint8_t> back(static_cast<size_t>(wanted));
        OK(MPI_File_seek(file, 0, MPI_SEEK_SET));
        OK((together ? MPI_File_read_all : MPI_File_read)(file, back.data(), wanted, MPI_BYTE,
                                                          MPI_STATUS_IGNORE));
        EXPECT_BYTES(expected, back);
      }
      // The end of the file: the first byte of the view that is not before it.
      OK(MPI_File_seek(file, 0, MPI_SEEK_END));
      MPI_Offset end = -1, byte = -1;
      OK(MPI_File_get_position(file, &end));
      OK(MPI_File_get_byte_offset(file, end, &byte));
      EXPECT(byte >= size && byte < size + extent);
    }
  }
}

SITUATION(OverlappingFiletype, DecreasingIsRefused, not_own) {
  const std::string path = context.fresh_file("decreasing");
  { File file(path); }
  for (const int mode : {MPI_MODE_RDONLY, MPI_MODE_RDWR}) {
    File file(path, mode);
    const Type back = blocks_at({1, 1}, {3, 0}, MPI_INT), negative = blocks_at({1, 1}, {-8, 8}, MPI_INT);
    FAILS(MPI_ERR_IO, MPI_File_set_view(file, 0, MPI_INT, back, "native", MPI_INFO_NULL));
    FAILS(MPI_ERR_IO, MPI_File_set_view(file, 0, MPI_INT, negative, "native", MPI_INFO_NULL));
  }
}

SITUATION(Views, NegativeDisplacementRefused, not_own_openmpi) {
  const std::string path = context.fresh_file("negative-displacement");
  File file(path);
  EXPECT(MPI_File_set_view(file, -8, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL) != MPI_SUCCESS);
}

SITUATION(Views, UnknownRepresentationRefused, everywhere) {
  const std::string path = context.fresh_file("representation");
  File file(path);
  FAILS(MPI_ERR_UNSUPPORTED_DATAREP,
        MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "no such thing", MPI_INFO_NULL));
}

// As Fortran programs write them.
SITUATION(Views, RepresentationsInCapitals, not_own) {
  const std::string path = context.fresh_file("capitals");
  const std::vector<uint8_t> mine = values(context.rank, 8);
  for (const auto& [given, named] : {std::pair("NATIVE", "native"), std::pair("INTERNAL", "internal"),
                                     std::pair("EXTERNAL32", "external32")}) {
    make_file(path, {});
    File file(path, MPI_MODE_RDWR);
    OK(MPI_File_set_view(file, 8 * context.rank, MPI_BYTE, MPI_BYTE, given, MPI_INFO_NULL));
    OK(MPI_File_write_all(file, mine.data(), 8, MPI_BYTE, MPI_STATUS_IGNORE));
    MPI_Offset displacement = -1;
    MPI_Datatype etype, filetype;
    char name[MPI_MAX_DATAREP_STRING];
    OK(MPI_File_get_view(file, &displacement, &etype, &filetype, name));
    EXPECT_EQUAL(std::string(named), std::string(name));
    barrier();
    const std::vector<uint8_t> found = contents(path);
    const auto begin = found.begin() + 8 * context.rank;
    EXPECT_BYTES(mine, std::vector<uint8_t>(begin, begin + 8));
    barrier();
  }
  FAILS(MPI_ERR_DUP_DATAREP, MPI_Register_datarep(
                                 "NATIVE", MPI_CONVERSION_FN_NULL, MPI_CONVERSION_FN_NULL,
                                 [](MPI_Datatype, MPI_Aint*, void*) -> int { return MPI_SUCCESS; }, nullptr));
}

// All ranks learn of it, and the file stays as it was.
SITUATION(Views, UncommittedDatatypesRefused, everywhere) {
  File file(context.fresh_file("uncommitted"));
  MPI_Datatype pairs;
  MPI_Type_vector(2, 1, 3, MPI_INT, &pairs);
  FAILS(MPI_ERR_TYPE, MPI_File_set_view(file, 0, MPI_INT, pairs, "native", MPI_INFO_NULL));
  const int data[8] = {};
  FAILS(MPI_ERR_TYPE, MPI_File_write_at(file, 0, data, 1, pairs, MPI_STATUS_IGNORE));
  MPI_Type_commit(&pairs);
  OK(MPI_File_write_at_all(file, 8 * context.rank, data, 1, pairs, MPI_STATUS_IGNORE));
  OK(MPI_File_set_view(file, 0, MPI_INT, pairs, "native", MPI_INFO_NULL));
  MPI_Type_free(&pairs);
}

SITUATION(Views, FiletypeOfBrokenEtypesRefused, everywhere) {
  const std::string path = context.fresh_file("broken-etypes");
  File file(path);
  const Type ten = contiguous_of(10, MPI_BYTE);
  FAILS(MPI_ERR_ARG, MPI_File_set_view(file, 0, MPI_INT, ten, "native", MPI_INFO_NULL));
}

SITUATION(Views, PartOfAnEtypeRefused, not_own_openmpi) {
  const std::string path = context.fresh_file("part-of-etype");
  const uint8_t bytes[6] = {};
  File file(path);
  OK(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
  FAILS(MPI_ERR_IO, MPI_File_write_at(file, 0, bytes, 6, MPI_BYTE, MPI_STATUS_IGNORE));
}

// What a program has put on a datatype stays its own affair.
SITUATION(Views, AttributesOfDatatypesAreNotCopied, everywhere) {
  static int copies, deletions;
  copies = deletions = 0;
  int key = MPI_KEYVAL_INVALID;
  const auto copy = [](MPI_Datatype, int, void*, void*, void*, int*) -> int {
    ++copies;
    return MPI_ERR_OTHER;
  };
  const auto end = [](MPI_Datatype, int, void*, void*) -> int {
    ++deletions;
    return MPI_SUCCESS;
  };
  OK(MPI_Type_create_keyval(copy, end, &key, nullptr));
  {
    File file(context.fresh_file("type-attributes"));
    const Type tile = vector_of(3, 2, 5, MPI_INT);
    OK(MPI_Type_set_attr(tile, key, &copies));
    OK(MPI_File_set_view(file, 0, MPI_INT, tile, "native", MPI_INFO_NULL));
    MPI_Offset displacement;
    MPI_Datatype etype, filetype;
    char representation[MPI_MAX_DATAREP_STRING] = "";
    OK(MPI_File_get_view(file, &displacement, &etype, &filetype, representation));
    const std::vector<int> data(6, context.rank);
    OK(MPI_File_write_at_all(file, 0, data.data(), 6, MPI_INT, MPI_STATUS_IGNORE));
    OK(MPI_Type_free(&filetype));
    EXPECT_EQUAL(0, deletions);
  }
  EXPECT_EQUAL(0, copies);
  EXPECT_EQUAL(1, deletions);
  OK(MPI_Type_free_keyval(&key));
}

SITUATION(Views, GetViewGivesWhatWasSet, everywhere) {
  const std::string path = context.fresh_file("get-view");
  File file(path);
  MPI_Offset displacement = -1;
  MPI_Datatype etype, filetype;
  char representation[MPI_MAX_DATAREP_STRING] = "";
  OK(MPI_File_get_view(file, &displacement, &etype, &filetype, representation));
  EXPECT_EQUAL(0, displacement);
  EXPECT(etype == MPI_BYTE && filetype == MPI_BYTE);
  EXPECT_EQUAL(std::string("native"), std::string(representation));
  {
    const Type tile = vector_of(3, 2, 5, MPI_INT);  // freed before the program asks for the view
    OK(MPI_File_set_view(file, 40, MPI_INT, tile, "native", MPI_INFO_NULL));
  }
  OK(MPI_File_get_view(file, &displacement, &etype, &filetype, representation));
  EXPECT_EQUAL(40, displacement);
  EXPECT(etype == MPI_INT);
  int size = 0;
  MPI_Aint lower, extent;
  MPI_Type_size(filetype, &size);
  MPI_Type_get_extent(filetype, &lower, &extent);
  EXPECT_EQUAL(24, size);
  EXPECT_EQUAL(48, extent);
  MPI_Type_free(&filetype);
  uint8_t bytes[24] = {};
  OK(MPI_File_write_all(file, bytes, 6, MPI_INT, MPI_STATUS_IGNORE));
}

SITUATION(MpiBottom, AbsoluteAddresses, not_own_openmpi) {
  const std::string path = context.fresh_file("bottom");
  std::vector<uint8_t> first = values(context.rank, 30), second = values(context.rank + 9, 20);
  const std::vector<uint8_t> first_before = first, second_before = second;
  MPI_Aint places[2];
  MPI_Get_address(first.data(), &places[0]);
  MPI_Get_address(second.data(), &places[1]);
  const Type both = blocks_at({30, 20}, {places[0], places[1]}, MPI_BYTE);
  File file(path);
  OK(MPI_File_write_at_all(file, context.rank * 50, MPI_BOTTOM, 1, both, MPI_STATUS_IGNORE));
  std::fill(first.begin(), first.end(), uint8_t{0});
  std::fill(second.begin(), second.end(), uint8_t{0});
  OK(MPI_File_read_at(file, context.rank * 50, MPI_BOTTOM, 1, both, MPI_STATUS_IGNORE));
  EXPECT_BYTES(first_before, first);
  EXPECT_BYTES(second_before, second);
}

SITUATION(DeeplyNested, OnOneRankOnly, everywhere) {
  const std::string path = context.fresh_file("nested");
  const std::vector<uint8_t> mine = values(context.rank, 512);
  const int first_rank_extent = 512 * 2;
  {
    File file(path);
    if (context.rank == 0) {
      // Nine layers, each of which doubles the data. The innermost one leaves a hole after each byte.
      MPI_Datatype type;
      MPI_Type_create_resized(MPI_BYTE, 0, 2, &type);
      for (int layer = 0; layer < 9; ++layer) {
        MPI_Datatype next;
        if (layer % 2) {
          MPI_Type_contiguous(2, type, &next);
        } else {
          MPI_Type_vector(2, 1, 1, type, &next);
        }
        MPI_Type_free(&type);
        type = next;
      }
      MPI_Type_commit(&type);
      OK(MPI_File_set_view(file, 0, MPI_BYTE, type, "native", MPI_INFO_NULL));
      MPI_Type_free(&type);
    } else {
      const MPI_Offset start = first_rank_extent + 512 * (context.rank - 1);
      OK(MPI_File_set_view(file, start, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL));
    }
    OK(MPI_File_write_all(file, mine.data(), 512, MPI_BYTE, MPI_STATUS_IGNORE));
  }
  expect_mine(path, 512, [&](int i) {
    return context.rank == 0 ? 2 * i : first_rank_extent + 512 * (context.rank - 1) + i;
  });
}

SITUATION(Etypes, TwelveBytes, not_own_openmpi) {
  const std::string path = context.fresh_file("twelve");
  const Type twelve = contiguous_of(3, MPI_INT);
  const std::vector<uint8_t> mine = values(context.rank, 12 * 20);
  {
    File file(path);
    const Type tile = resized_of(contiguous_of(2, twelve), 0, 24 * context.ranks);
    OK(MPI_File_set_view(file, 24 * context.rank, twelve, tile, "native", MPI_INFO_NULL));
    OK(MPI_File_write_at_all(file, 5, mine.data() + 60, 15, twelve, MPI_STATUS_IGNORE));
    OK(MPI_File_write_at_all(file, 0, mine.data(), 15, MPI_INT, MPI_STATUS_IGNORE));
    OK(MPI_File_seek(file, 3, MPI_SEEK_SET));
    std::vector<uint8_t> back(24, 0);
    OK(MPI_File_read(file, back.data(), 6, MPI_INT, MPI_STATUS_IGNORE));
    EXPECT_BYTES(std::vector<uint8_t>(mine.begin() + 36, mine.begin() + 60), back);
    MPI_Offset position;
    OK(MPI_File_get_position(file, &position));
    EXPECT_EQUAL(5, position);
  }
  expect_mine(path, 240, [](int i) { return (i / 24 * context.ranks + context.rank) * 24 + i % 24; });
}

#if MPI_VERSION >= 4
SITUATION(LargeCount, Constructors, not_own) {
  const std::string path = context.fresh_file("large-count");
  const std::vector<uint8_t> mine = values(context.rank, 300);
  {
    MPI_Datatype piece, tile;
    MPI_Type_vector_c(3, 10, 10 * MPI_Count{context.ranks}, MPI_BYTE, &piece);
    MPI_Type_create_resized_c(piece, 0, 30 * MPI_Count{context.ranks}, &tile);
    MPI_Type_free(&piece);
    const Type type(tile);
    File file(path);
    OK(MPI_File_set_view(file, 10 * context.rank, MPI_BYTE, type, "native", MPI_INFO_NULL));
    OK(MPI_File_write_all_c(file, mine.data(), 300, MPI_BYTE, MPI_STATUS_IGNORE));
    std::vector<uint8_t> back(300, 0);
    OK(MPI_File_read_at_all_c(file, 0, back.data(), 300, MPI_BYTE, MPI_STATUS_IGNORE));
    EXPECT_BYTES(mine, back);
  }
  expect_mine(path, 300, [](int i) { return (i / 10 * context.ranks + context.rank) * 10 + i % 10; });
}
#endif

SITUATION(F90Types, AsEtypeAndInMemory, not_own) {
  const std::string path = context.fresh_file("f90");
  MPI_Datatype real = MPI_DATATYPE_NULL;
  if (MPI_Type_create_f90_real(12, MPI_UNDEFINED, &real) != MPI_SUCCESS) return;  // this MPI has no Fortran
  int size = 0;
  MPI_Type_size(real, &size);
  std::vector<uint8_t> mine = values(context.rank, 10 * size), back(mine.size(), 0);
  File file(path);
  OK(MPI_File_set_view(file, 0, real, real, "native", MPI_INFO_NULL));
  OK(MPI_File_write_at_all(file, 10 * context.rank, mine.data(), 10, real, MPI_STATUS_IGNORE));
  OK(MPI_File_read_at_all(file, 10 * context.rank, back.data(), 10, real, MPI_STATUS_IGNORE));
  EXPECT_BYTES(mine, back);
}

// A rank without data may have a view without bytes, and give the same count as the others.
SITUATION(Views, WithoutBytes, not_own) {
  const std::string path = context.fresh_file("view-without-bytes");
  const int last = context.ranks - 1;
  const auto mine = values(context.rank, 40);
  {
    File file(path);
    const Type none = blocks_at({0}, {0}, MPI_BYTE), all = contiguous_of(4, MPI_BYTE);
    const MPI_Datatype shown = context.rank == last ? none : all;
    OK(MPI_File_set_view(file, MPI_Offset{context.rank} * 40, MPI_BYTE, shown, "native", MPI_INFO_NULL));
    MPI_Status status;
    const int moved = context.rank == last ? 0 : 40;
    OK(MPI_File_write_all(file, mine.data(), 40, MPI_BYTE, &status));
    EXPECT_EQUAL(moved, bytes_in(status));
    std::vector<uint8_t> found(40, 7);
    OK(MPI_File_read_at_all(file, 0, found.data(), 40, MPI_BYTE, &status));
    EXPECT_EQUAL(moved, bytes_in(status));
    OK(MPI_File_read_at(file, 0, found.data(), 40, MPI_BYTE, &status));
    EXPECT_EQUAL(moved, bytes_in(status));
    EXPECT_BYTES(context.rank == last ? std::vector<uint8_t>(40, 7) : mine, found);
    OK(MPI_File_set_view(file, 0, MPI_BYTE, shown, "external32", MPI_INFO_NULL));
    OK(MPI_File_read_at_all(file, 0, found.data(), 40, MPI_BYTE, &status));
    EXPECT_EQUAL(moved, bytes_in(status));
  }
  EXPECT_EQUAL(40 * last, std::ssize(contents(path)));
}
