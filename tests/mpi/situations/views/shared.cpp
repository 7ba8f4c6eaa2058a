// The shared file pointer.
#include <dirent.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "situations/situation.h"

using namespace situations;

namespace {

struct Record {
  int32_t rank, number;
  uint8_t bytes[24];
};

Record record_of(int rank, int number) {
  Record record{rank, number, {}};
  for (int i = 0; i < 24; ++i) record.bytes[i] = value(rank * 1000 + number, i);
  return record;
}

// Every rank's records must be there, each once, in the order of the rank's calls.
void expect_records(const std::string& path, int each) {
  const auto found = contents(path);
  EXPECT_EQUAL(int64_t{context.ranks} * each * static_cast<int64_t>(sizeof(Record)), std::ssize(found));
  std::map<int, int> next;
  for (size_t at = 0; at + sizeof(Record) <= found.size(); at += sizeof(Record)) {
    Record record;
    std::memcpy(&record, &found[at], sizeof record);
    EXPECT(record.rank >= 0 && record.rank < context.ranks);
    EXPECT_EQUAL(next[record.rank]++, record.number);
    const Record expected = record_of(record.rank, record.number);
    EXPECT(std::memcmp(&record, &expected, sizeof record) == 0);
  }
}

int entries_of(const std::string& folder) {
  int count = 0;
  if (DIR* open = opendir(folder.c_str())) {
    while (readdir(open)) ++count;
    closedir(open);
  }
  return count;
}

}  // namespace

SITUATION(SharedPointer, WritersTakeTurns, everywhere) {
  const std::string path = context.fresh_file("shared-write");
  constexpr int each = 50;
  {
    File file(path);
    for (int i = 0; i < each; ++i) {
      const Record record = record_of(context.rank, i);
      MPI_Status status;
      if (i % 3 == 2 && !context.own) {
        MPI_Request request;
        OK(MPI_File_iwrite_shared(file, &record, sizeof record, MPI_BYTE, &request));
        OK(MPI_Wait(&request, &status));
      } else {
        OK(MPI_File_write_shared(file, &record, sizeof record, MPI_BYTE, &status));
      }
      EXPECT_EQUAL(static_cast<int64_t>(sizeof record), bytes_in(status));
    }
  }
  barrier();
  expect_records(path, each);
}

