// Delays of simulated ranks, for tests of what the library does in whatever order its ranks come. This file
// is only in the flavour for SMPI.
#pragma once

#include <cstdint>

namespace concilio::mpi {

// From now on the calling rank sometimes sleeps before it wakes others, and after it was woken: at most
// `longest_ns` of simulated time, at times that follow from `number`. With 0 it does so no more.
void delay_waiting(uint64_t number, int64_t longest_ns);

}  // namespace concilio::mpi
