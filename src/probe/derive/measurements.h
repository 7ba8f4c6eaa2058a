// What `concilio probe` has measured, raw: series of samples, one for each quantity. To measure one more: a
// name in Quantity, a row in measurements.cpp, and a few lines where it is measured.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace concilio::probe {

// In all of them one client has one request under way, and files are overwritten, unless the name says
// otherwise.
enum class Quantity : int {
  read_adjoining,  // each request begins where the last ended
  write_adjoining,
  read_scattered,  // many requests in ascending places apart, handed over together, made in turn
  write_scattered,
  write_growing,  // adjoining, behind the end of a new file
  write_synced,   // adjoining, each followed by a sync
  read_direct,    // past the system's page cache
  write_direct,
  read_direct_scattered,  // at random
  write_direct_scattered,
  read_direct_at_once,  // small ones at random by how many are under way
  write_direct_at_once,
  read_list,  // small requests in places apart by how many are handed over together: in turn
  write_list,
  read_at_once,  // the same, under way side by side
  write_at_once,
  read_clients_small,  // all ranks that take part together, over all nodes
  write_clients_small,
  read_clients_large,
  write_clients_large,
  read_node_clients,  // large requests by the ranks of one node
  write_node_clients,
  read_group,  // the aggregators of all nodes together
  write_group,
  read_window,  // into a buffer that stays in cache
  write_window,
  write_window_piece,  // small pieces of it
  rewriting,           // a byte read or written where it has just been
  open,
  lock,
  copy,  // fused: scattered pieces of memory to adjoining ones
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
  const char* x;  // what the samples are by: "bytes", "ranks", ...
  const char* y;  // "seconds" or "bytes_per_second", "requests_per_second"
};
const QuantityRow& quantity_row(Quantity quantity);
std::array<Quantity, quantity_count> all_quantities();

struct Sample {
  double x, y;
};
using Series = std::vector<Sample>;  // by growing x; empty: not measured

struct Measurements {
  int64_t ranks = 1, nodes = 1, cores_per_node = 1;
  int64_t file_bytes = 0;
  bool throttled = false;
  std::array<Series, quantity_count> series;

  Series& operator[](Quantity quantity) { return series[static_cast<size_t>(quantity)]; }
  const Series& operator[](Quantity quantity) const { return series[static_cast<size_t>(quantity)]; }
};

// Sizes that requests are measured at.
inline constexpr int64_t request_sizes[] = {64, 512, 4096, 16384, 65536, 262144, 1 << 20, 4 << 20};

// The sample at x, exactly; 0 where there is none.
double value_at(const Series& series, double x);

}  // namespace concilio::probe
