// Measures what an aggregator does: it reads and writes windows, whose buffer is in cache because it has just
// been used.
#include <cstring>

#include "probe/measure/places.h"
#include "probe/measure/sampler.h"
#include "probe/measure/session.h"

namespace concilio::probe {

namespace {

constexpr int64_t window_sizes[] = {64 << 10, 256 << 10, 512 << 10, 1 << 20, 2 << 20, 4 << 20};
constexpr int64_t rewritten_bytes = 512 << 10;  // the sieve buffer of a write
constexpr int64_t piece_bytes = 4096, piece_window_bytes = 1 << 20;

// Only the requests are timed, and not the filling of the buffer.
Result<double> seconds_of_window(Session& session, Operation operation, int64_t bytes, double seconds) {
  std::vector<std::byte> window(static_cast<size_t>(bytes), std::byte{1});
  Places places(Places::Order::adjoining, bytes, 0, session.file_bytes, window);
  Batch batch = requests_at(places.slots(), operation, session);
  int value = 0;
  const auto fill = [&, forget = batch.before]() -> Status {
    if (Status status = forget ? forget() : Status(); !status) return status;
    std::memset(window.data(), ++value, window.size());
    return {};
  };
  batch.before = fill;
  const auto work = [&](int64_t count) -> Status {
    for (int64_t i = 0; i < count; ++i) {
      if (operation == Operation::write) {
        if (Status status = session.file->write(places.next()); !status) return status;
      } else if (auto got = session.file->read(places.next()); !got) {
        return got.error();
      }
    }
    return {};
  };
  return seconds_of_one(seconds, work, batch);
}

// The time, per byte, to read and write a window in a place that another client has just read and written.
Result<double> seconds_of_rewriting(Session& session, double seconds) {
  constexpr int64_t times = 8;
  const int64_t bytes = std::min(rewritten_bytes, session.file_bytes);
  std::vector<std::byte> window(static_cast<size_t>(bytes), std::byte{1});
  Places places(Places::Order::adjoining, bytes, 0, session.file_bytes, window);
  store::Transfer transfer{};
  const auto once = [&](int64_t count) -> Status {
    for (int64_t i = 0; i < count; ++i) {
      if (auto got = session.file->read(transfer); !got) return got.error();
      if (Status status = session.file->write(transfer); !status) return status;
    }
    return {};
  };
  const auto next_place = [&]() -> Status {
    transfer = places.next();
    return once(1);
  };
  const auto one = seconds_of_one(seconds, once, {.most = times, .before = next_place});
  if (!one) return one.error();
  return *one / (2 * static_cast<double>(bytes));
}

// The time to write a piece of a window. Every second piece is written, each by one request.
Result<double> seconds_of_piece(Session& session, double seconds) {
  std::vector<std::byte> window(static_cast<size_t>(piece_window_bytes), std::byte{1});
  int64_t begin = 0;
  const auto work = [&](int64_t count) -> Status {
    std::vector<store::Transfer> pieces;
    for (int64_t i = 0; i < count; ++i) {
      pieces.clear();
      for (int64_t at = 0; at < piece_window_bytes; at += 2 * piece_bytes)
        pieces.push_back({begin + at, window.data() + at, piece_bytes});
      if (Status status = session.file->write(pieces); !status) return status;
      begin += piece_window_bytes;
      if (begin + piece_window_bytes > session.file_bytes) begin = 0;
    }
    return {};
  };
  auto one = seconds_of_one(seconds, work);
  constexpr int64_t pieces = piece_window_bytes / (2 * piece_bytes);
  if (one) *one /= static_cast<double>(pieces);
  return one;
}

}  // namespace

Status measure_windows(Session& session) {
  const double seconds = session.seconds / (2 * std::size(window_sizes) + 2);
  for (const int64_t bytes : window_sizes) {
    if (bytes > session.file_bytes) break;
    for (const Operation operation : {Operation::read, Operation::write}) {
      const auto one = seconds_of_window(session, operation, bytes, seconds);
      if (!one) return one.error();
      session.found[operation == Operation::read ? Quantity::read_window : Quantity::write_window].push_back(
          {static_cast<double>(bytes), *one});
    }
  }
  const auto again = seconds_of_rewriting(session, seconds);
  if (!again) return again.error();
  session.found[Quantity::rewriting] = {{1, *again}};
  const auto piece = seconds_of_piece(session, seconds);
  if (!piece) return piece.error();
  session.found[Quantity::write_window_piece] = {{piece_bytes, *piece}};
  return {};
}

}  // namespace concilio::probe