SITUATION(SharedPointer, ReadersShareTheFile, everywhere) {
  const std::string path = context.fresh_file("shared-read");
  constexpr int count = 60;
  std::vector<uint8_t> bytes(count * sizeof(Record));
  for (int i = 0; i < count; ++i) {
    const Record record = record_of(0, i);
    std::memcpy(&bytes[static_cast<size_t>(i) * sizeof record], &record, sizeof record);
  }
  make_file(path, bytes);
  File file(path, MPI_MODE_RDONLY);
  std::vector<int> seen(count, 0);
  for (;;) {
    Record record;
    MPI_Status status;
    OK(MPI_File_read_shared(file, &record, sizeof record, MPI_BYTE, &status));
    if (bytes_in(status) != sizeof record) break;
    EXPECT(record.number >= 0 && record.number < count);
    if (record.number >= 0 && record.number < count) ++seen[static_cast<size_t>(record.number)];
  }
  MPI_Allreduce(MPI_IN_PLACE, seen.data(), count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  for (int times : seen) EXPECT_EQUAL(1, times);
}

SITUATION(SharedPointer, OrderedInRankOrder, everywhere) {
  const std::string path = context.fresh_file("shared-ordered");
  std::vector<uint8_t> expected;
  {
    File file(path);
    for (int round = 0; round < 5; ++round) {
      // Some ranks have no data.
      auto length_of = [&](int rank) { return (rank + round) % 3 == 0 ? 0 : 100 * rank + 10 * round + 7; };
      for (int rank = 0; rank < context.ranks; ++rank) {
        const auto its = values(rank * 10 + round, length_of(rank));
        expected.insert(expected.end(), its.begin(), its.end());
      }
      const auto mine = values(context.rank * 10 + round, length_of(context.rank));
      MPI_Status status;
      const int length = static_cast<int>(mine.size());
      if (round % 2) {
        OK(MPI_File_write_ordered_begin(file, mine.data(), length, MPI_BYTE));
        OK(MPI_File_write_ordered_end(file, mine.data(), &status));
      } else {
        OK(MPI_File_write_ordered(file, mine.data(), length, MPI_BYTE, &status));
      }
      EXPECT_EQUAL(length, bytes_in(status));
    }
    MPI_Offset position = -1;
    barrier();
    OK(MPI_File_get_position_shared(file, &position));
    EXPECT_EQUAL(std::ssize(expected), position);
    barrier();
    OK(MPI_File_seek_shared(file, 0, MPI_SEEK_SET));
    const int part = static_cast<int>(expected.size()) / context.ranks;
    std::vector<uint8_t> back(static_cast<size_t>(part));
    OK(MPI_File_read_ordered(file, back.data(), part, MPI_BYTE, MPI_STATUS_IGNORE));
    EXPECT_BYTES(std::vector<uint8_t>(expected.begin() + context.rank * part,
                                      expected.begin() + (context.rank + 1) * part),
                 back);
    OK(MPI_File_seek_shared(file, 0, MPI_SEEK_SET));
    OK(MPI_File_read_ordered_begin(file, back.data(), part, MPI_BYTE));
    OK(MPI_File_read_ordered_end(file, back.data(), MPI_STATUS_IGNORE));
    EXPECT_BYTES(std::vector<uint8_t>(expected.begin() + context.rank * part,
                                      expected.begin() + (context.rank + 1) * part),
                 back);
  }
  barrier();
  EXPECT_BYTES(expected, contents(path));
}

SITUATION(SharedPointer, OrderedThroughAView, everywhere) {
  const std::string path = context.fresh_file("shared-view");
  {
    File file(path);
    const Type tile = resized_of(contiguous_of(2, MPI_INT), 0, 12);  // eight bytes of every twelve
    OK(MPI_File_set_view(file, 4, MPI_INT, tile, "native", MPI_INFO_NULL));
    const std::vector<int> mine(static_cast<size_t>(context.rank + 1), context.rank + 1);
    OK(MPI_File_write_ordered(file, mine.data(), context.rank + 1, MPI_INT, MPI_STATUS_IGNORE));
    OK(MPI_File_write_ordered(file, mine.data(), 1, MPI_INT, MPI_STATUS_IGNORE));
  }
  barrier();
  std::vector<int> sequence;
  for (int rank = 0; rank < context.ranks; ++rank)
    sequence.insert(sequence.end(), static_cast<size_t>(rank + 1), rank + 1);
  for (int rank = 0; rank < context.ranks; ++rank) sequence.push_back(rank + 1);
  const auto found = contents(path);
  for (size_t i = 0; i < sequence.size(); ++i) {
    int number = 0;
    const size_t at = 4 + i / 2 * 12 + i % 2 * 4;
    if (at + 4 <= found.size()) std::memcpy(&number, &found[at], 4);
    EXPECT_EQUAL(sequence[i], number);
  }
}

SITUATION(SharedPointer, SeekAndPosition, everywhere) {
  const std::string path = context.fresh_file("shared-seek");
  make_file(path, values(1, 100));
  File file(path, MPI_MODE_RDWR);
  MPI_Offset position = -1;
  OK(MPI_File_get_position_shared(file, &position));
  EXPECT_EQUAL(0, position);
  barrier();
  OK(MPI_File_seek_shared(file, -10, MPI_SEEK_END));
  OK(MPI_File_get_position_shared(file, &position));
  EXPECT_EQUAL(90, position);
  barrier();
  OK(MPI_File_seek_shared(file, 5, MPI_SEEK_CUR));
  OK(MPI_File_get_position_shared(file, &position));
  EXPECT_EQUAL(95, position);
  barrier();
  // The individual pointer is independent of the shared one.
  OK(MPI_File_seek(file, 7, MPI_SEEK_SET));
  OK(MPI_File_get_position_shared(file, &position));
  EXPECT_EQUAL(95, position);
  barrier();
  OK(MPI_File_set_view(file, 10, MPI_SHORT, MPI_SHORT, "native", MPI_INFO_NULL));
  OK(MPI_File_get_position_shared(file, &position));
  EXPECT_EQUAL(0, position);
  barrier();
}

// A new view puts the shared pointer back to the start, whichever rank has moved it and when.
SITUATION(SharedPointer, StartsAnewWithEveryView, not_own) {
  const std::string path = context.fresh_file("shared-anew");
  for (const char* ranks_per_node : {"0", "1"}) {
    const Info info{{"concilio_ranks_per_node", ranks_per_node}};
    File file(path, MPI_MODE_CREATE | MPI_MODE_RDWR, info);
    const std::vector<uint8_t> data = values(context.rank, 40);
    const auto expect_zero = [&](bool moved) {
      const int64_t before = counter(file, "meetings");
      OK(MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL));
      EXPECT_EQUAL(moved ? 2 : 1, counter(file, "meetings") - before);
      MPI_Offset position = -1;
      OK(MPI_File_get_position_shared(file, &position));
      EXPECT_EQUAL(0, position);
      barrier();
    };
    expect_zero(false);
    if (context.rank == context.ranks - 1)
      OK(MPI_File_write_shared(file, data.data(), 40, MPI_BYTE, MPI_STATUS_IGNORE));
    expect_zero(true);
    expect_zero(false);
    OK(MPI_File_write_ordered(file, data.data(), 40, MPI_BYTE, MPI_STATUS_IGNORE));
    expect_zero(true);
    OK(MPI_File_seek_shared(file, 8, MPI_SEEK_SET));
    expect_zero(true);
  }
  File file(path, MPI_MODE_RDWR | MPI_MODE_APPEND);
  OK(MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL));
  MPI_Offset position = -1;
  OK(MPI_File_get_position_shared(file, &position));
  EXPECT_EQUAL(0, position);
  barrier();
}

