// Measures moving bytes within memory: fused copies between a user's buffer and a window with holes, by the
// size of pieces; and MPI's own traversal of a derived datatype.
#include <algorithm>

#include "pattern/copy.h"
#include "probe/measure/sampler.h"
#include "probe/measure/session.h"

namespace concilio::probe {

namespace {

constexpr int64_t piece_sizes[] = {8, 16, 32, 64, 256, 1024, 4096, 16384, 65536, 262144, 1 << 20};
constexpr int64_t least_window_bytes = 512 << 10;

// Copies alternately into every second piece of a window, as a write does, and out of it, as a read does. The
// user's data are in no cache.
Status measure_copies(Session& session, double seconds) {
  std::byte* user = session.buffer.data();
  const auto user_bytes = static_cast<int64_t>(session.buffer.size());
  const pattern::Access adjoining = pattern::Access::contiguous(0);
  // All sizes together walk through the whole buffer in ascending order. So a part of it is used again only
  // after all others, and has left the caches by then.
  int64_t at = 0, turn = 0;
  for (const int64_t piece : piece_sizes) {
    const auto type = type_resized(pattern::type_bytes(piece), 0, 2 * piece);
    if (!type) return type.error();
    const pattern::Access apart = pattern::Access::of(*type, 0);
    std::vector<std::byte> window(static_cast<size_t>(std::max(least_window_bytes, 2 * piece)));
    const auto data_bytes = static_cast<int64_t>(window.size()) / 2;
    const auto one = seconds_of_one(seconds / std::size(piece_sizes), [&](int64_t count) -> Status {
      for (int64_t i = 0; i < count; ++i, ++turn, at += data_bytes) {
        if (at + data_bytes > user_bytes) at = 0;
        const pattern::Side in_user{&adjoining, 0, user + at}, in_window{&apart, 0, window.data()};
        if (turn % 2 == 0)
          copy(in_user, in_window, data_bytes);
        else
          copy(in_window, in_user, data_bytes);
      }
      return {};
    });
    if (!one) return one.error();
    const int64_t pieces = data_bytes / piece;
    session.found[Quantity::copy].push_back({static_cast<double>(piece), *one / static_cast<double>(pieces)});
  }
  return {};
}

Status measure_datatype(Session& session, double seconds) {
  constexpr int pieces = 4096, piece_bytes = 8;
  std::vector<MPI_Aint> places(pieces);
  // The distances are irregular, because MPI would find and use a regular distance.
  for (int i = 0; i < pieces; ++i) places[static_cast<size_t>(i)] = i * 24 + i % 3 * 8;
  MPI_Datatype type;
  PMPI_Type_create_hindexed_block(pieces, piece_bytes, places.data(), MPI_BYTE, &type);
  PMPI_Type_commit(&type);
  std::vector<std::byte> packed(size_t{pieces} * piece_bytes);
  const auto one = seconds_of_one(seconds, [&](int64_t count) -> Status {
    for (int64_t i = 0; i < count; ++i) {
      int position = 0;
      PMPI_Pack(session.buffer.data(), 1, type, packed.data(), static_cast<int>(packed.size()), &position,
                session.team.comm());
    }
    return {};
  });
  PMPI_Type_free(&type);
  if (!one) return one.error();
  session.found[Quantity::datatype] = {{piece_bytes, *one / pieces}};
  return {};
}

}  // namespace

Status measure_memory(Session& session) {
  if (Status status = measure_copies(session, 0.9 * session.seconds); !status) return status;
  return measure_datatype(session, 0.1 * session.seconds);
}

}  // namespace concilio::probe
