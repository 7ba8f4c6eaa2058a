// This process's memory, as Linux reports it.
#pragma once

#include <cstdint>

namespace concilio::bench {

struct Memory {
  int64_t resident_bytes = 0;  // at present
  int64_t shared_bytes = 0;    // the part of these in shared segments
  int64_t peak_bytes = 0;      // since reset_peak, or since the start
};

Memory read_memory();
// Begins a new measurement of the peak. Memory that has been freed is returned to the system first, so that
// using it again counts as growth.
void reset_peak();

}  // namespace concilio::bench