SITUATION(SharedPointer, SeekMustBeTheSameEverywhere, not_own) {
  const std::string path = context.fresh_file("shared-same");
  File file(path);
  OK(MPI_File_seek_shared(file, 3, MPI_SEEK_SET));
  FAILS(MPI_ERR_ARG, MPI_File_seek_shared(file, -1, MPI_SEEK_SET));
  FAILS(MPI_ERR_ARG, MPI_File_seek_shared(file, 0, 4711));
  if (context.ranks > 1) FAILS(MPI_ERR_NOT_SAME, MPI_File_seek_shared(file, context.rank, MPI_SEEK_SET));
  MPI_Offset position = -1;
  OK(MPI_File_get_position_shared(file, &position));
  EXPECT_EQUAL(3, position);
}

SITUATION(SharedPointer, StartsAtTheEndWhenAppending, not_own) {  // ompi 2783
  const std::string path = context.fresh_file("shared-append");
  make_file(path, values(1, 33));
  {
    File file(path, MPI_MODE_WRONLY | MPI_MODE_APPEND);
    MPI_Offset position = -1;
    OK(MPI_File_get_position_shared(file, &position));
    EXPECT_EQUAL(33, position);
    barrier();
    const uint8_t byte = static_cast<uint8_t>(200 + context.rank);
    OK(MPI_File_write_ordered(file, &byte, 1, MPI_BYTE, MPI_STATUS_IGNORE));
  }
  barrier();
  auto expected = values(1, 33);
  for (int rank = 0; rank < context.ranks; ++rank) expected.push_back(static_cast<uint8_t>(200 + rank));
  EXPECT_BYTES(expected, contents(path));
}

