// The element types of the interface.
#pragma once

#include <scorpio.h>

#include "base/result.h"

namespace concilio::scorpio {

struct Element {
  hid_t hdf5;  // of elements in memory, and in datasets that this library makes
  MPI_Datatype mpi;
  int64_t bytes;
  const char* name;
};

// Returns an error for strings, which have functions of their own.
Result<Element> element_of(datatype_t type);

// Whether `stored`, the type of elements in a file, is of bytes without a meaning, as the original SCORPIO
// writes SCORPIO_BYTE. If so, they are read as they are.
bool holds_bytes(hid_t stored, const Element& element);

}  // namespace concilio::scorpio
