// Offsets near the largest that 64 bits can hold. Data that have a place in a file can be accessed; others
// are refused on all ranks, and no byte is written.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <limits>

#include "situations/situation.h"

using namespace situations;

namespace {

constexpr MPI_Offset end = std::numeric_limits<MPI_Offset>::max();

// Every way to choose a method, in addition to the library's own choice.
const char* const methods[] = {"auto", "independent", "list", "sieve", "two_phase"};

struct Try {
  MPI_File file;
  std::vector<uint8_t> bytes = values(1, 64);

  void* data() { return bytes.data(); }
  void refused_at(MPI_Offset offset, int count, MPI_Datatype type) {
    MPI_Request request;
    FAILS(MPI_ERR_ARG, MPI_File_write_at(file, offset, data(), count, type, MPI_STATUS_IGNORE));
    FAILS(MPI_ERR_ARG, MPI_File_read_at(file, offset, data(), count, type, MPI_STATUS_IGNORE));
    FAILS(MPI_ERR_ARG, MPI_File_write_at_all(file, offset, data(), count, type, MPI_STATUS_IGNORE));
    FAILS(MPI_ERR_ARG, MPI_File_read_at_all(file, offset, data(), count, type, MPI_STATUS_IGNORE));
    FAILS(MPI_ERR_ARG, MPI_File_iwrite_at(file, offset, data(), count, type, &request));
    OK(MPI_File_write_at_all_begin(file, offset, data(), count, type));
    FAILS(MPI_ERR_ARG, MPI_File_write_at_all_end(file, data(), MPI_STATUS_IGNORE));
  }
  // Beyond the end of the file, but at offsets that a file can have.
  void nothing_at(MPI_Offset offset, int count, MPI_Datatype type) {
    MPI_Status status;
    OK(MPI_File_read_at(file, offset, data(), count, type, &status));
    EXPECT_EQUAL(0, bytes_in(status));
    OK(MPI_File_read_at_all(file, offset, data(), count, type, &status));
    EXPECT_EQUAL(0, bytes_in(status));
  }
};

}  // namespace

