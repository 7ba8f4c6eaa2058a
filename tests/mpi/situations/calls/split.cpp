// Split collective calls: one call begins them, another ends them.
#include "situations/situation.h"

using namespace situations;

namespace {

void set_strided_view(MPI_File file) {
  const Type tile = resized_of(contiguous_of(8, MPI_BYTE), 0, 8 * context.ranks);
  OK(MPI_File_set_view(file, context.rank * 8, MPI_BYTE, tile, "native", MPI_INFO_NULL));
}

}  // namespace

SITUATION(Split, EveryKindOfCall, everywhere) {
  const std::string path = context.fresh_file("split-kinds");
  constexpr int part = 800;
  const auto mine = values(context.rank, 2 * part);
  File file(path);
  set_strided_view(file);
  MPI_Status status;
  OK(MPI_File_write_all_begin(file, mine.data(), part, MPI_BYTE));
  barrier();  // other communication is allowed between the two
  OK(MPI_File_write_all_end(file, mine.data(), &status));
  EXPECT_EQUAL(part, bytes_in(status));
  OK(MPI_File_write_at_all_begin(file, part, mine.data() + part, part, MPI_BYTE));
  OK(MPI_File_write_at_all_end(file, mine.data() + part, &status));
  EXPECT_EQUAL(part, bytes_in(status));
  MPI_Offset position = -1;
  OK(MPI_File_get_position(file, &position));
  EXPECT_EQUAL(part, position);
  std::vector<uint8_t> back(2 * part, 0);
  OK(MPI_File_read_at_all_begin(file, 0, back.data(), part, MPI_BYTE));
  OK(MPI_File_read_at_all_end(file, back.data(), &status));
  EXPECT_EQUAL(part, bytes_in(status));
  OK(MPI_File_read_all_begin(file, back.data() + part, part, MPI_BYTE));
  OK(MPI_File_read_all_end(file, back.data() + part, MPI_STATUS_IGNORE));
  EXPECT_BYTES(mine, back);
}

SITUATION(Split, OneAtATimeAndInPairs, not_own) {
  const std::string path = context.fresh_file("split-pairs");
  const auto mine = values(context.rank, 100);
  std::vector<uint8_t> back(100);
  File file(path);
  FAILS(MPI_ERR_IO, MPI_File_write_all_end(file, mine.data(), MPI_STATUS_IGNORE));
  OK(MPI_File_write_at_all_begin(file, context.rank * 100, mine.data(), 100, MPI_BYTE));
  FAILS(MPI_ERR_IO, MPI_File_read_all_begin(file, back.data(), 100, MPI_BYTE));
  MPI_Offset position = -1;  // which a call that does not begin leaves alone
  OK(MPI_File_get_position(file, &position));
  EXPECT_EQUAL(MPI_Offset{0}, position);
  FAILS(MPI_ERR_IO, MPI_File_write_all_end(file, mine.data(), MPI_STATUS_IGNORE));
  OK(MPI_File_write_at_all_end(file, mine.data(), MPI_STATUS_IGNORE));
  OK(MPI_File_read_at_all_begin(file, context.rank * 100, back.data(), 100, MPI_BYTE));
  OK(MPI_File_read_at_all_end(file, back.data(), MPI_STATUS_IGNORE));
  EXPECT_BYTES(mine, back);
}

SITUATION(Split, ErrorAtEndOnAllRanks, not_own) {
  const std::string path = context.fresh_file("split-error");
  uint8_t byte = 1;
  File file(path);
  OK(MPI_File_write_at_all_begin(file, context.rank, &byte, context.rank == 0 ? -1 : 1, MPI_BYTE));
  FAILS(MPI_ERR_COUNT, MPI_File_write_at_all_end(file, &byte, MPI_STATUS_IGNORE));
  OK(MPI_File_write_at_all_begin(file, context.rank, &byte, 1, MPI_BYTE));
  OK(MPI_File_write_at_all_end(file, &byte, MPI_STATUS_IGNORE));
}
