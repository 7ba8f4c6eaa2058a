// Data representations: external32, and those that the program registers.
#include <algorithm>
#include <atomic>
#include <cstring>

#include "situations/situation.h"

using namespace situations;

namespace {

std::vector<uint8_t> big_endian(const std::vector<int>& values) {
  std::vector<uint8_t> bytes;
  for (int value : values) {
    for (int shift = 24; shift >= 0; shift -= 8) bytes.push_back(static_cast<uint8_t>(value >> shift));
  }
  return bytes;
}

std::vector<int> numbers(int stream, int count) {
  std::vector<int> result;
  for (int i = 0; i < count; ++i) result.push_back(stream * 1000003 + i * 77 - 5);
  return result;
}

// A view of ints in external32. This rank has every ranks-th block of `block`.
void set_view_in_turn(MPI_File file, int block, const char* datarep = "external32") {
  const Type tile = resized_of(contiguous_of(block, MPI_INT), 0, 4 * block * context.ranks);
  OK(MPI_File_set_view(file, 4 * block * context.rank, MPI_INT, tile, datarep, MPI_INFO_NULL));
}

// The numbers of every rank, in blocks that alternate, as the file holds them.
std::vector<uint8_t> in_turn(int block, int blocks) {
  std::vector<int> all;
  for (int i = 0; i < blocks; ++i) {
    for (int rank = 0; rank < context.ranks; ++rank) {
      const std::vector<int> theirs = numbers(rank, block * blocks);
      all.insert(all.end(), theirs.begin() + i * block, theirs.begin() + (i + 1) * block);
    }
  }
  return big_endian(all);
}

// The arguments that the functions below were called with. Other threads may call them.
struct Record {
  std::atomic<int> reads{0}, writes{0};
  std::atomic<int64_t> items{0}, most_items{0};
  std::atomic<bool> in_order{true};
  std::atomic<int64_t> next{0};
  std::atomic<bool> fails{false};
};

void note(Record& record, MPI_Offset position, int count) {
  if (position == 0) record.next = 0;
  if (record.next != position) record.in_order = false;
  record.next = position + count;
  record.items += count;
  record.most_items = std::max<int64_t>(record.most_items, count);
}

// The representation "decimal" stores every int as eleven characters. It is for types that are ints without
// gaps, or every other int.
constexpr int decimal_bytes = 11;

int stride_of(MPI_Datatype type) {
  MPI_Aint lower, extent;
  int size;
  MPI_Type_get_extent(type, &lower, &extent);
  MPI_Type_size(type, &size);
  return static_cast<int>(extent) / size;
}

int write_decimal(void* user, MPI_Datatype type, int count, void* file, MPI_Offset position, void* extra) {
  auto& record = *static_cast<Record*>(extra);
  if (record.fails) return MPI_ERR_OTHER;
  ++record.writes;
  note(record, position, count);
  for (int i = 0; i < count; ++i) {
    char text[decimal_bytes + 1];
    std::snprintf(text, sizeof text, "%*d", decimal_bytes,
                  static_cast<int*>(user)[(position + i) * stride_of(type)]);
    std::memcpy(static_cast<char*>(file) + i * decimal_bytes, text, decimal_bytes);
  }
  return MPI_SUCCESS;
}

int read_decimal(void* user, MPI_Datatype type, int count, void* file, MPI_Offset position, void* extra) {
  auto& record = *static_cast<Record*>(extra);
  if (record.fails) return MPI_ERR_OTHER;
  ++record.reads;
  note(record, position, count);
  for (int i = 0; i < count; ++i) {
    const std::string text(static_cast<char*>(file) + i * decimal_bytes, decimal_bytes);
    static_cast<int*>(user)[(position + i) * stride_of(type)] = std::stoi(text);
  }
  return MPI_SUCCESS;
}

int decimal_extent(MPI_Datatype type, MPI_Aint* extent, void*) {
  if (type != MPI_INT) return MPI_ERR_TYPE;
  *extent = decimal_bytes;
  return MPI_SUCCESS;
}

Record& decimal() {
  static auto* record = [] {
    auto* made = new Record;
    OK(MPI_Register_datarep("decimal", read_decimal, write_decimal, decimal_extent, made));
    return made;
  }();
  record->reads = record->writes = 0;
  record->items = record->most_items = 0;
  record->in_order = true;
  record->fails = false;
  return *record;
}

std::vector<uint8_t> as_decimal(const std::vector<int>& values) {
  std::vector<uint8_t> bytes;
  for (int value : values) {
    char text[decimal_bytes + 1];
    std::snprintf(text, sizeof text, "%*d", decimal_bytes, value);
    bytes.insert(bytes.end(), text, text + decimal_bytes);
  }
  return bytes;
}

int elements_in(MPI_Status& status) {
  int count = -1;
  MPI_Get_count(&status, MPI_INT, &count);
  return count;
}

}  // namespace

