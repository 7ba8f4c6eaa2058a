// Atomic mode: if accesses of several ranks overlap, the result is that of making them one after another.
#include <algorithm>

#include "situations/situation.h"

using namespace situations;

namespace {

constexpr int pieces = 200, piece = 3, extent = 7;

// Scattered bytes, the same on every rank.
void set_same_view(MPI_File file) {
  const Type tile = resized_of(contiguous_of(piece, MPI_BYTE), 0, extent);
  OK(MPI_File_set_view(file, 5, MPI_BYTE, tile, "native", MPI_INFO_NULL));
}

bool is_uniform(const std::vector<uint8_t>& bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [&](uint8_t byte) { return byte == bytes[0]; });
}

// The bytes of the view, read by POSIX calls.
std::vector<uint8_t> through_view(const std::string& path) {
  const auto all = contents(path);
  std::vector<uint8_t> found;
  for (int i = 0; i < pieces; ++i) {
    for (int j = 0; j < piece; ++j) {
      const auto at = static_cast<size_t>(5 + i * extent + j);
      found.push_back(at < all.size() ? all[at] : 0);
    }
  }
  return found;
}

void overlap(const std::string& path, const Info& info, int rounds) {
  File file(path, MPI_MODE_CREATE | MPI_MODE_RDWR, info);
  set_same_view(file);
  OK(MPI_File_set_atomicity(file, 1));
  int flag = 0;
  OK(MPI_File_get_atomicity(file, &flag));
  EXPECT_EQUAL(1, flag);
  constexpr int bytes = pieces * piece;
  for (int round = 0; round < rounds; ++round) {
    const std::vector<uint8_t> mine(bytes, static_cast<uint8_t>(1 + round * context.ranks + context.rank));
    // All ranks write the same bytes at the same time.
    if (round % 2) {
      OK(MPI_File_write_at_all(file, 0, mine.data(), bytes, MPI_BYTE, MPI_STATUS_IGNORE));
    } else {
      OK(MPI_File_write_at(file, 0, mine.data(), bytes, MPI_BYTE, MPI_STATUS_IGNORE));
    }
    barrier();
    const auto found = through_view(path);
    EXPECT(is_uniform(found));
    EXPECT(found[0] > round * context.ranks && found[0] <= (round + 1) * context.ranks);
    barrier();
    // Half of the ranks write while the others read.
    std::vector<uint8_t> seen(bytes);
    for (int i = 0; i < 4; ++i) {
      if (context.rank % 2) {
        OK(MPI_File_write_at(file, 0, mine.data(), bytes, MPI_BYTE, MPI_STATUS_IGNORE));
      } else {
        OK(MPI_File_read_at(file, 0, seen.data(), bytes, MPI_BYTE, MPI_STATUS_IGNORE));
        EXPECT(is_uniform(seen));
      }
    }
    barrier();
  }
}

}  // namespace

SITUATION(Atomic, AllWriteTheSameBytes, not_own) {
  overlap(context.fresh_file("atomic-auto"), Info{}, 10);
}

SITUATION(Atomic, WithEveryMethod, not_own) {
  for (const char* method : {"list", "sieve", "two_phase", "independent"}) {
    overlap(context.fresh_file("atomic-method"), Info{{"concilio_method", method}}, 4);
  }
}

SITUATION(Atomic, AcrossNodes, not_own) {
  overlap(context.fresh_file("atomic-nodes"), Info{{"concilio_ranks_per_node", "1"}}, 6);
}

// Collective and independent accesses of the same bytes at the same time. The collective ones proceed by
// themselves.
SITUATION(Atomic, CollectiveMeetsIndependent, not_own) {
  const std::string path = context.fresh_file("atomic-mixed");
  File file(path);
  set_same_view(file);
  OK(MPI_File_set_atomicity(file, 1));
  constexpr int bytes = pieces * piece;
  for (int round = 0; round < 8; ++round) {
    const std::vector<uint8_t> together(bytes, static_cast<uint8_t>(10 + context.rank));
    const std::vector<uint8_t> alone(bytes, static_cast<uint8_t>(100 + context.rank));
    MPI_Request request;
    OK(MPI_File_iwrite_at_all(file, 0, together.data(), bytes, MPI_BYTE, &request));
    OK(MPI_File_write_at(file, 0, alone.data(), bytes, MPI_BYTE, MPI_STATUS_IGNORE));
    std::vector<uint8_t> seen(bytes);
    OK(MPI_File_read_at(file, 0, seen.data(), bytes, MPI_BYTE, MPI_STATUS_IGNORE));
    EXPECT(is_uniform(seen));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    barrier();
    EXPECT(is_uniform(through_view(path)));
    barrier();
  }
}

// In atomic mode the other ranks see what one rank has written without a sync.
SITUATION(Atomic, WrittenIsSeenAtOnce, everywhere) {
  const std::string path = context.fresh_file("atomic-seen");
  File file(path);
  OK(MPI_File_set_atomicity(file, 1));
  for (int round = 0; round < 5; ++round) {
    const auto mine = values(context.rank + round * 10, 64);
    OK(MPI_File_write_at(file, context.rank * 64, mine.data(), 64, MPI_BYTE, MPI_STATUS_IGNORE));
    barrier();
    const int other = (context.rank + 1) % context.ranks;
    std::vector<uint8_t> back(64);
    OK(MPI_File_read_at(file, other * 64, back.data(), 64, MPI_BYTE, MPI_STATUS_IGNORE));
    EXPECT_BYTES(values(other + round * 10, 64), back);
    barrier();
  }
}
