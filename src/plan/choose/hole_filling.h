// How a window with holes reaches the file, decided for each window: conditional sieving, section 6.3 of the
// flexible collective I/O paper.
#pragma once

#include <cstdint>
#include <optional>

#include "plan/facts/facts.h"

namespace concilio {

struct Prices;

enum class Flush {
  read_modify_write,  // read, filled in and written as one
  list,               // its covered stretches, one request after another
  batch,              // the same, many requests under way at once
};

// What of a window is to be written: `runs` stretches within a range that begins with the first of them and
// ends with the last.
struct WindowShape {
  int64_t range_bytes = 0;
  int64_t covered_bytes = 0;
  int64_t runs = 0;
  int64_t starts_bytes = 0;  // from where the first stretch begins to where the last does

  // Mean distance between the starts of stretches: the extent of the datatype, as the window shows it.
  int64_t extent_bytes() const { return runs > 1 ? starts_bytes / (runs - 1) : 0; }
};

struct FlushRules {
  std::optional<Flush> asked{};  // concilio_flush
  int64_t threshold = 0;    // romio_cb_ds_threshold: percent of the range up to 100, bytes above; 0: none
  bool may_rewrite = true;  // whether it is safe to write back what lies in the holes
};

// What is safe, then what the user asks for, then what is on the right side of the threshold, then what is
// cheapest.
Flush choose_flush(const WindowShape& window, const FlushRules& rules, const Prices& prices);

// What `windows` of them cost storage, of which `window` is the sum.
struct FlushCost {
  double request_seconds = 0;
  double byte_seconds = 0;
  double seconds() const { return request_seconds + byte_seconds; }
};
FlushCost cost_of_flush(Flush how, const WindowShape& window, double windows, const Prices& prices);
Flush cheapest_flush(const WindowShape& window, double windows, const Prices& prices);

// What one of a rank's `requests` costs besides its bytes: one after another, many under way at once, and the
// cheaper of the two.
double seconds_in_turn(Operation operation, const Prices& prices);
double seconds_at_once(Operation operation, double requests, const Prices& prices);
double seconds_of_one(Operation operation, double requests, const Prices& prices);
bool pays_at_once(Operation operation, int64_t requests, const Prices& prices);

}  // namespace concilio
