#include "common/mpi_type.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <vector>

namespace tests {
namespace {

// Calls a constructor in its int form, or in its MPI_Count form if the MPI has that and `large` is set.
#if MPI_VERSION >= 4
#define CONSTRUCT(large, small_call, large_call) ((large) ? (large_call) : (small_call))
#else
#define CONSTRUCT(large, small_call, large_call) ((void)(large), (small_call))
#endif

// A vector whose pointer is never null, because MPIs read the pointers even of empty lists.
template <typename To, typename From>
std::vector<To> as(const std::vector<From>& values) {
  std::vector<To> result(values.begin(), values.end());
  result.reserve(1);
  return result;
}

MPI_Datatype construct(const TypeSpec& type);

int construct_struct(const TypeSpec& type, MPI_Datatype* result) {
  std::vector<int> lengths = type.lengths;
  std::vector<int64_t> places = type.places;
  std::vector<MPI_Datatype> children;
  for (const TypeSpec& child : type.children) {
    if (child.kind != Kind::markers) children.push_back(construct(child));
  }
  const size_t made = children.size();
#if defined(MPICH_VERSION) && defined(MPI_LB) && defined(MPI_UB)
  if (made < type.children.size()) {
    lengths.resize(made);
    lengths.insert(lengths.end(), {1, 1});
    places.resize(made);
    places.insert(places.end(), type.children.back().places.begin(), type.children.back().places.end());
    children.insert(children.end(), {MPI_LB, MPI_UB});
  }
#endif
  children.reserve(1);
  const int count = static_cast<int>(children.size());
  int code = MPI_ERR_TYPE;
  if (std::find(children.begin(), children.end(), MPI_DATATYPE_NULL) == children.end()) {
    code = CONSTRUCT(type.large,
                     MPI_Type_create_struct(count, as<int>(lengths).data(), as<MPI_Aint>(places).data(),
                                            children.data(), result),
                     MPI_Type_create_struct_c(count, as<MPI_Count>(lengths).data(),
                                              as<MPI_Count>(places).data(), children.data(), result));
  }
  children.resize(made);
  for (MPI_Datatype& child : children) free_type(&child);
  return code;
}

int construct_array(const TypeSpec& type, MPI_Datatype child, MPI_Datatype* result) {
  const int order = type.fortran ? MPI_ORDER_FORTRAN : MPI_ORDER_C;
  const int dimensions = static_cast<int>(type.sizes.size());
  // Not constant, as some MPIs declare their parameters.
  std::vector<int> sizes = type.sizes, grid = type.grid;
  const std::vector<int>&subsizes = type.subsizes, &starts = type.starts;
  if (type.kind == Kind::subarray) {
    return CONSTRUCT(
        type.large,
        MPI_Type_create_subarray(dimensions, sizes.data(), subsizes.data(), starts.data(), order, child,
                                 result),
        MPI_Type_create_subarray_c(dimensions, as<MPI_Count>(sizes).data(), as<MPI_Count>(subsizes).data(),
                                   as<MPI_Count>(starts).data(), order, child, result));
  }
  std::vector<int> ways, arguments;
  for (const Spread spread : type.distributions) {
    ways.push_back(spread == Spread::block    ? MPI_DISTRIBUTE_BLOCK
                   : spread == Spread::cyclic ? MPI_DISTRIBUTE_CYCLIC
                                              : MPI_DISTRIBUTE_NONE);
  }
  for (const int argument : type.arguments)
    arguments.push_back(argument == default_argument ? MPI_DISTRIBUTE_DFLT_DARG : argument);
  return CONSTRUCT(
      type.large,
      MPI_Type_create_darray(type.ranks, type.rank, dimensions, sizes.data(), ways.data(), arguments.data(),
                             grid.data(), order, child, result),
      MPI_Type_create_darray_c(type.ranks, type.rank, dimensions, as<MPI_Count>(sizes).data(), ways.data(),
                               arguments.data(), grid.data(), order, child, result));
}

int construct_blocks(const TypeSpec& type, MPI_Datatype child, MPI_Datatype* result) {
  const bool large = type.large;
  const int blocks = static_cast<int>(type.places.size());
  const std::vector<int> lengths = as<int>(type.lengths), places = as<int>(type.places);
  const std::vector<MPI_Aint> addresses = as<MPI_Aint>(type.places);
  const auto large_lengths = as<MPI_Count>(type.lengths), large_places = as<MPI_Count>(type.places);
  switch (type.kind) {
    case Kind::dup:
      return MPI_Type_dup(child, result);
    case Kind::contiguous:
      return CONSTRUCT(large, MPI_Type_contiguous(lengths[0], child, result),
                       MPI_Type_contiguous_c(lengths[0], child, result));
    case Kind::vector:
      return CONSTRUCT(large, MPI_Type_vector(lengths[0], lengths[1], places[0], child, result),
                       MPI_Type_vector_c(lengths[0], lengths[1], places[0], child, result));
    case Kind::hvector:
      return CONSTRUCT(large, MPI_Type_create_hvector(lengths[0], lengths[1], addresses[0], child, result),
                       MPI_Type_create_hvector_c(lengths[0], lengths[1], addresses[0], child, result));
    case Kind::indexed:
      return CONSTRUCT(large, MPI_Type_indexed(blocks, lengths.data(), places.data(), child, result),
                       MPI_Type_indexed_c(blocks, large_lengths.data(), large_places.data(), child, result));
    case Kind::hindexed:
      return CONSTRUCT(
          large, MPI_Type_create_hindexed(blocks, lengths.data(), addresses.data(), child, result),
          MPI_Type_create_hindexed_c(blocks, large_lengths.data(), large_places.data(), child, result));
    case Kind::indexed_block:
      return CONSTRUCT(
          large, MPI_Type_create_indexed_block(blocks, lengths[0], places.data(), child, result),
          MPI_Type_create_indexed_block_c(blocks, lengths[0], large_places.data(), child, result));
    case Kind::hindexed_block:
      return CONSTRUCT(
          large, MPI_Type_create_hindexed_block(blocks, lengths[0], addresses.data(), child, result),
          MPI_Type_create_hindexed_block_c(blocks, lengths[0], large_places.data(), child, result));
    default:  // resized
      return CONSTRUCT(large, MPI_Type_create_resized(child, addresses[0], addresses[1], result),
                       MPI_Type_create_resized_c(child, addresses[0], addresses[1], result));
  }
}

MPI_Datatype construct(const TypeSpec& type) {
  if (type.kind == Kind::basic) return mpi_type_of(type.basic);
  MPI_Datatype result = MPI_DATATYPE_NULL;
  if (type.kind == Kind::structure)
    return construct_struct(type, &result) == MPI_SUCCESS ? result : MPI_DATATYPE_NULL;
  MPI_Datatype child = construct(type.children[0]);
  if (child == MPI_DATATYPE_NULL) return child;
  const bool array = type.kind == Kind::subarray || type.kind == Kind::darray;
  const int code = array ? construct_array(type, child, &result) : construct_blocks(type, child, &result);
  free_type(&child);
  return code == MPI_SUCCESS ? result : MPI_DATATYPE_NULL;
}

}  // namespace

MPI_Datatype mpi_type_of(size_t basic) {
  static const std::map<std::string_view, MPI_Datatype> types = {
      {"BYTE", MPI_BYTE},
      {"CHAR", MPI_CHAR},
      {"SHORT", MPI_SHORT},
      {"INT", MPI_INT},
      {"FLOAT", MPI_FLOAT},
      {"DOUBLE", MPI_DOUBLE},
      {"INT64_T", MPI_INT64_T},
      {"FLOAT_INT", MPI_FLOAT_INT},
      {"DOUBLE_INT", MPI_DOUBLE_INT},
      {"LONG_INT", MPI_LONG_INT},
      {"SHORT_INT", MPI_SHORT_INT},
      {"2INT", MPI_2INT},
      {"LONG_DOUBLE_INT", MPI_LONG_DOUBLE_INT},
      {"SIGNED_CHAR", MPI_SIGNED_CHAR},
      {"LONG", MPI_LONG},
      {"LONG_LONG", MPI_LONG_LONG},
      {"INT16_T", MPI_INT16_T},
      {"UINT64_T", MPI_UINT64_T},
      {"C_BOOL", MPI_C_BOOL},
      {"C_DOUBLE_COMPLEX", MPI_C_DOUBLE_COMPLEX},
      {"OFFSET", MPI_OFFSET},
      {"AINT", MPI_AINT},
      {"COUNT", MPI_COUNT},
      {"WCHAR", MPI_WCHAR},
      {"PACKED", MPI_PACKED},
      {"2REAL", MPI_2REAL},
      {"2DOUBLE_PRECISION", MPI_2DOUBLE_PRECISION},
      {"2INTEGER", MPI_2INTEGER},
  };
  const std::string_view name = basic_types()[basic].name;
  if (const auto found = types.find(name); found != types.end()) return found->second;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  const int code = name == "F90_REAL(6,30)"        ? MPI_Type_create_f90_real(6, 30, &type)
                   : name == "F90_COMPLEX(14,200)" ? MPI_Type_create_f90_complex(14, 200, &type)
                   : name == "F90_INTEGER(4)"      ? MPI_Type_create_f90_integer(4, &type)
                                                   : MPI_ERR_TYPE;
  return code == MPI_SUCCESS ? type : MPI_DATATYPE_NULL;
}

std::optional<size_t> basic_of(MPI_Datatype type) {
  for (size_t basic = 0; basic < agreed_basic_types; ++basic) {
    if (mpi_type_of(basic) == type) return basic;
  }
  return {};
}

MPI_Datatype build(const TypeSpec& type) {
  MPI_Datatype result = construct(type);
  if (type.kind != Kind::basic && result != MPI_DATATYPE_NULL) MPI_Type_commit(&result);
  return result;
}

void free_type(MPI_Datatype* type) {
  if (*type == MPI_DATATYPE_NULL) return;
  int integers, addresses, types, combiner;
  MPI_Type_get_envelope(*type, &integers, &addresses, &types, &combiner);
  for (const int predefined :
       {MPI_COMBINER_NAMED, MPI_COMBINER_F90_REAL, MPI_COMBINER_F90_COMPLEX, MPI_COMBINER_F90_INTEGER}) {
    if (combiner == predefined) return;
  }
  MPI_Type_free(type);
}

}  // namespace tests
