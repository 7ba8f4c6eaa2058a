// The element types of the interface.
#pragma once

#include <scorpio.h>

#include "base/result.h"

namespace concilio::scorpio {

struct Element {
  hid_t hdf5;  // of elements in memory; in a file that we make, the same
  MPI_Datatype mpi;
  int64_t bytes;
  const char* name;
};

// All but strings.
Result<Element> element_of(datatype_t type);

// Whether elements of this type of a file are bytes without a meaning, as the original writes SCORPIO_BYTE,
// and may be read as they are.
bool holds_bytes(hid_t stored, const Element& element);

}  // namespace concilio::scorpio