SITUATION(SharedPointer, OneForEveryOpen, not_own) {
  const std::string path = context.fresh_file("shared-opens");
  make_file(path, values(1, 100));
  File one(path, MPI_MODE_RDONLY), two(path, MPI_MODE_RDONLY);
  OK(MPI_File_seek_shared(one, 50, MPI_SEEK_SET));
  MPI_Offset position = -1;
  OK(MPI_File_get_position_shared(two, &position));
  EXPECT_EQUAL(0, position);
  barrier();
  // A file that is opened again begins at its start, whatever an earlier open has left.
  one.close();
  File three(path, MPI_MODE_RDONLY);
  OK(MPI_File_get_position_shared(three, &position));
  EXPECT_EQUAL(0, position);
  barrier();
}

SITUATION(SharedPointer, LeavesNoFileBehind, not_own) {  // ompi 10053, 13823
  const std::string path = context.fresh_file("shared-alone");
  make_file(path, values(1, 100));
  barrier();
  const int before = entries_of(context.folder);
  barrier();
  {
    File file(path, MPI_MODE_RDWR);
    uint8_t byte = 0;
    OK(MPI_File_read_shared(file, &byte, 1, MPI_BYTE, MPI_STATUS_IGNORE));
    barrier();
    EXPECT_EQUAL(before, entries_of(context.folder));
    barrier();
    OK(MPI_File_write_ordered(file, &byte, 1, MPI_BYTE, MPI_STATUS_IGNORE));
  }
  barrier();
  EXPECT_EQUAL(before, entries_of(context.folder));
}

