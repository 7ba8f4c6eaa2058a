// Random datatypes of every constructor of the MPI in use.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <string>

#include "common/random.h"

struct Bounds {
  int64_t lower, upper;  // of the bytes touched
  int64_t size;
};
Bounds bounds_of(MPI_Datatype type);

// An owned, committed datatype and how it was made.
struct MadeType {
  MPI_Datatype type;
  std::string description;
  // Whether MPI's own packing and true extent can be relied on:
  bool one_element = false;  // several elements are packed at another distance than the extent
  bool exact_bounds = true;  // the true extent does not count places without bytes
};

// At most `depth` constructors deep, touching at most `most_bytes` bytes' distance.
MadeType make_type(tests::Random& random, int depth, int64_t most_bytes);
