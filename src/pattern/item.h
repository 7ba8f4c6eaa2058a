// A basic item: one entry of a datatype's type map, and how many bytes it takes in memory and in a file.
#pragma once

#include <cstdint>

namespace concilio::pattern {

// What the bytes of an item mean, as far as external32 needs to know.
enum class ItemKind : int32_t {
  bytes,             // taken as they are: characters, MPI_BYTE, MPI_PACKED
  signed_integer,    // also Fortran's LOGICAL
  unsigned_integer,  // also wide characters, and C's and C++'s bool
  real,              // IEEE floating-point, of the same width in memory and in a file
  long_double,       // C's long double, whatever its format on this machine
};

struct Item {
  ItemKind kind = ItemKind::bytes;
  int32_t components = 1;  // equal parts: a complex number has two
  int64_t native_bytes = 1, file_bytes = 1;

  bool operator==(const Item&) const = default;
};

}  // namespace concilio::pattern
