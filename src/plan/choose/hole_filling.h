// How a window with holes is written to the file, and how one is read of which few bytes are wanted. This is
// decided for each window: conditional sieving, section 6.3 of the flexible collective I/O paper.
#pragma once

#include <cstdint>
#include <optional>

#include "plan/facts/facts.h"

namespace concilio::plan {

struct Prices;

enum class Flush {
  read_modify_write,  // read, filled in and written as one range
  list,               // its covered stretches, one request after another
  batch,              // the same, with many requests under way at once
};

// What is to be written of a window: `runs` stretches in a range that begins with the first stretch and ends
// with the last.
struct WindowShape {
  int64_t range_bytes = 0;
  int64_t covered_bytes = 0;
  int64_t runs = 0;
  int64_t starts_bytes = 0;  // from the start of the first stretch to the start of the last

  // The mean distance between the starts of stretches: the extent of the datatype, as far as the window shows
  // it.
  int64_t extent_bytes() const { return runs > 1 ? starts_bytes / (runs - 1) : 0; }
};

struct FlushRules {
  std::optional<Flush> asked{};  // concilio_flush
  // romio_cb_ds_threshold: up to 100 percent of the range, above that bytes; 0: none
  int64_t threshold = 0;
  bool may_rewrite = true;  // whether it is safe to write back what lies in the holes
  int64_t writers = 1;      // aggregators that write windows at the same time
};

// Chooses what is safe; then what the user asks for; then what is on the right side of the threshold; then
// what is cheapest.
Flush choose_flush(const WindowShape& window, const FlushRules& rules, const Prices& prices);

// The cost to storage of `windows` windows. `window` is the sum of all of them.
struct FlushCost {
  double request_seconds = 0;
  double byte_seconds = 0;
  double seconds() const { return request_seconds + byte_seconds; }
};
// One writer's cost while `writers` write: storage works on more small requests at the same time than on
// large ones.
FlushCost cost_of_flush(Flush how, const WindowShape& window, double windows, const Prices& prices,
                        int64_t writers = 1);
Flush cheapest_flush(const WindowShape& window, double windows, const Prices& prices, int64_t writers = 1);

// To lock what is rewritten. It is in the other prices of storage in memory, as they were measured.
double locking_seconds(const Prices& prices);

// The longest hole that costs less to read, between two pieces of a window, than another request.
int64_t gap_worth_reading(const Prices& prices);

// The time of one of a rank's `requests` besides that for its bytes: one after another, many under way at
// once, and the cheaper of the two.
double seconds_in_turn(Operation operation, const Prices& prices);
// So many of a client's requests that are all under way at once storage works on.
double served_at_once(Operation operation, double requests, const Prices& prices);
double seconds_at_once(Operation operation, double requests, const Prices& prices);
double seconds_of_one(Operation operation, double requests, const Prices& prices);
bool pays_at_once(Operation operation, int64_t requests, const Prices& prices);

}  // namespace concilio::plan
