// What `concilio probe` has measured: raw series of samples, one for each quantity. To measure another
// quantity, add a name to Quantity, a row in measurements.cpp, and a few lines of code that measure it.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace concilio::probe {

// For all quantities one client has one request under way, and files are overwritten, unless the comment says
// otherwise.
enum class Quantity : int {
  read_adjoining,  // each request begins where the last one ended
  write_adjoining,
  read_scattered,  // many requests in ascending places apart, handed over together and made in turn
  write_scattered,
  write_growing,  // adjoining, behind the end of a new file
  write_synced,   // adjoining, each followed by a sync
  read_direct,    // past the system's page cache
  write_direct,
  read_direct_scattered,  // in random places
  write_direct_scattered,
  read_direct_at_once,  // small ones in random places, by how many are under way
  write_direct_at_once,
  read_list,  // small requests in places apart, by how many are handed over together and made in turn
  write_list,
  read_at_once,  // the same requests, under way at the same time
  write_at_once,
  read_clients_small,  // all active ranks together, over all nodes
  write_clients_small,
  read_clients_large,
  write_clients_large,
  read_node_clients,  // large requests by the ranks of one node
  write_node_clients,
  read_group,  // the aggregators of all nodes together
  write_group,
  read_window,  // into a buffer that stays in cache
  write_window,
  write_window_piece,  // small pieces of a window
  rewriting,           // a byte read or written in a place that was just used
  open,
  lock,
  copy,  // fused copies: scattered pieces of memory to adjoining ones
  datatype,
  synchronise,
  map,
  map_read_page,
  map_write_page,
  map_populate_read_page,
  map_populate_write_page,
  message,
  message_stream,
  node_copy,
  count_,
};
inline constexpr size_t quantity_count = static_cast<size_t>(Quantity::count_);

struct QuantityRow {
  const char* name;
  const char* x;  // what the samples depend on: "bytes", "ranks", ...
  const char* y;  // "seconds", "bytes_per_second" or "requests_per_second"
};
const QuantityRow& quantity_row(Quantity quantity);
std::array<Quantity, quantity_count> all_quantities();

struct Sample {
  double x, y;
};
using Series = std::vector<Sample>;  // in the order of growing x; empty: not measured

struct Measurements {
  int64_t ranks = 1, nodes = 1, cores_per_node = 1;
  int64_t file_bytes = 0;
  bool throttled = false;
  std::array<Series, quantity_count> series;

  Series& operator[](Quantity quantity) { return series[static_cast<size_t>(quantity)]; }
  const Series& operator[](Quantity quantity) const { return series[static_cast<size_t>(quantity)]; }
};

// The sizes of requests that are measured.
inline constexpr int64_t request_sizes[] = {64, 512, 4096, 16384, 65536, 262144, 1 << 20, 4 << 20};

// The sample exactly at x; 0 if there is none.
double value_at(const Series& series, double x);

}  // namespace concilio::probe