SITUATION(Datarep, External32ThroughEveryKindOfCall, not_own) {
  constexpr int block = 5, blocks = 40, count = block * blocks, kinds = 8;
  const std::vector<uint8_t> expected = in_turn(block, blocks);
  const std::vector<int> mine = numbers(context.rank, count);
  for (int kind = 0; kind < kinds; ++kind) {
    const std::string path = context.fresh_file("every-kind");
    {
      File file(path);
      set_view_in_turn(file, block);
      std::vector<int> back(count, -1);
      MPI_Status status;
      MPI_Request request = MPI_REQUEST_NULL;
      switch (kind) {
        case 0:
          OK(MPI_File_write_at(file, 0, mine.data(), count, MPI_INT, &status));
          break;
        case 1:
          OK(MPI_File_write_at_all(file, 0, mine.data(), count, MPI_INT, &status));
          break;
        case 2:
          OK(MPI_File_write(file, mine.data(), count, MPI_INT, &status));
          break;
        case 3:
          OK(MPI_File_write_all(file, mine.data(), count, MPI_INT, &status));
          break;
        case 4:
          OK(MPI_File_iwrite_at(file, 0, mine.data(), count, MPI_INT, &request));
          break;
        case 5:
          OK(MPI_File_iwrite_all(file, mine.data(), count, MPI_INT, &request));
          break;
        case 6:
          OK(MPI_File_write_all_begin(file, mine.data(), count, MPI_INT));
          OK(MPI_File_write_all_end(file, mine.data(), &status));
          break;
        default:
          OK(MPI_File_write_at_all_begin(file, 0, mine.data(), count, MPI_INT));
          OK(MPI_File_write_at_all_end(file, mine.data(), &status));
      }
      if (request != MPI_REQUEST_NULL) OK(MPI_Wait(&request, &status));
      EXPECT_EQUAL(count, elements_in(status));
      barrier();
      EXPECT_BYTES(expected, contents(path));
      OK(MPI_File_seek(file, 0, MPI_SEEK_SET));
      switch (kind) {
        case 0:
          OK(MPI_File_read_at(file, 0, back.data(), count, MPI_INT, &status));
          break;
        case 1:
          OK(MPI_File_read_at_all(file, 0, back.data(), count, MPI_INT, &status));
          break;
        case 2:
          OK(MPI_File_read(file, back.data(), count, MPI_INT, &status));
          break;
        case 3:
          OK(MPI_File_read_all(file, back.data(), count, MPI_INT, &status));
          break;
        case 4:
          OK(MPI_File_iread_at(file, 0, back.data(), count, MPI_INT, &request));
          break;
        case 5:
          OK(MPI_File_iread_all(file, back.data(), count, MPI_INT, &request));
          break;
        case 6:
          OK(MPI_File_read_all_begin(file, back.data(), count, MPI_INT));
          OK(MPI_File_read_all_end(file, back.data(), &status));
          break;
        default:
          OK(MPI_File_read_at_all_begin(file, 0, back.data(), count, MPI_INT));
          OK(MPI_File_read_at_all_end(file, back.data(), &status));
      }
      if (request != MPI_REQUEST_NULL) OK(MPI_Wait(&request, &status));
      EXPECT_EQUAL(count, elements_in(status));
      EXPECT_BYTES(mine, back);
    }
    barrier();
  }
}

