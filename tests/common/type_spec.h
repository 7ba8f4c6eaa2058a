// A datatype that is described without MPI. From the description tests make the MPI datatype (mpi_type.h),
// Concilio's own (unit/pattern/naive_types.h) and the plain list of the bytes that it selects. The code for
// the latter uses no MPI library and nothing of Concilio.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tests {

enum class Kind {
  basic,
  dup,
  contiguous,      // lengths {count}
  vector,          // lengths {count, block}, places {stride in extents}
  hvector,         // lengths {count, block}, places {stride in bytes}
  indexed,         // lengths: blocks, places in extents
  hindexed,        // lengths: blocks, places in bytes
  indexed_block,   // lengths {block}, places in extents
  hindexed_block,  // lengths {block}, places in bytes
  structure,       // lengths: blocks, places in bytes, one child for each
  subarray,        // sizes, subsizes, starts, fortran
  darray,          // sizes, distributions, arguments, grid, ranks, rank, fortran
  resized,         // places {lower bound, extent}
  markers,         // places {lower bound, upper bound}: MPI-1's MPI_LB and MPI_UB, last in a structure
};

// Where a datatype lies: in memory, or in a file of some data representation.
enum class Form {
  memory,      // and in files of the representation "native"
  external32,  // the bytes of every item are reversed
  turned,      // the oracle's own: as external32, with one more byte for each item
};
// The number of bytes that an item of `length` bytes has in a file.
int64_t length_in(Form form, int64_t length);

enum class Spread { block, cyclic, none };
inline constexpr int default_argument = -1;  // of a distribution

struct BasicType {
  const char* name;
  struct Part {
    int64_t offset, length;
  } parts[2];
  int64_t extent;
  int alignment;
  std::vector<int64_t> items() const;  // their lengths, in memory
};
const std::vector<BasicType>& basic_types();
// The number of types at the beginning that every MPI library has, and on whose representation they agree.
inline constexpr size_t agreed_basic_types = 13;

struct TypeSpec {
  Kind kind = Kind::basic;
  size_t basic = 0;  // index into basic_types()
  std::vector<int> lengths;
  std::vector<int64_t> places;
  std::vector<int> sizes, subsizes, starts;
  std::vector<Spread> distributions;
  std::vector<int> arguments, grid;
  int ranks = 1, rank = 0;
  bool fortran = false;
  bool large = false;  // made by the constructor with MPI_Count arguments, if MPI has it
  std::vector<TypeSpec> children;
};

struct Piece {
  int64_t offset, length;
  bool operator==(const Piece&) const = default;
};

// The meaning of a type: its pieces in the order of its data, and its bounds.
struct Flat {
  std::vector<Piece> pieces;
  int64_t size = 0;
  int64_t lower = 0, upper = 0;
  // Of all parts of a structure, whether or not they determine its bounds.
  int64_t outer_lower = 0, outer_upper = 0;
  int alignment = 1;
  // Whether the bounds were set (resized, subarray, darray) or found from the pieces. If parts of a structure
  // have set bounds, these alone determine the structure's.
  bool bounds_given = false;
  // Libraries disagree on these bounds (padding, empty blocks, set bounds beside found ones), so the type
  // should be resized.
  bool bounds_unclear = false;

  std::vector<Piece> items;  // only for items_of

  int64_t extent() const { return upper - lower; }
  int64_t first_byte() const;  // of all pieces; 0 if there are none
  int64_t end_byte() const;
};

// Adds a piece, and merges it with the last one if they touch.
void append(std::vector<Piece>& pieces, Piece piece);

Flat flatten(const TypeSpec& type, Form form = Form::memory);
// The basic items of a type in the order of its data, as they lie in memory.
std::vector<Piece> items_of(const TypeSpec& type);
std::string describe(const TypeSpec& type);

TypeSpec basic(const char* name);
TypeSpec contiguous(int count, TypeSpec child);
TypeSpec resized(int64_t lower, int64_t extent, TypeSpec child);

}  // namespace tests
