// Random nested datatypes of every constructor of the MPI in use.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <random>
#include <string>

struct Bounds {
  int64_t lower, upper;  // of the bytes touched
  int64_t size;
};

// An owned, committed datatype and how it was made.
struct RandomType {
  MPI_Datatype type;
  std::string description;
  bool named;
  // Whether MPI's own packing and true extent can be relied on:
  bool one_element = false;  // several elements are packed at another distance than the extent
  bool exact_bounds = true;  // the true extent does not count places without bytes
};

class TypeMaker {
 public:
  explicit TypeMaker(uint64_t seed) : engine_(seed) {}

  // At most `depth` constructors deep, touching at most `most_bytes` bytes' distance.
  RandomType make(int depth, int64_t most_bytes);
  static void free(RandomType& made);
  int64_t number(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(engine_);
  }

 private:
  RandomType make_named();
  RandomType make_inner(int depth, int64_t most_bytes);
  RandomType make_derived(int depth, int64_t most_bytes);
  bool construct(const RandomType& old, RandomType* made);
  bool construct_array(const RandomType& old, RandomType* made);
  bool construct_struct(const RandomType& old, RandomType* made);

  std::mt19937_64 engine_;
};

Bounds bounds_of(MPI_Datatype type);