SITUATION(Datarep, OrderedAndSharedCallsCountEtypesOfTheFile, not_own) {
  const std::string path = context.fresh_file("ordered");
  // Rank r has r + 1 longs, which take four bytes each in the file.
  std::vector<long> mine(static_cast<size_t>(context.rank + 1), -context.rank - 1);
  const int count = context.rank + 1;
  {
    File file(path);
    OK(MPI_File_set_view(file, 0, MPI_LONG, MPI_LONG, "external32", MPI_INFO_NULL));
    OK(MPI_File_write_ordered(file, mine.data(), count, MPI_LONG, MPI_STATUS_IGNORE));
    MPI_Offset position = -1;
    OK(MPI_File_get_position_shared(file, &position));
    const int total = context.ranks * (context.ranks + 1) / 2;
    EXPECT_EQUAL(total, position);
    std::vector<int> expected;
    for (int rank = 0; rank < context.ranks; ++rank)
      expected.insert(expected.end(), static_cast<size_t>(rank + 1), -rank - 1);
    EXPECT_BYTES(big_endian(expected), contents(path));
    barrier();
    OK(MPI_File_write_shared(file, mine.data(), 1, MPI_LONG, MPI_STATUS_IGNORE));
    barrier();
    OK(MPI_File_get_position_shared(file, &position));
    EXPECT_EQUAL(total + context.ranks, position);
    OK(MPI_File_seek_shared(file, 0, MPI_SEEK_SET));
    std::vector<long> back(mine.size(), 7);
    OK(MPI_File_read_ordered(file, back.data(), count, MPI_LONG, MPI_STATUS_IGNORE));
    EXPECT_BYTES(mine, back);
  }
  EXPECT_EQUAL(static_cast<size_t>(4 * (context.ranks * (context.ranks + 1) / 2 + context.ranks)),
               contents(path).size());
}

SITUATION(Datarep, ReadingStopsAtTheLastWholeItem, not_own) {
  const std::string path = context.fresh_file("short");
  std::vector<uint8_t> bytes = big_endian(numbers(0, 10));
  bytes.resize(bytes.size() + 3, 9);  // not enough for another element
  make_file(path, bytes);
  File file(path, MPI_MODE_RDONLY, Info{{"concilio_memory_limit", "4096"}});
  OK(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "external32", MPI_INFO_NULL));
  for (bool collective : {false, true}) {
    std::vector<int> expected = numbers(0, 10), back(5000, -1);
    expected.resize(5000, -1);
    MPI_Status status;
    OK((collective ? MPI_File_read_at_all : MPI_File_read_at)(file, 0, back.data(), 5000, MPI_INT, &status));
    EXPECT_EQUAL(10, elements_in(status));
    EXPECT_BYTES(expected, back);
    OK((collective ? MPI_File_read_at_all : MPI_File_read_at)(file, 99, back.data(), 5000, MPI_INT, &status));
    EXPECT_EQUAL(0, elements_in(status));
    EXPECT_BYTES(expected, back);
  }
}

namespace {

// Reads ints through a tile of which the tiles, or the pieces, do not lie one behind another. `places` says
// where each int lies; the file has `there` of them and a part of another. What it lacks lies between what it
// has.
void read_past_ends(const Type& tile, const std::vector<int>& places, int there, const char* datarep) {
  const std::string path = context.fresh_file("past-ends");
  const std::vector<int> all = numbers(0, there);
  std::vector<uint8_t> bytes = std::string(datarep) == "external32" ? big_endian(all) : as_decimal(all);
  bytes.resize(bytes.size() + 3, 9);
  make_file(path, bytes);
  constexpr int untouched = -999;
  std::vector<int> expected;
  for (const int place : places)
    expected.push_back(place < there ? all[static_cast<size_t>(place)] : untouched);
  const auto count = static_cast<int>(places.size());
  const auto found = count - static_cast<int>(std::count(expected.begin(), expected.end(), untouched));
  Record& record = decimal();
  for (const char* limit : {"4096", "1048576"}) {  // which makes many rounds, or one
    File file(path, MPI_MODE_RDONLY, Info{{"concilio_memory_limit", limit}});
    OK(MPI_File_set_view(file, 0, MPI_INT, tile, datarep, MPI_INFO_NULL));
    for (const bool collective : {false, true}) {
      record.items = 0;
      std::vector<int> back(places.size(), untouched);
      MPI_Status status;
      OK((collective ? MPI_File_read_at_all : MPI_File_read_at)(file, 0, back.data(), count, MPI_INT,
                                                                &status));
      EXPECT_EQUAL(found, elements_in(status));
      EXPECT_BYTES(expected, back);
      if (std::string(datarep) == "decimal") EXPECT_EQUAL(int64_t{found}, record.items.load());
    }
  }
}

}  // namespace