SITUATION(Far, SumsBeyondSixtyThreeBitsAreRefused, not_own) {
  const std::string path = context.fresh_file("far-sums");
  make_file(path, values(5, 10));
  for (const char* method : methods) {
    File file(path, MPI_MODE_RDWR, Info{{"concilio_method", method}});
    Try attempt{file};
    attempt.refused_at(end, 1, MPI_BYTE);
    attempt.refused_at(end - 7, 8, MPI_BYTE);
    attempt.nothing_at(end - 8, 8, MPI_BYTE);
    OK(MPI_File_set_view(file, end - 100, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
    attempt.refused_at(24, 2, MPI_INT);
    attempt.refused_at(end / 4, 1, MPI_INT);
    attempt.refused_at(end / 2, 1, MPI_INT);
    attempt.nothing_at(20, 2, MPI_INT);
  }
  barrier();
  EXPECT_BYTES(values(5, 10), contents(path));
}

SITUATION(Far, PointersBeyondSixtyThreeBitsAreRefused, not_own) {
  const std::string path = context.fresh_file("far-pointers");
  make_file(path, values(5, 10));
  {
    File file(path, MPI_MODE_RDWR);
    Try attempt{file};
    OK(MPI_File_seek(file, end - 3, MPI_SEEK_SET));
    FAILS(MPI_ERR_ARG, MPI_File_write(file, attempt.data(), 4, MPI_BYTE, MPI_STATUS_IGNORE));
    FAILS(MPI_ERR_ARG, MPI_File_write_all(file, attempt.data(), 4, MPI_BYTE, MPI_STATUS_IGNORE));
    FAILS(MPI_ERR_ARG, MPI_File_seek(file, 4, MPI_SEEK_CUR));
    MPI_Offset position = 0;
    OK(MPI_File_get_position(file, &position));
    EXPECT_EQUAL(end - 3, position);
    OK(MPI_File_seek_shared(file, end - 3, MPI_SEEK_SET));
    barrier();
    FAILS(MPI_ERR_ARG, MPI_File_write_shared(file, attempt.data(), 4, MPI_BYTE, MPI_STATUS_IGNORE));
    FAILS(MPI_ERR_ARG, MPI_File_write_ordered(file, attempt.data(), 4, MPI_BYTE, MPI_STATUS_IGNORE));
    if (context.ranks > 1) {
      // Each of these alone would be possible.
      FAILS(MPI_ERR_ARG, MPI_File_write_ordered(file, attempt.data(), 2, MPI_BYTE, MPI_STATUS_IGNORE));
    }
    barrier();
    OK(MPI_File_get_position_shared(file, &position));
    EXPECT_EQUAL(end - 3, position);
    barrier();
    FAILS(MPI_ERR_ARG, MPI_File_seek_shared(file, 4, MPI_SEEK_CUR));
    OK(MPI_File_set_view(file, 100, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
    FAILS(MPI_ERR_ARG, MPI_File_seek(file, end / 4, MPI_SEEK_SET));
    MPI_Offset byte = 0;
    FAILS(MPI_ERR_ARG, MPI_File_get_byte_offset(file, end / 4, &byte));
    OK(MPI_File_get_byte_offset(file, end / 4 - 50, &byte));
    EXPECT_EQUAL(end / 4 * 4 - 100, byte);
  }
  barrier();
  EXPECT_BYTES(values(5, 10), contents(path));
}

SITUATION(Far, OneRankBeyondSixtyThreeBits, not_own) {
  const std::string path = context.fresh_file("far-one");
  make_file(path, values(5, 10));
  for (const char* method : methods) {
    File file(path, MPI_MODE_RDWR, Info{{"concilio_method", method}});
    uint8_t bytes[8] = {};
    const MPI_Offset at = context.rank == context.ranks - 1 ? end - 2 : context.rank;
    FAILS(MPI_ERR_ARG, MPI_File_write_at_all(file, at, bytes, 8, MPI_BYTE, MPI_STATUS_IGNORE));
  }
  barrier();
  EXPECT_BYTES(values(5, 10), contents(path));
}

// Two tiles fit, but not even the beginning of the third.
SITUATION(Far, TilesOfExbibytes, not_own) {
  const std::string path = context.fresh_file("far-tiles");
  const MPI_Aint extent = MPI_Aint{1} << 62;
  for (const char* method : methods) {
    context.fresh_file("far-tiles");
    File file(path, MPI_MODE_CREATE | MPI_MODE_RDWR, Info{{"concilio_method", method}});
    const Type pieces = vector_of(2, 4, 8, MPI_BYTE);
    const Type tile = resized_of(pieces, 0, extent);
    OK(MPI_File_set_view(file, 16 * context.rank, MPI_BYTE, tile, "native", MPI_INFO_NULL));
    const std::vector<uint8_t> mine = values(context.rank, 8);
    std::vector<uint8_t> back(8, 0);
    MPI_Status status;
    OK(MPI_File_write_at_all(file, 0, mine.data(), 8, MPI_BYTE, MPI_STATUS_IGNORE));
    OK(MPI_File_read_at_all(file, 0, back.data(), 8, MPI_BYTE, &status));
    EXPECT_BYTES(mine, back);
    Try attempt{file};
    attempt.nothing_at(8, 8, MPI_BYTE);
    attempt.refused_at(16, 1, MPI_BYTE);
    attempt.refused_at(15, 2, MPI_BYTE);
    OK(MPI_File_read_at(file, 0, attempt.data(), 16, MPI_BYTE, &status));
    EXPECT_EQUAL(8, bytes_in(status));
    OK(MPI_File_read_at_all(file, 4, attempt.data(), 12, MPI_BYTE, &status));
    EXPECT_EQUAL(4, bytes_in(status));
  }
}

// The holes after the data of the last tile end beyond what 64 bits can hold, but the data do not.
SITUATION(Far, HolesOfTheLastTile, not_own) {
  const std::string path = context.fresh_file("far-holes");
  make_file(path, values(5, 10));
  for (const char* method : methods) {
    File file(path, MPI_MODE_RDWR, Info{{"concilio_method", method}});
    const Type tile = resized_of(contiguous_of(4, MPI_BYTE), 0, 1 << 20);
    OK(MPI_File_set_view(file, end - 2000, MPI_BYTE, tile, "native", MPI_INFO_NULL));
    Try attempt{file};
    attempt.nothing_at(0, 4, MPI_BYTE);
    attempt.refused_at(0, 5, MPI_BYTE);
    attempt.refused_at(4, 1, MPI_BYTE);
    const Type spread = vector_of(2, 4, 2000, MPI_BYTE);
    OK(MPI_File_set_view(file, end - 2000, MPI_BYTE, spread, "native", MPI_INFO_NULL));
    attempt.nothing_at(0, 4, MPI_BYTE);
    attempt.refused_at(0, 8, MPI_BYTE);
  }
  barrier();
  EXPECT_BYTES(values(5, 10), contents(path));
}

// Scattered pieces up to the last byte that a file can have, on storage where there are such files.
SITUATION(Far, PiecesUpToTheLastByte, not_own) {
  constexpr int pieces = 64, piece_bytes = 4, stride = 1000, bytes = pieces * piece_bytes;
  std::string path = context.folder + "-far-" + std::to_string(context.rank);
  std::ranges::replace(path, '/', '-');
  path = "/dev/shm/" + path;
  const int probe = open(path.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
  const bool has_room = pwrite(probe, "", 1, end - 1) == 1;
  ::close(probe);
  for (const char* method : {"list", "sieve", "mapped"}) {
    if (!has_room) break;
    File file(path, MPI_MODE_RDWR,
              Info{{"concilio_method", method},
                   {"ind_rd_buffer_size", "4096"},
                   {"ind_wr_buffer_size", "4096"},
                   {"romio_ds_write", "enable"}},
              MPI_COMM_SELF);
    const Type spread = vector_of(pieces, piece_bytes, stride, MPI_BYTE);
    const MPI_Offset first = end - (pieces - 1) * stride - piece_bytes;
    OK(MPI_File_set_view(file, first, MPI_BYTE, spread, "native", MPI_INFO_NULL));
    const std::vector<uint8_t> mine = values(context.rank + method[0], bytes);
    std::vector<uint8_t> back(bytes, 0);
    MPI_Status status;
    OK(MPI_File_write_at(file, 0, mine.data(), bytes, MPI_BYTE, MPI_STATUS_IGNORE));
    OK(MPI_File_read_at(file, 0, back.data(), bytes, MPI_BYTE, &status));
    EXPECT_EQUAL(bytes, bytes_in(status));
    EXPECT_BYTES(mine, back);
    MPI_Offset size = 0;
    OK(MPI_File_get_size(file, &size));
    EXPECT_EQUAL(end, size);
  }
  unlink(path.c_str());
}

// One rank at each end of the offsets that a file can have.
SITUATION(Far, FromTheFirstByteToTheLast, not_own) {
  const std::string path = context.fresh_file("far-ends");
  make_file(path, values(5, 10));
  for (const char* method : {"auto", "independent", "list", "sieve"}) {
    File file(path, MPI_MODE_RDWR, Info{{"concilio_method", method}});
    std::vector<uint8_t> back(8, 0);
    MPI_Status status;
    const bool first = context.rank == 0;
    OK(MPI_File_read_at_all(file, first ? 1 : end - 8 * context.rank, back.data(), 8, MPI_BYTE, &status));
    EXPECT_EQUAL(first ? 8 : 0, bytes_in(status));
    if (first) EXPECT_EQUAL(value(5, 8), back[7]);
  }
}
