// How a datatype was constructed: MPI's envelope and contents, in one form for the int and the large-count
// constructors.
#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "base/result.h"
#include "pattern/numbers.h"

namespace concilio::mpi {

// The combiners of MPI-1's constructors with integer displacements, which only Fortran uses. Open MPI built
// without MPI-1 hides their names but keeps their values. The ABI of the MPI 5 standard has neither.
#if defined(OPEN_MPI) && !OMPI_ENABLE_MPI1_COMPAT
inline constexpr int combiner_hvector_integer = OMPI_WAS_MPI_COMBINER_HVECTOR_INTEGER;
inline constexpr int combiner_hindexed_integer = OMPI_WAS_MPI_COMBINER_HINDEXED_INTEGER;
inline constexpr int combiner_struct_integer = OMPI_WAS_MPI_COMBINER_STRUCT_INTEGER;
#elif defined(MPI_ABI_VERSION) && !defined(MPICH_VERSION)
inline constexpr int combiner_hvector_integer = -1, combiner_hindexed_integer = -2,
                     combiner_struct_integer = -3;
#else
inline constexpr int combiner_hvector_integer = MPI_COMBINER_HVECTOR_INTEGER;
inline constexpr int combiner_hindexed_integer = MPI_COMBINER_HINDEXED_INTEGER;
inline constexpr int combiner_struct_integer = MPI_COMBINER_STRUCT_INTEGER;
#endif

// How many arguments of each sort a constructor was called with. MPI_Count also holds the numbers of the int
// forms.
struct Envelope {
  MPI_Count integers = 0, addresses = 0, counts = 0, types = 0;
  int combiner = MPI_COMBINER_NAMED;

  static Result<Envelope> of(MPI_Datatype type);

  // Whether the handle belongs to MPI. Such a handle is never freed, and never given to another type.
  bool permanent() const;
  bool structure() const { return combiner == MPI_COMBINER_STRUCT || combiner == combiner_struct_integer; }
};

// The arguments that a constructor was called with. The numbers are in the order of the constructor's
// parameters, whichever of MPI's arrays they came in. The types are references counted by MPI; the destructor
// gives them back.
class Contents {
 public:
  Contents(Contents&& other) noexcept = default;
  Contents& operator=(Contents&&) = delete;
  ~Contents();

  static Result<Contents> of(MPI_Datatype type, const Envelope& envelope);

  int64_t take();
  // Takes the numbers of one array parameter.
  pattern::Numbers take(int64_t count);
  // Whether there were exactly as many numbers as have been taken.
  bool exact() const { return enough_ && taken_ == count_; }
  size_t count() const { return count_; }
  // The number at index i, without taking it.
  int64_t number(size_t i) const;
  std::span<const MPI_Datatype> types() const { return types_; }
  int64_t memory_bytes() const { return memory_bytes_; }

 private:
  Contents() = default;
  // The arrays that MPI has filled, and their numbers as pieces of the arrays, in the order of the
  // parameters.
  std::unique_ptr<std::byte[]> memory_;
  int64_t memory_bytes_ = 0;
  std::array<pattern::Numbers, 4> pieces_;
  std::span<const MPI_Datatype> types_;
  size_t count_ = 0, taken_ = 0;
  size_t piece_ = 0, taken_of_piece_ = 0;  // where the next number is taken
  bool enough_ = true;
};

// Whether the handle belongs to MPI. Such a handle is never freed, and never given to another type.
bool is_permanent(MPI_Datatype type);

}  // namespace concilio::mpi
