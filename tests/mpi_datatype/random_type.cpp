#include "random_type.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <vector>

namespace {

// The constructors' two forms: the int one always, the MPI_Count one where the MPI has it and `large` says
// so.
#if MPI_VERSION >= 4
#define CONSTRUCT(large, small_call, large_call) ((large) ? (large_call) : (small_call))
constexpr bool has_large = true;
#else
#define CONSTRUCT(large, small_call, large_call) (small_call)
constexpr bool has_large = false;
#endif

// Open MPI 5.0 packs several complex elements without the gaps between them.
#if defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5
constexpr bool packs_complex = false;
#else
constexpr bool packs_complex = true;
#endif

template <typename To, typename From>
std::vector<To> as(const std::vector<From>& values) {
  std::vector<To> result(values.begin(), values.end());
  result.reserve(1);
  return result;
}

// A type with places without bytes: Open MPI 4.1 packs several elements of it at a distance that is not its
// extent, and MPICH 4.0 counts these places in the true extent.
void distrust(RandomType* made) {
  made->one_element = true;
  made->exact_bounds = false;
}

}  // namespace

Bounds bounds_of(MPI_Datatype type) {
  MPI_Count lower = 0, extent = 0, size = 0;
  MPI_Type_get_true_extent_x(type, &lower, &extent);
  MPI_Type_size_x(type, &size);
  return {lower, lower + extent, size};
}

RandomType TypeMaker::make_named() {
  struct Named {
    MPI_Datatype type;
    const char* name;
  };
  static const std::vector<Named> all = {
      {MPI_CHAR, "char"},
      {MPI_SIGNED_CHAR, "schar"},
      {MPI_BYTE, "byte"},
      {MPI_SHORT, "short"},
      {MPI_INT, "int"},
      {MPI_LONG, "long"},
      {MPI_FLOAT, "float"},
      {MPI_DOUBLE, "double"},
      {MPI_LONG_LONG, "long_long"},
      {MPI_INT16_T, "int16"},
      {MPI_UINT64_T, "uint64"},
      {MPI_C_BOOL, "bool"},
      {packs_complex ? MPI_C_DOUBLE_COMPLEX : MPI_DATATYPE_NULL, "zcplx"},
      {MPI_OFFSET, "offset"},
      {MPI_AINT, "aint"},
      {MPI_COUNT, "count"},
      {MPI_WCHAR, "wchar"},
      {MPI_PACKED, "packed"},
      {MPI_FLOAT_INT, "float_int"},
      {MPI_DOUBLE_INT, "double_int"},
      {MPI_LONG_INT, "long_int"},
      {MPI_SHORT_INT, "short_int"},
      {MPI_2INT, "2int"},
      {MPI_2REAL, "2real"},
      {MPI_2DOUBLE_PRECISION, "2double"},
      {MPI_2INTEGER, "2integer"},
  };
  const int64_t kind = number(0, std::ssize(all) + 2);
  MPI_Datatype type = MPI_DATATYPE_NULL;
  if (kind < std::ssize(all) && all[kind].type != MPI_DATATYPE_NULL)
    return {all[kind].type, all[kind].name, true};
  if (kind == std::ssize(all) && MPI_Type_create_f90_real(6, 30, &type) == MPI_SUCCESS)
    return {type, "f90_real(6,30)", true};
  if (kind == std::ssize(all) + 1 && packs_complex &&
      MPI_Type_create_f90_complex(14, 200, &type) == MPI_SUCCESS)
    return {type, "f90_complex(14,200)", true};
  if (kind == std::ssize(all) + 2 && MPI_Type_create_f90_integer(4, &type) == MPI_SUCCESS)
    return {type, "f90_integer(4)", true};
  return {MPI_INT, "int", true};
}

