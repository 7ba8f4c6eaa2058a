// What methods cost, in seconds: a first simple model with built-in constants for kinds of storage. Every constant says
// where it comes from. (`concilio probe` will measure them.)
#pragma once

#include "plan/plan.h"

namespace concilio {

struct Prices {
  double request_seconds;            // one read or write request, besides its bytes
  double storage_bytes_per_second;   // one stream
  double parallel_streams;           // streams that storage serves at once
  double lock_seconds;               // lock and unlock of a range
  double copy_bytes_per_second;      // memory to memory, one core
  double piece_seconds;              // per piece of a fused copy
  double synchronise_seconds;        // per rank and round, on a node
  double message_seconds;            // between nodes
  double network_bytes_per_second;   // between nodes, one node's link
};
Prices prices_for(const StorageFacts& storage);

double price(Method method, const Facts& facts, const Prices& prices);

// How a window of `window_bytes`, of which `covered_bytes` in `covered_runs` stretches are to be written, reaches the
// file: read-modify-write or list.
enum class Flush { read_modify_write, list };
Flush choose_flush(int64_t window_bytes, int64_t covered_bytes, int64_t covered_runs, const Prices& prices);

}  // namespace concilio
