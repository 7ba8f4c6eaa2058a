#include "mpi/types/envelope.h"

#include <algorithm>

namespace concilio::mpi {
namespace {

Error error_of(const char* message) {
  return Error{ErrorKind::datatype, 0, message};
}

}  // namespace

Result<Envelope> Envelope::of(MPI_Datatype type) {
  Envelope envelope;
#if MPI_VERSION >= 4
  int code = PMPI_Type_get_envelope_c(type, &envelope.integers, &envelope.addresses, &envelope.counts,
                                      &envelope.types, &envelope.combiner);
#else
  int integers = 0, addresses = 0, types = 0;
  int code = PMPI_Type_get_envelope(type, &integers, &addresses, &types, &envelope.combiner);
  envelope.integers = integers;
  envelope.addresses = addresses;
  envelope.types = types;
#endif
  if (code != MPI_SUCCESS) return error_of("MPI_Type_get_envelope refuses the datatype");
  return envelope;
}

bool Envelope::permanent() const {
  return combiner == MPI_COMBINER_NAMED || combiner == MPI_COMBINER_F90_REAL ||
         combiner == MPI_COMBINER_F90_COMPLEX || combiner == MPI_COMBINER_F90_INTEGER;
}

Contents::~Contents() {
  for (MPI_Datatype type : types_) {
    auto envelope = Envelope::of(type);
    if (envelope && !envelope->permanent()) PMPI_Type_free(&type);
  }
}

Result<Contents> Contents::of(MPI_Datatype type, const Envelope& envelope) {
  Contents contents;
  // Each array has one element more than needed, because some MPIs refuse a null pointer.
  contents.integers_.resize(envelope.integers + 1);
  contents.addresses_.resize(envelope.addresses + 1);
  contents.counts_.resize(envelope.counts + 1);
  contents.types_.resize(envelope.types + 1);
#if MPI_VERSION >= 4
  int code = PMPI_Type_get_contents_c(type, envelope.integers, envelope.addresses, envelope.counts,
                                      envelope.types, contents.integers_.data(), contents.addresses_.data(),
                                      contents.counts_.data(), contents.types_.data());
#else
  int code =
      PMPI_Type_get_contents(type, static_cast<int>(envelope.integers), static_cast<int>(envelope.addresses),
                             static_cast<int>(envelope.types), contents.integers_.data(),
                             contents.addresses_.data(), contents.types_.data());
#endif
  if (code != MPI_SUCCESS) {
    contents.types_.clear();
    return error_of("MPI_Type_get_contents refuses the datatype");
  }
  contents.types_.resize(envelope.types);
  const pattern::Numbers integers = pattern::Numbers(contents.integers_).subspan(0, envelope.integers),
                         addresses = pattern::Numbers(contents.addresses_).subspan(0, envelope.addresses),
                         counts = pattern::Numbers(contents.counts_).subspan(0, envelope.counts);
  // The large-count forms return the counts last, but two constructors have other integer parameters behind
  // their counts.
  size_t before_counts = integers.size();
  if (envelope.combiner == MPI_COMBINER_SUBARRAY) before_counts = std::min<size_t>(before_counts, 1);
  if (envelope.combiner == MPI_COMBINER_DARRAY) before_counts = std::min<size_t>(before_counts, 3);
  const pattern::Numbers first = integers.subspan(0, before_counts),
                         rest = integers.subspan(before_counts, integers.size() - before_counts);
  contents.pieces_ = rest.size() == 0 ? std::array{first, addresses, counts, rest}
                                      : std::array{first, counts, rest, addresses};
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

int64_t Contents::memory_bytes() const {
  return static_cast<int64_t>(integers_.capacity() * sizeof(int) + addresses_.capacity() * sizeof(MPI_Aint) +
                              counts_.capacity() * sizeof(MPI_Count) +
                              types_.capacity() * sizeof(MPI_Datatype));
}

bool is_permanent(MPI_Datatype type) {
  auto envelope = Envelope::of(type);
  return envelope && envelope->permanent();
}

}  // namespace concilio::mpi