SITUATION(Datarep, ReadingColumnsOfWhichTheLastRowsAreMissing, not_own) {
  constexpr int rows = 61, columns = 48, there = rows * columns - 50;
  std::vector<int> places;
  for (int column = 0; column < columns; ++column) {
    for (int row = 0; row < rows; ++row) places.push_back(row * columns + column);
  }
  for (const char* datarep : {"external32", "decimal"}) {
    (void)decimal();
    const int item = std::string(datarep) == "external32" ? 4 : decimal_bytes;
    // The extent is the file's already.
    const Type column = vector_of(rows, 1, columns, MPI_INT);
    read_past_ends(resized_of(column, 0, item), places, there, datarep);
  }
}

SITUATION(Datarep, ReadingIntsTwiceOfWhichSomeAreMissing, not_own) {
  const Type tile = blocks_at({3, 2}, {0, 4}, MPI_INT);
  read_past_ends(tile, {0, 1, 2, 1, 2}, 2, "external32");
}

SITUATION(Datarep, SeekAndOffsetsCountEtypesOfTheFile, not_own) {
  const std::string path = context.fresh_file("offsets");
  make_file(path, std::vector<uint8_t>(100, 0));
  File file(path);
  MPI_Aint extent = 0;
  OK(MPI_File_get_type_extent(file, MPI_LONG, &extent));
  EXPECT_EQUAL(static_cast<MPI_Aint>(sizeof(long)), extent);
  OK(MPI_File_set_view(file, 20, MPI_LONG, vector_of(2, 1, 3, MPI_LONG), "external32", MPI_INFO_NULL));
  OK(MPI_File_get_type_extent(file, MPI_LONG, &extent));
  EXPECT_EQUAL(4, extent);
  OK(MPI_File_get_type_extent(file, vector_of(2, 1, 3, MPI_LONG), &extent));
  EXPECT_EQUAL(16, extent);
  OK(MPI_File_get_type_extent(file, MPI_SHORT_INT, &extent));
  EXPECT_EQUAL(6, extent);
  MPI_Offset offset = 0;
  OK(MPI_File_get_byte_offset(file, 3, &offset));  // the fourth: 20 + 16 + 12
  EXPECT_EQUAL(48, offset);
  OK(MPI_File_seek(file, 0, MPI_SEEK_END));
  OK(MPI_File_get_position(file, &offset));
  EXPECT_EQUAL(10, offset);  // five tiles of two
  char datarep[MPI_MAX_DATAREP_STRING] = "";
  MPI_Datatype etype, filetype;
  OK(MPI_File_get_view(file, &offset, &etype, &filetype, datarep));
  EXPECT(std::string(datarep) == "external32");
  OK(MPI_Type_free(&filetype));
}

