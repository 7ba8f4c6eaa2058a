#include "probe/derive/measurements.h"

namespace concilio::probe {

namespace {

constexpr QuantityRow quantity_table[] = {
    {"read_adjoining", "bytes", "seconds"},
    {"write_adjoining", "bytes", "seconds"},
    {"read_scattered", "bytes", "seconds"},
    {"write_scattered", "bytes", "seconds"},
    {"write_growing", "bytes", "seconds"},
    {"write_synced", "bytes", "seconds"},
    {"read_direct", "bytes", "seconds"},
    {"write_direct", "bytes", "seconds"},
    {"read_direct_scattered", "bytes", "seconds"},
    {"write_direct_scattered", "bytes", "seconds"},
    {"read_direct_at_once", "requests", "seconds"},
    {"write_direct_at_once", "requests", "seconds"},
    {"read_list", "requests", "seconds"},
    {"write_list", "requests", "seconds"},
    {"read_at_once", "requests", "seconds"},
    {"write_at_once", "requests", "seconds"},
    {"read_clients_small", "ranks", "bytes_per_second"},
    {"write_clients_small", "ranks", "bytes_per_second"},
    {"read_clients_large", "ranks", "bytes_per_second"},
    {"write_clients_large", "ranks", "bytes_per_second"},
    {"read_node_clients", "ranks", "bytes_per_second"},
    {"write_node_clients", "ranks", "bytes_per_second"},
    {"read_group", "bytes", "bytes_per_second"},
    {"write_group", "bytes", "bytes_per_second"},
    {"read_window", "bytes", "seconds"},
    {"write_window", "bytes", "seconds"},
    {"write_window_piece", "bytes", "seconds"},
    {"rewriting", "bytes", "seconds"},
    {"open", "files", "seconds"},
    {"lock", "ranges", "seconds"},
    {"copy", "bytes", "seconds"},
    {"datatype", "bytes", "seconds"},
    {"synchronise", "ranks", "seconds"},
    {"map", "stretches", "seconds"},
    {"map_read_page", "pages", "seconds"},
    {"map_write_page", "pages", "seconds"},
    {"map_populate_read_page", "pages", "seconds"},
    {"map_populate_write_page", "pages", "seconds"},
    {"message", "bytes", "seconds"},
    {"message_stream", "bytes", "bytes_per_second"},
    {"node_copy", "bytes", "seconds"},
};
static_assert(std::size(quantity_table) == quantity_count);

}  // namespace

const QuantityRow& quantity_row(Quantity quantity) {
  return quantity_table[static_cast<size_t>(quantity)];
}

std::array<Quantity, quantity_count> all_quantities() {
  std::array<Quantity, quantity_count> all;
  for (size_t i = 0; i < quantity_count; ++i) all[i] = static_cast<Quantity>(i);
  return all;
}

double value_at(const Series& series, double x) {
  for (const Sample& sample : series) {
    if (sample.x == x) return sample.y;
  }
  return 0;
}

}  // namespace concilio::probe
