// Requests that look alike, made again and again: what they took decides how the next are made.
#include <cstdlib>
#include <string>

#include "situations/situation.h"

using namespace situations;

// By its price a list of requests is fastest here. On storage that takes long for each request, sieving is.
SITUATION(Learning, OfARankAlone, not_own) {
  constexpr int pieces = 400, piece = 64, stride = 64 << 10, rounds = 12;
  const std::string path = context.fresh_file("learning");
  File file(path);
  OK(MPI_File_set_size(file, MPI_Offset{pieces} * stride));
  const std::vector<uint8_t> mine = values(context.rank, pieces * piece);
  const Type type = vector_of(pieces, piece, stride, MPI_BYTE);
  OK(MPI_File_set_view(file, MPI_Offset{context.rank} * piece, MPI_BYTE, type, "native", MPI_INFO_NULL));
  OK(MPI_File_write_all(file, mine.data(), pieces * piece, MPI_BYTE, MPI_STATUS_IGNORE));
  int64_t requests = 0;
  for (int round = 0; round < rounds; ++round) {
    std::vector<uint8_t> back(mine.size());
    const int64_t before = counter(file, "storage_reads");
    OK(MPI_File_read_at(file, 0, back.data(), pieces * piece, MPI_BYTE, MPI_STATUS_IGNORE));
    requests = counter(file, "storage_reads") - before;
    if (round == 0) EXPECT_EQUAL(int64_t{pieces}, requests);
    EXPECT_BYTES(mine, back);
  }
  const char* throttle = std::getenv("CONCILIO_THROTTLE");
  if (throttle && std::string(throttle).find("request=") != std::string::npos) EXPECT(requests < pieces / 4);
}

// A tile of few pieces a call, the next tile in the next: the pattern repeats itself.
SITUATION(Learning, OneTileACallRepeats, not_own) {
  constexpr int pieces = 8, piece = 8, tile = pieces * piece, rounds = 20;
  const std::string path = context.fresh_file("tile-by-tile");
  const std::vector<uint8_t> mine = values(context.rank, rounds * tile);
  // Behind each tile is a hole, so that tiles do not join to one long vector.
  const int row = context.ranks * piece, extent = (pieces + 1) * row;
  {
    File file(path, MPI_MODE_CREATE | MPI_MODE_RDWR, Info{{"concilio_method", "two_phase"}});
    const Type type = resized_of(vector_of(pieces, piece, row, MPI_BYTE), 0, extent);
    OK(MPI_File_set_view(file, context.rank * piece, MPI_BYTE, type, "native", MPI_INFO_NULL));
    for (int round = 0; round < rounds; ++round)
      OK(MPI_File_write_all(file, mine.data() + round * tile, tile, MPI_BYTE, MPI_STATUS_IGNORE));
    EXPECT(counter(file, "plans_made") <= 2);
    std::vector<uint8_t> back(mine.size());
    OK(MPI_File_read_at_all(file, 0, back.data(), rounds * tile, MPI_BYTE, MPI_STATUS_IGNORE));
    EXPECT_BYTES(mine, back);
  }
  barrier();
  const std::vector<uint8_t> found = contents(path);
  EXPECT_EQUAL(rounds * extent - row, std::ssize(found));
  for (int i = 0; i < rounds * tile; ++i) {
    const auto place =
        static_cast<size_t>(i / tile * extent + i % tile / piece * row + context.rank * piece + i % piece);
    if (place >= found.size() || found[place] != mine[static_cast<size_t>(i)]) {
      EXPECT_EQUAL(i, -1);
      break;
    }
  }
}