SITUATION(Datarep, UsersFunctionsInManyRounds, not_own) {
  Record& record = decimal();
  const std::string path = context.fresh_file("decimal");
  // The ranks have different numbers of elements, and the last of several has none.
  const bool idle = context.ranks > 1 && context.rank == context.ranks - 1;
  const int count = idle ? 0 : 3000 + 1000 * context.rank;
  int before = 0;
  for (int rank = 0; rank < context.rank; ++rank) before += 3000 + 1000 * rank;
  const std::vector<int> mine = numbers(context.rank, count);
  std::vector<int> spread(2 * mine.size() + 1, -9);
  for (size_t i = 0; i < mine.size(); ++i) spread[2 * i] = mine[i];
  const Type every_other = resized_of(contiguous_of(1, MPI_INT), 0, 8);
  File file(path, MPI_MODE_CREATE | MPI_MODE_RDWR, Info{{"concilio_memory_limit", "16384"}});
  OK(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "decimal", MPI_INFO_NULL));
  MPI_Status status;
  OK(MPI_File_write_at_all(file, before, spread.data(), count, every_other, &status));
  EXPECT_EQUAL(count, elements_in(status));
  EXPECT_EQUAL(static_cast<int64_t>(count), record.items.load());
  EXPECT(record.in_order.load());
  // At most half of the limit is used at a time.
  EXPECT(record.most_items * decimal_bytes <= 8192);
  EXPECT(count == 0 || record.writes > 3);
  barrier();
  const std::vector<uint8_t> found = contents(path), expected = as_decimal(mine);
  const auto at = static_cast<size_t>(before * decimal_bytes);
  EXPECT(found.size() >= at + expected.size());
  if (found.size() >= at + expected.size()) {
    EXPECT_BYTES(expected, std::vector<uint8_t>(found.begin() + static_cast<long>(at),
                                                found.begin() + static_cast<long>(at + expected.size())));
  }
  std::vector<int> back(spread.size(), -9);
  OK(MPI_File_read_at_all(file, before, back.data(), count, every_other, &status));
  EXPECT_EQUAL(count, elements_in(status));
  EXPECT_BYTES(spread, back);
  std::fill(back.begin(), back.end(), -9);
  OK(MPI_File_read_at(file, before, back.data(), count, every_other, &status));
  EXPECT_BYTES(spread, back);
  EXPECT(record.in_order.load());
}

SITUATION(Datarep, TypeFreedWhileTheCallGoesOn, not_own) {
  Record& record = decimal();
  const std::string path = context.fresh_file("freed");
  const std::vector<int> mine = numbers(context.rank, 500);
  File file(path);
  OK(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "decimal", MPI_INFO_NULL));
  MPI_Request request;
  std::vector<int> back(500, 0);
  {
    const Type all = contiguous_of(500, MPI_INT);
    OK(MPI_File_iwrite_at_all(file, 500 * context.rank, mine.data(), 1, all, &request));
  }
  OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
  {
    const Type all = contiguous_of(500, MPI_INT);
    OK(MPI_File_iread_at(file, 500 * context.rank, back.data(), 1, all, &request));
  }
  OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
  EXPECT_BYTES(mine, back);
  EXPECT_EQUAL(int64_t{1000}, record.items.load());
}

SITUATION(Datarep, DirectionWithoutAFunctionIsNative, not_own) {
  static Record record;
  static const int registered =
      MPI_Register_datarep("decimal to read", read_decimal, MPI_CONVERSION_FN_NULL, decimal_extent, &record);
  OK(registered);
  const std::string path = context.fresh_file("half");
  const std::vector<int> mine = numbers(context.rank, 20);
  {
    File file(path);
    OK(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "decimal to read", MPI_INFO_NULL));
    OK(MPI_File_write_at_all(file, 20 * context.rank, mine.data(), 20, MPI_INT, MPI_STATUS_IGNORE));
  }
  barrier();
  const std::vector<uint8_t> found = contents(path);
  EXPECT_EQUAL(static_cast<size_t>(80 * context.ranks), found.size());
  EXPECT(std::memcmp(found.data() + 80 * context.rank, mine.data(), 80) == 0);
  barrier();
  make_file(path, as_decimal(numbers(3, 20)));
  File file(path);
  OK(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "decimal to read", MPI_INFO_NULL));
  std::vector<int> back(20, 0);
  OK(MPI_File_read_at_all(file, 0, back.data(), 20, MPI_INT, MPI_STATUS_IGNORE));
  EXPECT_BYTES(numbers(3, 20), back);
}

