// The ways in which windows with holes are written to the file.
#include <concilio/file.h>

#include <map>

#include "situations/situation.h"

using namespace situations;

namespace {

constexpr int piece = 100, extent = 1000, pieces = 64;

// All ranks together write a tenth of each kilobyte into a file with other contents, in windows of 16 KiB.
// Returns the number of windows that were written in each way, summed over the ranks.
std::map<std::string, int64_t> windows_of(const char* name, const Info& info) {
  const std::string path = context.fresh_file(name);
  const std::vector<uint8_t> before = values(99, extent * pieces);
  make_file(path, before);
  const std::vector<uint8_t> mine = values(context.rank, piece * pieces);
  std::map<std::string, int64_t> windows;
  {
    File file(path, MPI_MODE_RDWR, info);
    const Type tile = resized_of(contiguous_of(piece, MPI_BYTE), 0, extent * context.ranks);
    OK(MPI_File_set_view(file, extent * context.rank, MPI_BYTE, tile, "native", MPI_INFO_NULL));
    const int count = (pieces - context.rank + context.ranks - 1) / context.ranks;
    OK(MPI_File_write_at_all(file, 0, mine.data(), count * piece, MPI_BYTE, MPI_STATUS_IGNORE));
    for (const char* way : {"windows_rmw", "windows_list", "windows_batch"}) {
      int64_t value = 0;
      EXPECT_EQUAL(CONCILIO_SUCCESS, concilio_file_counter(file, way, &value));
      MPI_Allreduce(&value, &windows[way], 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    }
  }
  barrier();
  std::vector<uint8_t> expected = before;
  for (int i = 0; i < pieces; ++i) {
    for (int k = 0; k < piece; ++k) {
      expected[static_cast<size_t>(i * extent + k)] = value(i % context.ranks, i / context.ranks * piece + k);
    }
  }
  EXPECT_BYTES(expected, contents(path));
  return windows;
}

// `in_pieces` is list or batch, whichever is cheaper here.
constexpr const char* in_pieces = "in pieces";

void expect_way(const char* wanted, const char* flush, const char* threshold) {
  const Info info{{"concilio_method", "two_phase"},
                  {"cb_buffer_size", "16384"},
                  {"concilio_flush", flush},
                  {"romio_cb_ds_threshold", threshold}};
  std::map<std::string, int64_t> windows = windows_of("flush", info);
  if (wanted == in_pieces) {
    windows[in_pieces] = windows["windows_list"] + windows["windows_batch"];
    windows.erase("windows_list");
    windows.erase("windows_batch");
  }
  for (const auto& [way, count] : windows) {
    if ((count > 0) != (way == wanted)) {
      note_failure(
          __FILE__, __LINE__,
          std::string("flush ") + flush + ", threshold " + threshold + ": " + as_text(count) + " " + way);
    }
  }
}

}  // namespace

SITUATION(Flush, AsAskedFor, not_own) {
  for (const char* threshold : {"0", "1", "100", "1M"}) {
    expect_way("windows_rmw", "rmw", threshold);
    expect_way("windows_list", "list", threshold);
    expect_way("windows_batch", "batch", threshold);
  }
}

SITUATION(Flush, ByThePercentageThatIsFilled, not_own) {
  expect_way("windows_rmw", "auto", "9");
  expect_way(in_pieces, "auto", "50");
}

SITUATION(Flush, ByTheExtent, not_own) {
  expect_way("windows_rmw", "auto", "16K");
  expect_way("windows_rmw", "auto", "1000");
  expect_way(in_pieces, "auto", "999");
}
