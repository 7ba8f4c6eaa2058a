// A basic item: one entry of a datatype's type map, and how many bytes it takes in memory and in a file.
#pragma once

#include <cstdint>

namespace concilio {

// What the bytes of an item mean, as far as external32 must know.
enum class ItemKind : int32_t {
  bytes,             // taken as they are: characters, MPI_BYTE, MPI_PACKED
  signed_integer,    // and Fortran's LOGICAL
  unsigned_integer,  // and wide characters, C's and C++'s bool
  real,              // IEEE, of the same width in memory and in a file
  long_double,       // C's, whatever it is here
};

struct Item {
  ItemKind kind = ItemKind::bytes;
  int32_t components = 1;  // equal parts: a complex number has two
  int64_t native_bytes = 1, file_bytes = 1;

  bool operator==(const Item&) const = default;
};

}  // namespace concilio
