// Random datatypes of every constructor that the MPI has.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <string>

#include "common/random.h"

struct Bounds {
  int64_t lower, upper;  // of the bytes that the type covers
  int64_t size;
};
Bounds bounds_of(MPI_Datatype type);

// A committed datatype that its destructor frees, and how it was made.
struct MadeType {
  MPI_Datatype type;
  std::string description;
  // Properties that tell whether MPI's own packing and true extent are reliable:
  bool one_element = false;  // several elements are packed at a distance that is not the extent
  bool exact_bounds = true;  // the true extent does not count places without bytes
};

// The type has at most `depth` constructors, and its bytes lie within `most_bytes` bytes.
MadeType make_type(tests::Random& random, int depth, int64_t most_bytes);