RandomType TypeMaker::make(int depth, int64_t most_bytes) {
  if (depth == 0 || number(0, 9) == 0) return make_named();
  for (;;) {
    RandomType made = make_derived(depth, most_bytes);
    Bounds bounds = bounds_of(made.type);
    MPI_Count lower = 0, extent = 0;
    MPI_Type_get_extent_x(made.type, &lower, &extent);
    if (bounds.upper - bounds.lower <= most_bytes && std::abs(bounds.lower) <= most_bytes &&
        std::abs(static_cast<int64_t>(extent)) <= most_bytes && bounds.size <= most_bytes)
      return made;
    free(made);
  }
}

// MPICH 4.0 packs an array of elements of a negative extent at another distance than the array's extent, and
// may divide by zero where elements have no bytes.
RandomType TypeMaker::make_inner(int depth, int64_t most_bytes) {
  for (;;) {
    RandomType made = make(depth, most_bytes);
#ifndef OPEN_MPI  // MPICH, also behind the MPI standard's ABI
    MPI_Count lower = 0, extent = 0;
    MPI_Type_get_extent_x(made.type, &lower, &extent);
    if (extent < 0 || bounds_of(made.type).size == 0) {
      free(made);
      continue;
    }
#endif
    return made;
  }
}

void TypeMaker::free(RandomType& made) {
  if (!made.named) MPI_Type_free(&made.type);
}

RandomType TypeMaker::make_derived(int depth, int64_t most_bytes) {
  RandomType old = make_inner(depth - 1, most_bytes / 3);
  RandomType made{MPI_DATATYPE_NULL, "", false, old.one_element, old.exact_bounds};
  while (!(number(0, 4) == 0   ? construct_array(old, &made)
           : number(0, 5) == 0 ? construct_struct(old, &made)
                               : construct(old, &made))) {
  }
  free(old);
  MPI_Type_commit(&made.type);
  if (bounds_of(made.type).size == 0) distrust(&made);
  return made;
}

