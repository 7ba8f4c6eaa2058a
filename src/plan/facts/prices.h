// What storage, memory and network cost: measured by `concilio probe`, or built in for a kind of storage.
// Plain data of a fixed size, so that it travels as bytes.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>

#include "plan/facts/facts.h"

namespace concilio {

// A function that is piecewise linear between points of growing x. Before the first point it is the first's
// y; behind the last its last piece goes on.
struct Curve {
  static constexpr int most_points = 12;
  struct Point {
    double x, y;
  };
  int64_t points = 0;
  Point point[most_points] = {};

  Curve() = default;
  // At most most_points of them.
  Curve(std::initializer_list<Point> list);
  // latency + x / per_second.
  static Curve line(double latency_seconds, double per_second);
  // x up to `most`, and no more beyond.
  static Curve up_to(double most);

  void add(Point next);  // passed over if full
  double at(double x) const;
  // 1 to most_points points, x not negative and growing, y finite, not negative, and positive at the last.
  bool valid() const;
};

// Many requests of one client under way at once.
struct AtOnce {
  double served = 1;          // of which storage works on so many at the same time
  double submit_seconds = 0;  // what each costs besides
};

// Requests of one direction.
struct RequestPrices {
  Curve adjoining;      // bytes of a request that begins where the client's last one ended -> seconds
  Curve scattered;      // the same of one of many in places apart
  Curve window;         // bytes of one that adjoins, from or to a buffer that is in cache -> seconds
  Curve clients_small;  // clients at once -> times the throughput of one, in requests of small_request_bytes
  Curve clients_large;  // the same of large_request_bytes
  AtOnce at_once;
};
inline constexpr double small_request_bytes = 4 << 10;
inline constexpr double large_request_bytes = 1 << 20;

struct Prices {
  RequestPrices read, write;
  double window_bytes_per_second;   // of a window that is in cache, read from storage or written to it
  double window_piece_seconds;      // a request of an aggregator that writes a window piece by piece
  bool from_memory;                 // storage answers from memory: a client keeps one core busy
  double lock_seconds;              // lock and unlock of a range
  Curve copy;                       // bytes of a piece -> seconds that one core takes to gather or scatter it
  double map_seconds;               // a stretch of a file mapped and unmapped, besides its pages
  double map_read_page_seconds;     // a page of it made present, to be read
  double map_write_page_seconds;    // to be written
  double synchronise_seconds;       // per rank and round, on a node that has a core for every rank
  double oversubscribed_seconds;    // the same where ranks wait for cores: time of one core
  Curve message;                    // bytes of a message between nodes -> seconds
  double network_bytes_per_second;  // between nodes, one node's link
  double datatype_piece_seconds;    // per piece that MPI goes through in a derived datatype

  const RequestPrices& of(Operation operation) const { return operation == Operation::read ? read : write; }
};

// Built in: for storage that nobody has measured.
const Prices& builtin_prices(const StorageFacts& storage);
// Those of the facts' profile, else the built-in ones.
const Prices& prices_of(const Facts& facts);

// The throughput of so many clients with requests of so many bytes, as a multiple of one's.
double speedup(const RequestPrices& prices, double clients, double request_bytes);

}  // namespace concilio
