// What storage, memory and network cost: measured by `concilio probe`, or built in for a kind of storage.
// Plain data of a fixed size, so that it can be sent as bytes.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>

#include "plan/facts/facts.h"

namespace concilio::plan {

// A piecewise linear function through points with growing x. Before the first point it has the first point's
// y; behind the last point it continues its last piece.
struct Curve {
  static constexpr int most_points = 12;
  struct Point {
    double x, y;
  };
  int64_t points = 0;
  Point point[most_points] = {};

  constexpr Curve() = default;
  // Takes at most most_points points.
  constexpr Curve(std::initializer_list<Point> list) {
    for (const Point& next : list) add(next);
  }
  // The function latency + x / per_second.
  static constexpr Curve line(double latency_seconds, double per_second) {
    constexpr double far = 1 << 30;  // so that no digits are lost
    return {{0, latency_seconds}, {far, latency_seconds + far / per_second}};
  }
  // The function min(x, most).
  static constexpr Curve up_to(double most) {
    if (most <= 1) return {{1, 1}};
    return {{1, 1}, {most, most}, {most + 1, most}};
  }

  constexpr void add(Point next) {  // ignored if there is no room
    if (points < most_points) point[points++] = next;
  }
  double at(double x) const;
  // Whether there are 1 to most_points points, x is not negative and grows, and y is finite, not negative,
  // and positive at the last point.
  bool valid() const;
};

// Many requests of one client under way at once.
struct AtOnce {
  double served = 1;          // so many of them storage works on at the same time
  double submit_seconds = 0;  // the additional cost of each
};

// The prices of requests in one direction, reads or writes.
struct RequestPrices {
  Curve adjoining;  // bytes of a request that begins where the client's last one ended -> seconds
  Curve scattered;  // the same for one of many requests that lie apart
  Curve window;     // bytes of an adjoining request whose buffer is in cache -> seconds
  // Clients at once -> multiple of one client's throughput, for requests of small_request_bytes.
  Curve clients_small;
  Curve clients_large;  // the same for requests of large_request_bytes
  AtOnce at_once;
};
inline constexpr double small_request_bytes = 4 << 10;
inline constexpr double large_request_bytes = 1 << 20;

struct Prices {
  RequestPrices read, write;
  double window_bytes_per_second;  // for a window that is in cache, read from storage or written to it
  double window_piece_seconds;     // one request of an aggregator that writes a window piece by piece
  bool from_memory;                // storage answers from memory, so that a client keeps one core busy
  bool of_target;  // where a file is striped: requests are those to one target, not to storage as a whole
  // Then also: so many requests a target works on at the same time, and the rate between a node and storage,
  // of each direction; 0: there is no limit.
  double requests_of_target = 4;
  double node_bytes_per_second = 0;
  double lock_seconds;              // lock and unlock of a range
  Curve copy;                       // bytes of a piece -> seconds that one core takes to gather or scatter it
  double map_seconds;               // to map and unmap a stretch of a file, besides its pages
  double map_read_page_seconds;     // to make a page of it present for reading
  double map_write_page_seconds;    // the same for writing
  double synchronise_seconds;       // per rank and round, on a node that has a core for every rank
  double oversubscribed_seconds;    // the same if ranks wait for cores: time of one core
  Curve message;                    // bytes of a message between nodes -> seconds
  double network_bytes_per_second;  // of one node's link to the others
  double datatype_piece_seconds;    // per piece of a derived datatype that MPI goes through

  const RequestPrices& of(Operation operation) const { return operation == Operation::read ? read : write; }
};

// The built-in prices, for storage that nobody has measured.
const Prices& builtin_prices(const StorageFacts& storage);
// The measured prices of the facts, else the built-in ones.
const Prices& prices_of(const Facts& facts);

// The throughput of this many clients with requests of this size, as a multiple of one client's.
double speedup(const RequestPrices& prices, double clients, double request_bytes);

}  // namespace concilio::plan