bool TypeMaker::construct(const RandomType& old, RandomType* made) {
  const bool large = has_large && number(0, 1) == 1;
  const char* form = large ? "_c" : "";
  const int64_t count = number(0, 8) == 0 ? 0 : number(1, 5), block = number(0, 8) == 0 ? 0 : number(1, 4);
  MPI_Count lower = 0, extent = 0;
  MPI_Type_get_extent_x(old.type, &lower, &extent);
  const int64_t unit = std::max<int64_t>(std::abs(static_cast<int64_t>(extent)), 1);
  int64_t stride = number(-4, 9), stride_bytes = number(-3 * unit, 6 * unit);
#ifdef OPEN_MPI
  // Open MPI 4.1 takes a stride of -1 byte for "the old type's extent".
  if (stride_bytes == -1) stride_bytes = -2;
  if (stride * unit == -1) stride = -2;
#endif
  std::vector<int64_t> blocks, places, places_bytes;
  int64_t next = number(-3, 6);
  for (int64_t i = 0; i < count; ++i) {
    blocks.push_back(number(0, 3));
    places.push_back(number(0, 5) ? next : number(-8, 20));
    places_bytes.push_back(places.back() * unit + number(0, 3));
    next = places.back() + blocks.back() + number(0, 3);
  }
  const auto b = as<int>(blocks), p = as<int>(places);
  const auto bc = as<MPI_Count>(blocks), pc = as<MPI_Count>(places), pbc = as<MPI_Count>(places_bytes);
  const auto pb = as<MPI_Aint>(places_bytes);
  MPI_Datatype* type = &made->type;
  switch (number(0, 9)) {
    case 0:
      made->description = fmt::format("dup({})", old.description);
      return MPI_Type_dup(old.type, type) == MPI_SUCCESS;
    case 1:
      made->description = fmt::format("contiguous{}({}, {})", form, count, old.description);
      return CONSTRUCT(large, MPI_Type_contiguous(count, old.type, type),
                       MPI_Type_contiguous_c(count, old.type, type)) == MPI_SUCCESS;
    case 2:
      made->description =
          fmt::format("vector{}({}, {}, {}, {})", form, count, block, stride, old.description);
      return CONSTRUCT(large, MPI_Type_vector(count, block, stride, old.type, type),
                       MPI_Type_vector_c(count, block, stride, old.type, type)) == MPI_SUCCESS;
    case 3:
      made->description =
          fmt::format("hvector{}({}, {}, {}, {})", form, count, block, stride_bytes, old.description);
      return CONSTRUCT(large, MPI_Type_create_hvector(count, block, stride_bytes, old.type, type),
                       MPI_Type_create_hvector_c(count, block, stride_bytes, old.type, type)) == MPI_SUCCESS;
    case 4:
      made->description = fmt::format("indexed{}({}, {}, {})", form, blocks, places, old.description);
      return CONSTRUCT(large, MPI_Type_indexed(count, b.data(), p.data(), old.type, type),
                       MPI_Type_indexed_c(count, bc.data(), pc.data(), old.type, type)) == MPI_SUCCESS;
    case 5:
      made->description = fmt::format("hindexed{}({}, {}, {})", form, blocks, places_bytes, old.description);
      return CONSTRUCT(large, MPI_Type_create_hindexed(count, b.data(), pb.data(), old.type, type),
                       MPI_Type_create_hindexed_c(count, bc.data(), pbc.data(), old.type, type)) ==
             MPI_SUCCESS;
    case 6:
      made->description = fmt::format("indexed_block{}({}, {}, {})", form, block, places, old.description);
      return CONSTRUCT(large, MPI_Type_create_indexed_block(count, block, p.data(), old.type, type),
                       MPI_Type_create_indexed_block_c(count, block, pc.data(), old.type, type)) ==
             MPI_SUCCESS;
    case 7:
      made->description =
          fmt::format("hindexed_block{}({}, {}, {})", form, block, places_bytes, old.description);
      return CONSTRUCT(large, MPI_Type_create_hindexed_block(count, block, pb.data(), old.type, type),
                       MPI_Type_create_hindexed_block_c(count, block, pbc.data(), old.type, type)) ==
             MPI_SUCCESS;
    default: {
      const int64_t new_lower = lower + number(-2, 2) * unit, new_extent = number(-2, 12) * unit / 2;
      made->description = fmt::format("resized{}({}, {}, {})", form, old.description, new_lower, new_extent);
      return CONSTRUCT(large, MPI_Type_create_resized(old.type, new_lower, new_extent, type),
                       MPI_Type_create_resized_c(old.type, new_lower, new_extent, type)) == MPI_SUCCESS;
    }
  }
}

bool TypeMaker::construct_struct(const RandomType& old, RandomType* made) {
  const bool large = has_large && number(0, 1) == 1;
  RandomType other = make_inner(1, 64);
  std::vector<RandomType> parts = {make_named(), old, other, old};
  parts.resize(number(0, 4), old);
  std::vector<int64_t> blocks, places;
  std::vector<MPI_Datatype> types;
  int64_t next = number(-20, 20);
  made->description = large ? "struct_c(" : "struct(";
  for (const RandomType& part : parts) {
    Bounds bounds = bounds_of(part.type);
    blocks.push_back(number(0, 3));
    places.push_back(next - bounds.lower);
    types.push_back(part.type);
    made->one_element |= part.one_element;
    made->exact_bounds &= part.exact_bounds;
    if (blocks.back() == 0) distrust(made);
    next += (bounds.upper - bounds.lower) * blocks.back() + number(-5, 10);
    made->description += fmt::format("{}*{}@{} ", blocks.back(), part.description, places.back());
  }
#if defined(MPICH_VERSION) && defined(MPI_LB) && defined(MPI_UB)
  if (number(0, 4) == 0) {  // MPI-1's markers
    for (MPI_Datatype marker : {MPI_LB, MPI_UB}) {
      blocks.push_back(1);
      places.push_back(marker == MPI_LB ? -number(0, 30) : next + number(0, 30));
      types.push_back(marker);
      made->description += fmt::format("{}@{} ", marker == MPI_LB ? "lb" : "ub", places.back());
    }
  }
#endif
  made->description += ")";
  types.reserve(1);
  const int count = static_cast<int>(types.size());
  const auto b = as<int>(blocks);
  const auto p = as<MPI_Aint>(places);
  const auto bc = as<MPI_Count>(blocks), pc = as<MPI_Count>(places);
  const int code =
      CONSTRUCT(large, MPI_Type_create_struct(count, b.data(), p.data(), types.data(), &made->type),
                MPI_Type_create_struct_c(count, bc.data(), pc.data(), types.data(), &made->type));
  free(other);
  return code == MPI_SUCCESS;
}

