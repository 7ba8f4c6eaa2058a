#include "scorpio/cells/elements.h"

#include <fmt/format.h>

namespace concilio::scorpio {

Result<Element> element_of(datatype_t type) {
  switch (type) {
    case SCORPIO_INTEGER:
      return Element{H5T_NATIVE_INT, MPI_INT, sizeof(int), "int"};
    case SCORPIO_DOUBLE:
      return Element{H5T_NATIVE_DOUBLE, MPI_DOUBLE, sizeof(double), "double"};
    case SCORPIO_FLOAT:
      return Element{H5T_NATIVE_FLOAT, MPI_FLOAT, sizeof(float), "float"};
    case SCORPIO_LONG:
      return Element{H5T_NATIVE_LONG, MPI_LONG, sizeof(long), "long"};
    case SCORPIO_CHAR:
      // Signed on all machines, unlike H5T_NATIVE_CHAR: HDF5 would clip what another machine has written, and
      // this is also the type of Fortran's and Python's 8-bit integers.
      return Element{H5T_NATIVE_SCHAR, MPI_CHAR, 1, "char"};
    case SCORPIO_BYTE:
      return Element{H5T_NATIVE_UCHAR, MPI_BYTE, 1, "byte"};
    case SCORPIO_STRING:
      return Error{ErrorKind::datatype, 0,
                   "strings are written and read by scorpio_write_str_array and its like"};
  }
  return Error{ErrorKind::datatype, 0, fmt::format("{} is no datatype_t", static_cast<int>(type))};
}

bool holds_bytes(hid_t stored, const Element& element) {
  return element.bytes == 1 && H5Tget_class(stored) == H5T_OPAQUE && H5Tget_size(stored) == 1;
}

}  // namespace concilio::scorpio