SITUATION(Datarep, ConversionThatFailsOnOneRankFailsOnAll, not_own) {
  Record& record = decimal();
  const std::string path = context.fresh_file("fails");
  File file(path);
  OK(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "decimal", MPI_INFO_NULL));
  std::vector<int> mine = numbers(context.rank, 30);
  const MPI_Offset at = 30 * context.rank;
  OK(MPI_File_write_at_all(file, at, mine.data(), 30, MPI_INT, MPI_STATUS_IGNORE));
  record.fails = context.rank == context.ranks - 1;
  FAILS(MPI_ERR_CONVERSION, MPI_File_write_at_all(file, at, mine.data(), 30, MPI_INT, MPI_STATUS_IGNORE));
  FAILS(MPI_ERR_CONVERSION, MPI_File_read_at_all(file, at, mine.data(), 30, MPI_INT, MPI_STATUS_IGNORE));
  if (record.fails) {
    FAILS(MPI_ERR_CONVERSION, MPI_File_read_at(file, at, mine.data(), 30, MPI_INT, MPI_STATUS_IGNORE));
  } else {
    OK(MPI_File_read_at(file, at, mine.data(), 30, MPI_INT, MPI_STATUS_IGNORE));
  }
  record.fails = false;
  OK(MPI_File_read_at_all(file, at, mine.data(), 30, MPI_INT, MPI_STATUS_IGNORE));
  EXPECT_BYTES(numbers(context.rank, 30), mine);
}

SITUATION(Datarep, LongThatDoesNotFitExternal32, not_own) {
  const std::string path = context.fresh_file("narrow");
  File file(path);
  OK(MPI_File_set_view(file, 0, MPI_LONG, MPI_LONG, "external32", MPI_INFO_NULL));
  const long fits = -7, wide = 1L << 33;
  const long* mine = context.rank == 0 ? &wide : &fits;
  FAILS(MPI_ERR_CONVERSION, MPI_File_write_at_all(file, context.rank, mine, 1, MPI_LONG, MPI_STATUS_IGNORE));
  OK(MPI_File_write_at_all(file, context.rank, &fits, 1, MPI_LONG, MPI_STATUS_IGNORE));
  FAILS(MPI_ERR_CONVERSION, MPI_File_write(file, &wide, 1, MPI_LONG, MPI_STATUS_IGNORE));
}

SITUATION(Datarep, NamesThatAreRefused, not_own) {
  (void)decimal();
  FAILS(MPI_ERR_DUP_DATAREP,
        MPI_Register_datarep("decimal", read_decimal, write_decimal, decimal_extent, nullptr));
  FAILS(MPI_ERR_DUP_DATAREP,
        MPI_Register_datarep("native", read_decimal, write_decimal, decimal_extent, nullptr));
  const std::string long_name(MPI_MAX_DATAREP_STRING, 'n');
  FAILS(MPI_ERR_ARG,
        MPI_Register_datarep(long_name.c_str(), read_decimal, write_decimal, decimal_extent, nullptr));
  File file(context.fresh_file("names"));
  FAILS(MPI_ERR_UNSUPPORTED_DATAREP,
        MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "unheard-of", MPI_INFO_NULL));
  // The extent function knows only ints.
  FAILS(MPI_ERR_CONVERSION, MPI_File_set_view(file, 0, MPI_DOUBLE, MPI_DOUBLE, "decimal", MPI_INFO_NULL));
  if (context.ranks > 1) {
    FAILS(MPI_ERR_NOT_SAME, MPI_File_set_view(file, 0, MPI_INT, MPI_INT,
                                              context.rank == 0 ? "external32" : "native", MPI_INFO_NULL));
  }
  OK(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "internal", MPI_INFO_NULL));
}

SITUATION(Datarep, AtomicModeIsOneRequest, not_own) {
  Record& record = decimal();
  const std::string path = context.fresh_file("atomic-datarep");
  const std::vector<int> mine = numbers(context.rank, 4000);
  File file(path, MPI_MODE_CREATE | MPI_MODE_RDWR, Info{{"concilio_memory_limit", "16384"}});
  OK(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "decimal", MPI_INFO_NULL));
  OK(MPI_File_set_atomicity(file, 1));
  OK(MPI_File_write_at(file, 0, mine.data(), 4000, MPI_INT, MPI_STATUS_IGNORE));
  EXPECT_EQUAL(1, record.writes.load());
  barrier();
  std::vector<int> back(4000, 0);
  OK(MPI_File_read_at(file, 0, back.data(), 4000, MPI_INT, MPI_STATUS_IGNORE));
  bool whole = false;
  for (int rank = 0; rank < context.ranks; ++rank) whole = whole || back == numbers(rank, 4000);
  EXPECT(whole);
}
