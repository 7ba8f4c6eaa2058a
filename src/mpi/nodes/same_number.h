// Whether all ranks have the same number.
#pragma once

#include <cstdint>

namespace concilio::mpi {

// It is found by MPI_BAND of this: of two numbers that differ, one has a bit where the other has none.
struct SameNumber {
  uint64_t number, complement;

  explicit SameNumber(uint64_t mine) : number(mine), complement(~mine) {}
  bool same() const { return number == ~complement; }
};

}  // namespace concilio::mpi
