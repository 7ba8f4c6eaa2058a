// Long stretches of ranks that write to one file at the same time pass through a buffer, where that is
// faster.
#include <concilio/file.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "situations/situation.h"

using namespace situations;

namespace {

constexpr int64_t stretch = (16 << 20) + 5;
constexpr int calls = 4;

// Whether the last call's data passed through a buffer, by its reason; false without Concilio.
bool copied_first(MPI_File file) {
  if (!concilio_file_last_call) return false;
  const char* method = nullptr;
  std::array<char, 512> reason{};
  return concilio_file_last_call(file, &method, reason.data(), reason.size()) == CONCILIO_SUCCESS &&
         std::strstr(reason.data(), "copied to its cache") != nullptr;
}

}  // namespace

// The later calls repeat the first, and are made without meeting.
SITUATION(LongWrites, OfAllRanksToOneFile, everywhere) {
  const std::string path = context.fresh_file("long");
  const std::vector<uint8_t> mine = values(context.rank, stretch + calls);
  {
    File file(path, MPI_MODE_CREATE | MPI_MODE_WRONLY);
    for (int call = 0; call < calls; ++call) {
      const int64_t before = counter(file, "storage_writes");
      const MPI_Offset place = context.rank * stretch;
      EXPECT_EQUAL(MPI_SUCCESS,
                   MPI_File_write_at_all(file, place, mine.data() + call, static_cast<int>(stretch), MPI_BYTE,
                                         MPI_STATUS_IGNORE));
      constexpr int64_t buffer = 512 << 10, parts = (stretch + buffer - 1) / buffer;
      if (copied_first(file)) EXPECT_EQUAL(parts, counter(file, "storage_writes") - before);
    }
  }
  barrier();
  if (context.rank != 0) return;
  const std::vector<uint8_t> found = contents(path);
  EXPECT_EQUAL(stretch * context.ranks, static_cast<int64_t>(found.size()));
  for (int rank = 0; rank < context.ranks; ++rank) {
    const std::vector<uint8_t> all = values(rank, stretch + calls);
    EXPECT(std::equal(all.begin() + calls - 1, all.begin() + calls - 1 + stretch,
                      found.begin() + rank * stretch));
  }
}
