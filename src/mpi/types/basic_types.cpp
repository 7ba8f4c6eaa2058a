#include "mpi/types/basic_types.h"

#include <fmt/format.h>

#include <algorithm>
#include <cfloat>
#include <span>
#include <string>
#include <string_view>

namespace concilio::mpi {
namespace {

struct Known {
  MPI_Datatype type;
  pattern::ItemKind kind;
  int32_t components;
  int64_t external32_bytes;
};

// The sizes in external32, from MPI 4.1, table 14.2. A type that this MPI was built without is
// MPI_DATATYPE_NULL.
std::span<const Known> known_types() {
  constexpr auto as_is = pattern::ItemKind::bytes, integer = pattern::ItemKind::signed_integer,
                 natural = pattern::ItemKind::unsigned_integer, real = pattern::ItemKind::real,
                 long_double = pattern::ItemKind::long_double;
  static const Known known[] = {
      {MPI_PACKED, as_is, 1, 1},
      {MPI_BYTE, as_is, 1, 1},
      {MPI_CHAR, as_is, 1, 1},
      {MPI_SIGNED_CHAR, as_is, 1, 1},
      {MPI_UNSIGNED_CHAR, as_is, 1, 1},
      {MPI_WCHAR, natural, 1, 2},
      {MPI_SHORT, integer, 1, 2},
      {MPI_UNSIGNED_SHORT, natural, 1, 2},
      {MPI_INT, integer, 1, 4},
      {MPI_UNSIGNED, natural, 1, 4},
      {MPI_LONG, integer, 1, 4},
      {MPI_UNSIGNED_LONG, natural, 1, 4},
      {MPI_LONG_LONG_INT, integer, 1, 8},
      {MPI_LONG_LONG, integer, 1, 8},
      {MPI_UNSIGNED_LONG_LONG, natural, 1, 8},
      {MPI_FLOAT, real, 1, 4},
      {MPI_DOUBLE, real, 1, 8},
      {MPI_LONG_DOUBLE, long_double, 1, 16},
      {MPI_C_BOOL, natural, 1, 1},
      {MPI_INT8_T, integer, 1, 1},
      {MPI_INT16_T, integer, 1, 2},
      {MPI_INT32_T, integer, 1, 4},
      {MPI_INT64_T, integer, 1, 8},
      {MPI_UINT8_T, natural, 1, 1},
      {MPI_UINT16_T, natural, 1, 2},
      {MPI_UINT32_T, natural, 1, 4},
      {MPI_UINT64_T, natural, 1, 8},
      {MPI_AINT, integer, 1, 8},
      {MPI_COUNT, integer, 1, 8},
      {MPI_OFFSET, integer, 1, 8},
      {MPI_C_COMPLEX, real, 2, 8},
      {MPI_C_FLOAT_COMPLEX, real, 2, 8},
      {MPI_C_DOUBLE_COMPLEX, real, 2, 16},
      {MPI_C_LONG_DOUBLE_COMPLEX, long_double, 2, 32},
      {MPI_CXX_BOOL, natural, 1, 1},
#ifndef SMPI_H  // SMPI names these types and lacks them
      {MPI_CXX_FLOAT_COMPLEX, real, 2, 8},
      {MPI_CXX_DOUBLE_COMPLEX, real, 2, 16},
      {MPI_CXX_LONG_DOUBLE_COMPLEX, long_double, 2, 32},
#endif
      {MPI_CHARACTER, as_is, 1, 1},
      {MPI_LOGICAL, integer, 1, 4},
      {MPI_INTEGER, integer, 1, 4},
      {MPI_REAL, real, 1, 4},
      {MPI_DOUBLE_PRECISION, real, 1, 8},
      {MPI_COMPLEX, real, 2, 8},
      {MPI_DOUBLE_COMPLEX, real, 2, 16},
#ifdef MPI_LOGICAL1
      {MPI_LOGICAL1, integer, 1, 1},
#endif
#ifdef MPI_LOGICAL2
      {MPI_LOGICAL2, integer, 1, 2},
#endif
#ifdef MPI_LOGICAL4
      {MPI_LOGICAL4, integer, 1, 4},
#endif
#ifdef MPI_LOGICAL8
      {MPI_LOGICAL8, integer, 1, 8},
#endif
#ifdef MPI_LOGICAL16
      {MPI_LOGICAL16, integer, 1, 16},
#endif
      {MPI_INTEGER1, integer, 1, 1},
      {MPI_INTEGER2, integer, 1, 2},
      {MPI_INTEGER4, integer, 1, 4},
      {MPI_INTEGER8, integer, 1, 8},
#ifdef MPI_INTEGER16
      {MPI_INTEGER16, integer, 1, 16},
#endif
#ifdef MPI_REAL2
      {MPI_REAL2, real, 1, 2},
#endif
      {MPI_REAL4, real, 1, 4},
      {MPI_REAL8, real, 1, 8},
#ifdef MPI_REAL16
      {MPI_REAL16, real, 1, 16},
#endif
#ifdef MPI_COMPLEX4
      {MPI_COMPLEX4, real, 2, 4},
#endif
      {MPI_COMPLEX8, real, 2, 8},
      {MPI_COMPLEX16, real, 2, 16},
#ifdef MPI_COMPLEX32
      {MPI_COMPLEX32, real, 2, 32},
#endif
  };
  return known;
}

struct KnownPair {
  MPI_Datatype type, first, second;
};

std::span<const KnownPair> known_pairs() {
  static const KnownPair known[] = {
      {MPI_FLOAT_INT, MPI_FLOAT, MPI_INT},
      {MPI_DOUBLE_INT, MPI_DOUBLE, MPI_INT},
      {MPI_LONG_INT, MPI_LONG, MPI_INT},
      {MPI_2INT, MPI_INT, MPI_INT},
      {MPI_SHORT_INT, MPI_SHORT, MPI_INT},
      {MPI_LONG_DOUBLE_INT, MPI_LONG_DOUBLE, MPI_INT},
      {MPI_2REAL, MPI_REAL, MPI_REAL},
      {MPI_2DOUBLE_PRECISION, MPI_DOUBLE_PRECISION, MPI_DOUBLE_PRECISION},
      {MPI_2INTEGER, MPI_INTEGER, MPI_INTEGER},
#ifdef MPI_2COMPLEX
      {MPI_2COMPLEX, MPI_COMPLEX, MPI_COMPLEX},
#endif
#ifdef MPI_2DOUBLE_COMPLEX
      {MPI_2DOUBLE_COMPLEX, MPI_DOUBLE_COMPLEX, MPI_DOUBLE_COMPLEX},
#endif
  };
  return known;
}

// The size in external32 of a type made by MPI_Type_create_f90_integer; the range is in decimal digits (MPI
// 4.1, section 19.1.5).
int64_t external32_integer_bytes(int64_t range) {
  if (range > 38) return 0;
  return range > 18 ? 16 : range > 9 ? 8 : range > 4 ? 4 : range > 2 ? 2 : 1;
}

// The size in external32 of a type made by MPI_Type_create_f90_real. Precision and range may be
// MPI_UNDEFINED, which is negative.
int64_t external32_real_bytes(int64_t precision, int64_t range) {
  if (precision > 33 || range > 4931) return 0;
  if (precision > 15 || range > 307) return 16;
  return precision > 6 || range > 37 ? 8 : 4;
}

// The item of a Fortran kind that was chosen by precision and range.
Result<pattern::Item> parameterised_item(MPI_Datatype type, const Envelope& envelope) {
  auto contents = Contents::of(type, envelope);
  if (!contents) return contents.error();
  pattern::Item item;
  if (envelope.combiner == MPI_COMBINER_F90_INTEGER) {
    if (contents->count() != 1) return Error{ErrorKind::datatype, 0, "an integer kind without its range"};
    item.kind = pattern::ItemKind::signed_integer;
    item.file_bytes = external32_integer_bytes(contents->number(0));
    return item;
  }
  if (contents->count() != 2) return Error{ErrorKind::datatype, 0, "a real kind without precision and range"};
  const bool complex = envelope.combiner == MPI_COMBINER_F90_COMPLEX;
  const int64_t each = external32_real_bytes(contents->number(0), contents->number(1));
  item.components = complex ? 2 : 1;
  item.file_bytes = each * item.components;
  // A Fortran kind whose precision a long double can hold is stored in the same bytes as a long double.
  item.kind = each == 16 && contents->number(0) <= LDBL_DIG ? pattern::ItemKind::long_double
                                                            : pattern::ItemKind::real;
  return item;
}

Result<pattern::Item> item_of(MPI_Datatype type, const Envelope& envelope) {
  MPI_Count size = 0;
  if (PMPI_Type_size_x(type, &size) != MPI_SUCCESS || size <= 0)
    return Error{ErrorKind::datatype, 0, fmt::format("MPI gives no size for {}", name_of(type))};
  pattern::Item item;
  if (envelope.combiner != MPI_COMBINER_NAMED) {
    auto made = parameterised_item(type, envelope);
    if (!made) return made;
    item = *made;
  } else {
    const auto known = known_types();
    auto found = std::find_if(known.begin(), known.end(), [&](const Known& row) { return row.type == type; });
    // A type that only this MPI knows: nothing is known of it but its bytes.
    if (found == known.end()) return pattern::Item{pattern::ItemKind::bytes, 1, size, 0};
    item = {found->kind, found->components, size, found->external32_bytes};
  }
  item.native_bytes = size;
  return item;
}

}  // namespace

std::string name_of(MPI_Datatype type) {
  char name[MPI_MAX_OBJECT_NAME] = "";
  int length = 0;
  if (PMPI_Type_get_name(type, name, &length) != MPI_SUCCESS || length <= 0) return "a datatype without name";
  return std::string(name, static_cast<size_t>(length));
}

BoundMarker bound_marker(MPI_Datatype type) {
  MPI_Count size = 0;
  if (PMPI_Type_size_x(type, &size) != MPI_SUCCESS || size != 0) return BoundMarker::none;
  // They are recognised by name, because not every mpi.h still defines these two.
  const std::string name = name_of(type);
  if (name == "MPI_LB") return BoundMarker::lower;
  return name == "MPI_UB" ? BoundMarker::upper : BoundMarker::none;
}

Result<std::vector<BasicType>> basic_types_of(MPI_Datatype type, const Envelope& envelope) {
  if (bound_marker(type) != BoundMarker::none) return std::vector<BasicType>{};
  std::vector<MPI_Datatype> types = {type};
  for (const KnownPair& pair : known_pairs()) {
    if (pair.type == type) types = {pair.first, pair.second};
  }
  std::vector<BasicType> result;
  for (MPI_Datatype basic : types) {
    auto item = item_of(basic, envelope);
    if (!item) return item.error();
    result.push_back({basic, *item});
  }
  return result;
}

}  // namespace concilio::mpi
