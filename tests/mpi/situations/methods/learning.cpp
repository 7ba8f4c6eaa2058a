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
