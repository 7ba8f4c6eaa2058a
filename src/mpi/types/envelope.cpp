#include "mpi/types/envelope.h"

#include <algorithm>

#include "mpi/types/contiguous_types.h"

// MPIs of version 3.1 that share MPICH's ABI (Intel MPI, MVAPICH2) load the library for MPICH 4, and do not
// have these.
#if MPI_VERSION >= 4
#pragma weak PMPI_Type_get_envelope_c
#pragma weak PMPI_Type_get_contents_c
#endif

namespace concilio::mpi {
namespace {

Error error_of(const char* message) {
  return Error{ErrorKind::datatype, 0, message};
}

int contents_of(MPI_Datatype type, const Envelope& envelope, int* integers, MPI_Aint* addresses,
                [[maybe_unused]] MPI_Count* counts, MPI_Datatype* types) {
#if MPI_VERSION >= 4
  if (PMPI_Type_get_contents_c) {
    return PMPI_Type_get_contents_c(type, envelope.integers, envelope.addresses, envelope.counts,
                                    envelope.types, integers, addresses, counts, types);
  }
#endif
  return PMPI_Type_get_contents(type, static_cast<int>(envelope.integers),
                                static_cast<int>(envelope.addresses), static_cast<int>(envelope.types),
                                integers, addresses, types);
}

}  // namespace

Result<Envelope> Envelope::of(MPI_Datatype type) {
  Envelope envelope;
  constexpr const char* refused = "MPI_Type_get_envelope refuses the datatype";
#if MPI_VERSION >= 4
  if (PMPI_Type_get_envelope_c) {
    const int code = PMPI_Type_get_envelope_c(type, &envelope.integers, &envelope.addresses, &envelope.counts,
                                              &envelope.types, &envelope.combiner);
    if (code != MPI_SUCCESS) return error_of(refused);
    return envelope;
  }
#endif
  int integers = 0, addresses = 0, types = 0;
  if (PMPI_Type_get_envelope(type, &integers, &addresses, &types, &envelope.combiner) != MPI_SUCCESS)
    return error_of(refused);
  envelope.integers = integers;
  envelope.addresses = addresses;
  envelope.types = types;
  return envelope;
}

bool Envelope::permanent() const {
  return combiner == MPI_COMBINER_NAMED || combiner == MPI_COMBINER_F90_REAL ||
         combiner == MPI_COMBINER_F90_COMPLEX || combiner == MPI_COMBINER_F90_INTEGER;
}

Contents::~Contents() {
  if (!memory_) return;  // moved away
  // Members of a struct are often alike.
  bool permanent = false;
  for (size_t i = 0; i < types_.size(); ++i) {
    if (i == 0 || types_[i] != types_[i - 1]) permanent = is_permanent(types_[i]);
    MPI_Datatype type = types_[i];
    if (!permanent) PMPI_Type_free(&type);
  }
}

Result<Contents> Contents::of(MPI_Datatype type, const Envelope& envelope) {
  Contents contents;
  // The arrays lie one behind another, those of the widest elements first. An empty one has an address too,
  // because some MPIs refuse a null pointer.
  static_assert(sizeof(MPI_Count) >= sizeof(MPI_Aint) && sizeof(MPI_Aint) >= sizeof(MPI_Datatype) &&
                sizeof(MPI_Datatype) >= sizeof(int));
  contents.memory_bytes_ =
      static_cast<int64_t>(envelope.counts * sizeof(MPI_Count) + envelope.addresses * sizeof(MPI_Aint) +
                           envelope.types * sizeof(MPI_Datatype) + envelope.integers * sizeof(int));
  contents.memory_ = std::make_unique_for_overwrite<std::byte[]>(contents.memory_bytes_);
  auto* counts = reinterpret_cast<MPI_Count*>(contents.memory_.get());
  auto* addresses = reinterpret_cast<MPI_Aint*>(counts + envelope.counts);
  auto* types = reinterpret_cast<MPI_Datatype*>(addresses + envelope.addresses);
  auto* integers = reinterpret_cast<int*>(types + envelope.types);
  if (contents_of(type, envelope, integers, addresses, counts, types) != MPI_SUCCESS)
    return error_of("MPI_Type_get_contents refuses the datatype");
  contents.types_ = {types, static_cast<size_t>(envelope.types)};
  // The large-count forms return the counts last, but two constructors have other integer parameters behind
  // their counts.
  auto before_counts = static_cast<size_t>(envelope.integers);
  if (envelope.combiner == MPI_COMBINER_SUBARRAY) before_counts = std::min<size_t>(before_counts, 1);
  if (envelope.combiner == MPI_COMBINER_DARRAY) before_counts = std::min<size_t>(before_counts, 3);
  const auto numbers = [](const auto* array, MPI_Count count) {
    return pattern::Numbers(std::span(array, static_cast<size_t>(count)));
  };
  const pattern::Numbers all = numbers(integers, envelope.integers), first = all.subspan(0, before_counts),
                         rest = all.subspan(before_counts, all.size() - before_counts);
  const pattern::Numbers of_addresses = numbers(addresses, envelope.addresses),
                         of_counts = numbers(counts, envelope.counts);
  contents.pieces_ = rest.size() == 0 ? std::array{first, of_addresses, of_counts, rest}
                                      : std::array{first, of_counts, rest, of_addresses};
  for (const pattern::Numbers& piece : contents.pieces_) contents.count_ += piece.size();
  return contents;
}

pattern::Numbers Contents::take(int64_t count) {
  while (piece_ < pieces_.size() && taken_of_piece_ == pieces_[piece_].size()) {
    ++piece_;
    taken_of_piece_ = 0;
  }
  if (count == 0) return {};
  if (count < 0 || piece_ == pieces_.size() ||
      count > static_cast<int64_t>(pieces_[piece_].size() - taken_of_piece_))
    enough_ = false;
  if (!enough_) return {};
  const auto taken = static_cast<size_t>(count);
  taken_of_piece_ += taken;
  taken_ += taken;
  return pieces_[piece_].subspan(taken_of_piece_ - taken, taken);
}

int64_t Contents::take() {
  const pattern::Numbers one = take(1);
  return one.size() == 1 ? one[0] : 0;
}

int64_t Contents::number(size_t i) const {
  for (const pattern::Numbers& piece : pieces_) {
    if (i < piece.size()) return piece[i];
    i -= piece.size();
  }
  return 0;
}

bool is_permanent(MPI_Datatype type) {
  if (known_permanent(type)) return true;
  auto envelope = Envelope::of(type);
  return envelope && envelope->permanent();
}

}  // namespace concilio::mpi