bool TypeMaker::construct_array(const RandomType& old, RandomType* made) {
  const bool large = has_large && number(0, 1) == 1;
  const char* form = large ? "_c" : "";
  const int dimensions = static_cast<int>(number(1, 3));
  const int order = number(0, 1) ? MPI_ORDER_C : MPI_ORDER_FORTRAN;
  const char* order_name = order == MPI_ORDER_C ? "c" : "fortran";
  std::vector<int> sizes, subsizes, starts, kinds, arguments, grid;
  int ranks = 1;
  [[maybe_unused]] bool cyclic = false;
  for (int i = 0; i < dimensions; ++i) {
    sizes.push_back(static_cast<int>(number(1, 7)));
    subsizes.push_back(static_cast<int>(number(1, sizes[i])));
    starts.push_back(static_cast<int>(number(0, sizes[i] - subsizes[i])));
    kinds.push_back(
        std::array{MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_NONE}[number(0, 2)]);
    grid.push_back(kinds[i] == MPI_DISTRIBUTE_NONE ? 1 : static_cast<int>(number(1, 3)));
    arguments.push_back(MPI_DISTRIBUTE_DFLT_DARG);
    if (kinds[i] == MPI_DISTRIBUTE_CYCLIC && number(0, 1)) arguments[i] = static_cast<int>(number(1, 3));
    if (kinds[i] == MPI_DISTRIBUTE_BLOCK && number(0, 1)) arguments[i] = (sizes[i] + grid[i] - 1) / grid[i];
    ranks *= grid[i];
    cyclic |= kinds[i] == MPI_DISTRIBUTE_CYCLIC;
  }
  const auto sizes_c = as<MPI_Count>(sizes), subsizes_c = as<MPI_Count>(subsizes),
             starts_c = as<MPI_Count>(starts);
  if (number(0, 1)) {
    made->description = fmt::format("subarray{}({}, {}, {}, {}, {})", form, sizes, subsizes, starts,
                                    order_name, old.description);
    return CONSTRUCT(large,
                     MPI_Type_create_subarray(dimensions, sizes.data(), subsizes.data(), starts.data(), order,
                                              old.type, &made->type),
                     MPI_Type_create_subarray_c(dimensions, sizes_c.data(), subsizes_c.data(),
                                                starts_c.data(), order, old.type, &made->type)) ==
           MPI_SUCCESS;
  }
#ifndef OPEN_MPI                           // MPICH, also behind the MPI standard's ABI
  if (cyclic) made->exact_bounds = false;  // it is made of parts, and a part may be empty
#endif
  const int rank = static_cast<int>(number(0, ranks - 1));
  made->description = fmt::format("darray{}({} of {}, {}, kinds {}, arguments {}, grid {}, {}, {})", form,
                                  rank, ranks, sizes, kinds, arguments, grid, order_name, old.description);
  return CONSTRUCT(large,
                   MPI_Type_create_darray(ranks, rank, dimensions, sizes.data(), kinds.data(),
                                          arguments.data(), grid.data(), order, old.type, &made->type),
                   MPI_Type_create_darray_c(ranks, rank, dimensions, sizes_c.data(), kinds.data(),
                                            arguments.data(), grid.data(), order, old.type, &made->type)) ==
         MPI_SUCCESS;
}