// Between nodes, rank 0's process answers requests for the pointer, whatever rank 0 is doing.
SITUATION(SharedPointer, BetweenNodes, not_own) {
  const std::string path = context.fresh_file("shared-nodes");
  constexpr int each = 40;
  {
    const Info info{{"concilio_ranks_per_node", "1"}};
    File file(path, MPI_MODE_CREATE | MPI_MODE_RDWR, info);
    if (context.rank != 0) {
      for (int i = 0; i < each; ++i) {
        const Record record = record_of(context.rank, i);
        OK(MPI_File_write_shared(file, &record, sizeof record, MPI_BYTE, MPI_STATUS_IGNORE));
      }
      MPI_Send(nullptr, 0, MPI_BYTE, 0, 9, MPI_COMM_WORLD);
    } else {
      for (int i = 0; i < each; ++i) {
        const Record record = record_of(0, i);
        OK(MPI_File_write_shared(file, &record, sizeof record, MPI_BYTE, MPI_STATUS_IGNORE));
      }
      for (int rank = 1; rank < context.ranks; ++rank)
        MPI_Recv(nullptr, 0, MPI_BYTE, MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    OK(MPI_File_seek_shared(file, 0, MPI_SEEK_CUR));
    MPI_Offset position = -1;
    OK(MPI_File_get_position_shared(file, &position));
    EXPECT_EQUAL(int64_t{context.ranks} * each * static_cast<int64_t>(sizeof(Record)), position);
  }
  barrier();
  expect_records(path, each);
}

SITUATION(Sequential, OnlyTheSharedPointer, not_own) {  // ompi 4990
  const std::string path = context.fresh_file("sequential");
  uint8_t byte = static_cast<uint8_t>(context.rank + 1);
  {
    File file(path, MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_SEQUENTIAL);
    OK(MPI_File_write_ordered(file, &byte, 1, MPI_BYTE, MPI_STATUS_IGNORE));
    FAILS(MPI_ERR_UNSUPPORTED_OPERATION, MPI_File_write(file, &byte, 1, MPI_BYTE, MPI_STATUS_IGNORE));
    FAILS(MPI_ERR_UNSUPPORTED_OPERATION, MPI_File_write_at(file, 0, &byte, 1, MPI_BYTE, MPI_STATUS_IGNORE));
    FAILS(MPI_ERR_UNSUPPORTED_OPERATION, MPI_File_write_all(file, &byte, 1, MPI_BYTE, MPI_STATUS_IGNORE));
    MPI_Offset position;
    FAILS(MPI_ERR_UNSUPPORTED_OPERATION, MPI_File_seek(file, 0, MPI_SEEK_SET));
    FAILS(MPI_ERR_UNSUPPORTED_OPERATION, MPI_File_get_position(file, &position));
    FAILS(MPI_ERR_UNSUPPORTED_OPERATION, MPI_File_seek_shared(file, 0, MPI_SEEK_SET));
    FAILS(MPI_ERR_UNSUPPORTED_OPERATION, MPI_File_get_position_shared(file, &position));
    FAILS(MPI_ERR_UNSUPPORTED_OPERATION, MPI_File_set_size(file, 100));
    FAILS(MPI_ERR_UNSUPPORTED_OPERATION, MPI_File_preallocate(file, 100));
    FAILS(MPI_ERR_ARG, MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL));
    // From here on the etype is a short.
    OK(MPI_File_set_view(file, MPI_DISPLACEMENT_CURRENT, MPI_SHORT, MPI_SHORT, "native", MPI_INFO_NULL));
    MPI_Offset displacement = -1;
    MPI_Datatype etype, filetype;
    char representation[MPI_MAX_DATAREP_STRING];
    OK(MPI_File_get_view(file, &displacement, &etype, &filetype, representation));
    EXPECT_EQUAL(context.ranks, displacement);
    const short number = static_cast<short>(1000 + context.rank);
    OK(MPI_File_write_ordered(file, &number, 1, MPI_SHORT, MPI_STATUS_IGNORE));
  }
  barrier();
  const auto found = contents(path);
  EXPECT_EQUAL(3 * context.ranks, std::ssize(found));
  for (int rank = 0; rank < context.ranks && std::ssize(found) == 3 * context.ranks; ++rank) {
    EXPECT_EQUAL(rank + 1, found[static_cast<size_t>(rank)]);
    short number = 0;
    std::memcpy(&number, &found[static_cast<size_t>(context.ranks + 2 * rank)], 2);
    EXPECT_EQUAL(1000 + rank, number);
  }
  // Reads the data back, each byte once.
  File file(path, MPI_MODE_RDONLY | MPI_MODE_SEQUENTIAL);
  MPI_Status status;
  OK(MPI_File_read_shared(file, &byte, 1, MPI_BYTE, &status));
  EXPECT_EQUAL(1, bytes_in(status));
}

// Some records lie within a piece of the view, others reach over several; none may take the place of another.
SITUATION(Shared, RecordsOfDifferentRanksInAViewOfPieces, not_own) {
  constexpr int records = 500;
  const std::string path = context.fresh_file("shared-pieces");
  File file(path);
  const Type type = resized_of(contiguous_of(8, MPI_BYTE), 0, 16);
  OK(MPI_File_set_view(file, 0, MPI_BYTE, type, "native", MPI_INFO_NULL));
  const auto length = [](int rank) { return rank % 2 == 0 ? 12 : 4; };
  const std::vector<uint8_t> record(12, static_cast<uint8_t>(context.rank + 1));
  barrier();
  for (int i = 0; i < records; ++i)
    OK(MPI_File_write_shared(file, record.data(), length(context.rank), MPI_BYTE, MPI_STATUS_IGNORE));
  barrier();
  int64_t total = 0;
  for (int rank = 0; rank < context.ranks; ++rank) total += records * length(rank);
  MPI_Offset position = -1;
  OK(MPI_File_get_position_shared(file, &position));
  EXPECT_EQUAL(total, position);
  std::vector<uint8_t> all(static_cast<size_t>(total));
  OK(MPI_File_read_at_all(file, 0, all.data(), static_cast<int>(total), MPI_BYTE, MPI_STATUS_IGNORE));
  for (int rank = 0; rank < context.ranks; ++rank)
    EXPECT_EQUAL(records * length(rank), std::count(all.begin(), all.end(), static_cast<uint8_t>(rank + 1)));
}
