// This process's memory, as Linux tells it.
#pragma once

#include <cstdint>

namespace concilio::bench {

struct Memory {
  int64_t resident_bytes = 0;  // now
  int64_t shared_bytes = 0;    // of these, in shared segments
  int64_t peak_bytes = 0;      // since reset_peak, or the start
};

Memory read_memory();
// From here on the peak is counted anew. Gives freed memory back first, so that its reuse counts as growth.
void reset_peak();

}  // namespace concilio::bench
