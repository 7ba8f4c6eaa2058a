#include "mpi/envelope.h"

#include <algorithm>

namespace concilio {
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
  // One element more than needed, since a null pointer is an error to some.
  std::vector<int> integers(envelope.integers + 1);
  std::vector<MPI_Aint> addresses(envelope.addresses + 1);
  std::vector<MPI_Count> counts(envelope.counts + 1);
  Contents contents;
  contents.types_.resize(envelope.types + 1);
#if MPI_VERSION >= 4
  int code =
      PMPI_Type_get_contents_c(type, envelope.integers, envelope.addresses, envelope.counts, envelope.types,
                               integers.data(), addresses.data(), counts.data(), contents.types_.data());
#else
  int code = PMPI_Type_get_contents(type, static_cast<int>(envelope.integers),
                                    static_cast<int>(envelope.addresses), static_cast<int>(envelope.types),
                                    integers.data(), addresses.data(), contents.types_.data());
#endif
  if (code != MPI_SUCCESS) {
    contents.types_.clear();
    return error_of("MPI_Type_get_contents refuses the datatype");
  }
  contents.types_.resize(envelope.types);
  auto& numbers = contents.numbers_;
  numbers.assign(integers.begin(), integers.end() - 1);
  numbers.insert(numbers.end(), addresses.begin(), addresses.end() - 1);
  // The large-count forms give the counts last, but two constructors have other integers behind theirs.
  ptrdiff_t place = std::ssize(numbers);
  if (envelope.combiner == MPI_COMBINER_SUBARRAY) place = std::min<ptrdiff_t>(place, 1);
  if (envelope.combiner == MPI_COMBINER_DARRAY) place = std::min<ptrdiff_t>(place, 3);
  numbers.insert(numbers.begin() + place, counts.begin(), counts.end() - 1);
  return contents;
}

int64_t Contents::take() {
  return fits(1) ? numbers_[next_++] : 0;
}

std::span<const int64_t> Contents::take(int64_t count) {
  if (!fits(count)) return {};
  next_ += count;
  return std::span(numbers_).subspan(next_ - count, count);
}

bool Contents::fits(int64_t count) {
  if (count < 0 || count > std::ssize(numbers_) - next_) enough_ = false;
  return enough_;
}

bool is_permanent(MPI_Datatype type) {
  auto envelope = Envelope::of(type);
  return envelope && envelope->permanent();
}

}  // namespace concilio
