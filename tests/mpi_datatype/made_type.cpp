#include "made_type.h"

#include <algorithm>

#include "common/mpi_type.h"
#include "common/type_generator.h"

using namespace tests;

namespace {

#ifdef OPEN_MPI
constexpr bool is_mpich = false;
#else
constexpr bool is_mpich = true;  // also with the MPI standard's ABI
#endif

// Whether the result of MPI_Pack can be compared.
bool packs(const std::string& basic) {
  // MPI_Pack need not copy the bytes of a long double that hold no part of the number.
  if (basic.find("LONG_DOUBLE") != basic.npos) return false;
    // Open MPI 5.0 packs several complex elements without the gaps between them.
#if defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5
  if (basic.find("COMPLEX") != basic.npos) return false;
#endif
  return true;
}

AnyStyle style_of_this_mpi() {
  AnyStyle style;
  for (size_t basic = 0; basic < basic_types().size(); ++basic) {
    if (packs(basic_types()[basic].name) && mpi_type_of(basic) != MPI_DATATYPE_NULL)
      style.basics.push_back(basic);
  }
  style.large = MPI_VERSION >= 4;
  style.markers = has_markers;
  // Open MPI 4.1 takes a stride of -1 byte for "the old type's extent".
  style.one_byte_back = is_mpich;
  // MPICH 4.0 packs an array of elements of a negative extent at another distance than the array's extent,
  // and may divide by zero where elements have no bytes.
  style.odd_children = !is_mpich;
  return style;
}

void set_trust(const TypeSpec& spec, MadeType* made) {
  for (const TypeSpec& child : spec.children) set_trust(child, made);
  // MPICH makes it from parts, and a part may be empty.
  const bool cyclic = std::count(spec.distributions.begin(), spec.distributions.end(), Spread::cyclic) > 0;
  if (is_mpich && cyclic) made->exact_bounds = false;
  // Places without bytes. Open MPI 4.1 packs several elements of such a type at a distance that is not its
  // extent, and MPICH 4.0 counts these places in the true extent.
  const bool empty_block =
      spec.kind == Kind::structure && std::count(spec.lengths.begin(), spec.lengths.end(), 0) > 0;
  if (empty_block || flatten(spec).size == 0) {
    made->one_element = true;
    made->exact_bounds = false;
  }
}

}  // namespace

Bounds bounds_of(MPI_Datatype type) {
  MPI_Count lower = 0, extent = 0, size = 0;
  MPI_Type_get_true_extent_x(type, &lower, &extent);
  MPI_Type_size_x(type, &size);
  return {lower, lower + extent, size};
}

MadeType make_type(Random& random, int depth, int64_t most_bytes) {
  static const AnyStyle style = style_of_this_mpi();
  for (;;) {
    const TypeSpec spec = random_any_type(random, style, depth, most_bytes);
    MadeType made{build(spec), describe(spec)};
    if (made.type == MPI_DATATYPE_NULL) continue;  // this MPI cannot make it
    set_trust(spec, &made);
    return made;
  }
}
