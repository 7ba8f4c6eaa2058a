#include "mpi/datatype.h"

#include <fmt/format.h>

#include <cstddef>
#include <map>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

namespace concilio {
namespace {

using Ref = std::shared_ptr<const DataType>;

// MPI-1's forms with integer displacements, which only Fortran makes. Open MPI hides their names where it has
// no MPI-1, but keeps their values. The MPI 5 standard's ABI has neither.
#if defined(OPEN_MPI) && !OMPI_ENABLE_MPI1_COMPAT
constexpr int combiner_hvector_integer = OMPI_WAS_MPI_COMBINER_HVECTOR_INTEGER;
constexpr int combiner_hindexed_integer = OMPI_WAS_MPI_COMBINER_HINDEXED_INTEGER;
constexpr int combiner_struct_integer = OMPI_WAS_MPI_COMBINER_STRUCT_INTEGER;
#elif defined(MPI_ABI_VERSION) && !defined(MPICH_VERSION)
constexpr int combiner_hvector_integer = -1, combiner_hindexed_integer = -2, combiner_struct_integer = -3;
#else
constexpr int combiner_hvector_integer = MPI_COMBINER_HVECTOR_INTEGER;
constexpr int combiner_hindexed_integer = MPI_COMBINER_HINDEXED_INTEGER;
constexpr int combiner_struct_integer = MPI_COMBINER_STRUCT_INTEGER;
#endif

Error error_of(std::string message) {
  return Error{ErrorKind::datatype, 0, std::move(message)};
}

// How many arguments of each sort a constructor was called with. MPI_Count holds what the int form gives,
// too.
struct Envelope {
  MPI_Count integers = 0, addresses = 0, counts = 0, types = 0;
  int combiner = MPI_COMBINER_NAMED;

  static Result<Envelope> of(MPI_Datatype type) {
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

  // Handles of such types belong to MPI: never freed, and never given to another type.
  bool permanent() const {
    return combiner == MPI_COMBINER_NAMED || combiner == MPI_COMBINER_F90_REAL ||
           combiner == MPI_COMBINER_F90_COMPLEX || combiner == MPI_COMBINER_F90_INTEGER;
  }
};

// What a constructor was called with. The numbers stand in the order of the constructor's own parameters,
// whichever of MPI's arrays they came in. The types are references that MPI counts, given back at the end.
class Contents {
 public:
  Contents() = default;
  Contents(Contents&& other) noexcept : numbers_(std::move(other.numbers_)), types_(std::move(other.types_)) {
    other.types_.clear();
  }
  Contents& operator=(Contents&&) = delete;
  ~Contents() {
    for (MPI_Datatype type : types_) {
      auto envelope = Envelope::of(type);
      if (envelope && !envelope->permanent()) PMPI_Type_free(&type);
    }
  }

  static Result<Contents> of(MPI_Datatype type, const Envelope& envelope) {
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

  int64_t take() {
    return fits(1) ? numbers_[next_++] : 0;
  }
  std::span<const int64_t> take(int64_t count) {
    if (!fits(count)) return {};
    next_ += count;
    return std::span(numbers_).subspan(next_ - count, count);
  }
  // Whether the numbers were as many as were taken.
  bool exact() const {
    return enough_ && next_ == std::ssize(numbers_);
  }
  std::span<const MPI_Datatype> types() const {
    return types_;
  }

 private:
  bool fits(int64_t count) {
    if (count < 0 || count > std::ssize(numbers_) - next_) enough_ = false;
    return enough_;
  }
  std::vector<int64_t> numbers_;
  std::vector<MPI_Datatype> types_;
  int64_t next_ = 0;
  bool enough_ = true;
};

// The named types whose bytes are not one piece.
struct PairType {
  MPI_Datatype type;
  int64_t value_bytes, index_offset;
};

template <typename Value>
PairType pair_type(MPI_Datatype type) {
  struct Pair {
    Value value;
    int index;
  };
  return {type, sizeof(Value), offsetof(Pair, index)};
}

Result<DataType> named(MPI_Datatype type, int64_t size, int64_t extent) {
  MPI_Count true_lower = 0, true_extent = 0;
  if (PMPI_Type_get_true_extent_x(type, &true_lower, &true_extent) != MPI_SUCCESS)
    return error_of("MPI_Type_get_true_extent_x refuses the datatype");
  if (true_extent == size) return type_bytes(size);
  for (const PairType& pair : {pair_type<float>(MPI_FLOAT_INT), pair_type<double>(MPI_DOUBLE_INT),
                               pair_type<long>(MPI_LONG_INT), pair_type<short>(MPI_SHORT_INT),
                               pair_type<long double>(MPI_LONG_DOUBLE_INT), pair_type<int>(MPI_2INT)}) {
    if (pair.type != type) continue;
    const int64_t offsets[] = {0, pair.index_offset};
    const int64_t lengths[] = {pair.value_bytes, sizeof(int)};
    return type_named(offsets, lengths, extent);
  }
  char name[MPI_MAX_OBJECT_NAME] = "";
  int length = 0;
  PMPI_Type_get_name(type, name, &length);
  return error_of(fmt::format("the named datatype {} has {} bytes spread over {}, in a way that is not known",
                              name, size, static_cast<int64_t>(true_extent)));
}

Distribution distribution_of(int64_t number) {
  if (number == MPI_DISTRIBUTE_BLOCK) return Distribution::block;
  if (number == MPI_DISTRIBUTE_CYCLIC) return Distribution::cyclic;
  return Distribution::none;
}

ArrayOrder order_of(int64_t number) {
  return number == MPI_ORDER_FORTRAN ? ArrayOrder::fortran : ArrayOrder::c;
}

Result<DataType> build_darray(Contents& contents, const DataType& old) {
  int64_t ranks = contents.take(), rank = contents.take(), dimensions = contents.take();
  auto sizes = contents.take(dimensions), kinds = contents.take(dimensions);
  auto raw_arguments = contents.take(dimensions), process_sizes = contents.take(dimensions);
  int64_t order = contents.take();
  if (!contents.exact()) return error_of("MPI_Type_get_contents gives other arguments than a darray has");
  std::vector<Distribution> distributions;
  for (int64_t kind : kinds) distributions.push_back(distribution_of(kind));
  std::vector<int64_t> arguments(raw_arguments.begin(), raw_arguments.end());
  for (int64_t& argument : arguments)
    if (argument == MPI_DISTRIBUTE_DFLT_DARG) argument = default_distribution_argument;
  return type_darray(ranks, rank, sizes, distributions, arguments, process_sizes, order_of(order), old);
}

Result<DataType> build_subarray(Contents& contents, const DataType& old) {
  int64_t dimensions = contents.take();
  auto sizes = contents.take(dimensions), subsizes = contents.take(dimensions),
       starts = contents.take(dimensions);
  int64_t order = contents.take();
  if (!contents.exact()) return error_of("MPI_Type_get_contents gives other arguments than a subarray has");
  return type_subarray(sizes, subsizes, starts, order_of(order), old);
}

Result<DataType> build_struct(Contents& contents, std::span<const DataType> old) {
  int64_t count = contents.take();
  auto lengths = contents.take(count), displacements = contents.take(count);
  if (!contents.exact() || std::ssize(old) != count)
    return error_of("MPI_Type_get_contents gives other arguments than a struct has");
  return type_struct(lengths, displacements, old);
}

// (h)indexed: count, lengths, displacements.
template <typename Builder>
Result<DataType> build_indexed(Contents& contents, const DataType& old, Builder builder) {
  int64_t count = contents.take();
  auto lengths = contents.take(count), displacements = contents.take(count);
  if (!contents.exact())
    return error_of("MPI_Type_get_contents gives other arguments than an indexed type has");
  return builder(lengths, displacements, old);
}

// (h)indexed_block: count, length, displacements.
template <typename Builder>
Result<DataType> build_indexed_block(Contents& contents, const DataType& old, Builder builder) {
  int64_t count = contents.take(), length = contents.take();
  auto displacements = contents.take(count);
  if (!contents.exact())
    return error_of("MPI_Type_get_contents gives other arguments than an indexed block has");
  return builder(length, displacements, old);
}

// (h)vector: count, length, stride.
template <typename Builder>
Result<DataType> build_vector(Contents& contents, const DataType& old, Builder builder) {
  int64_t count = contents.take(), length = contents.take(), stride = contents.take();
  if (!contents.exact()) return error_of("MPI_Type_get_contents gives other arguments than a vector has");
  return builder(count, length, stride, old);
}

Result<DataType> build_derived(int combiner, Contents& contents) {
  std::vector<DataType> old;
  for (MPI_Datatype inner : contents.types()) {
    auto decoded = decode(inner);
    if (!decoded) return decoded.error();
    old.push_back(**decoded);
  }
  if (combiner == MPI_COMBINER_STRUCT || combiner == combiner_struct_integer)
    return build_struct(contents, old);
  if (old.size() != 1)
    return error_of(fmt::format("combiner {} with {} inner datatypes", combiner, old.size()));
  switch (combiner) {
    case MPI_COMBINER_DUP:
      return old[0];
    case MPI_COMBINER_CONTIGUOUS: {
      int64_t count = contents.take();
      if (!contents.exact()) break;
      return type_contiguous(count, old[0]);
    }
    case MPI_COMBINER_RESIZED: {
      int64_t lower = contents.take(), extent = contents.take();
      if (!contents.exact()) break;
      return type_resized(old[0], lower, extent);
    }
    case MPI_COMBINER_VECTOR:
      return build_vector(contents, old[0], type_vector);
    case MPI_COMBINER_HVECTOR:
    case combiner_hvector_integer:
      return build_vector(contents, old[0], type_hvector);
    case MPI_COMBINER_INDEXED:
      return build_indexed(contents, old[0], type_indexed);
    case MPI_COMBINER_HINDEXED:
    case combiner_hindexed_integer:
      return build_indexed(contents, old[0], type_hindexed);
    case MPI_COMBINER_INDEXED_BLOCK:
      return build_indexed_block(contents, old[0], type_indexed_block);
    case MPI_COMBINER_HINDEXED_BLOCK:
      return build_indexed_block(contents, old[0], type_hindexed_block);
    case MPI_COMBINER_SUBARRAY:
      return build_subarray(contents, old[0]);
    case MPI_COMBINER_DARRAY:
      return build_darray(contents, old[0]);
  }
  return error_of(fmt::format("a datatype made in a way that is not known (combiner {})", combiner));
}

Result<DataType> build(MPI_Datatype type, const Envelope& envelope) {
  MPI_Count size = 0, lower = 0, extent = 0;
  if (PMPI_Type_size_x(type, &size) != MPI_SUCCESS ||
      PMPI_Type_get_extent_x(type, &lower, &extent) != MPI_SUCCESS)
    return error_of("MPI does not give the datatype's size and extent");
  if (size < 0) return Error{ErrorKind::count, 0, "the datatype's size does not fit into 64 bits"};
  Result<DataType> built = [&]() -> Result<DataType> {
    if (envelope.combiner == MPI_COMBINER_NAMED) return named(type, size, extent);
    if (envelope.permanent()) return type_bytes(size);  // a Fortran kind chosen by precision
    auto contents = Contents::of(type, envelope);
    if (!contents) return contents.error();
    return build_derived(envelope.combiner, *contents);
  }();
  if (!built) return built;
  // A wrong size would silently move wrong bytes.
  if (built->size() != size)
    return error_of(fmt::format("the datatype (combiner {}) was decoded to {} bytes, but has {}",
                                envelope.combiner, built->size(), static_cast<int64_t>(size)));
  // MPI's own bounds count: they include a struct's padding and MPI-1's bound markers.
  built->lower_bound = lower;
  built->extent = extent;
  return built;
}

// The attribute's value is a Ref of its own.
int copy_attribute(MPI_Datatype, int, void*, void* value, void* copy, int* flag) {
  auto* duplicate = new (std::nothrow) Ref(*static_cast<Ref*>(value));
  *static_cast<void**>(copy) = duplicate;
  *flag = duplicate != nullptr;
  return MPI_SUCCESS;
}

int drop_attribute(MPI_Datatype, int, void* value, void*) {
  delete static_cast<Ref*>(value);
  return MPI_SUCCESS;
}

// What was decoded: derived types hold it themselves, as an attribute; MPI's own types, which cannot all hold
// one, stand in a map. The callbacks above run inside MPI and so take no lock.
class Cache {
 public:
  static Cache& instance() {
    static auto* cache = new Cache;  // never destroyed: MPI may still free types when the program ends
    return *cache;
  }

  Ref find(MPI_Datatype type, bool permanent) {
    std::lock_guard lock(mutex_);
    return find_locked(type, permanent);
  }

  // The first to come wins, so that nobody drops what another thread is copying.
  Ref keep(MPI_Datatype type, bool permanent, Ref decoded) {
    std::lock_guard lock(mutex_);
    if (Ref found = find_locked(type, permanent)) return found;
    if (permanent) {
      permanent_.emplace(type, decoded);
    } else if (have_keyval()) {
      auto* attribute = new Ref(decoded);
      if (PMPI_Type_set_attr(type, keyval_, attribute) != MPI_SUCCESS) delete attribute;
    }
    return decoded;
  }

 private:
  bool have_keyval() {
    if (keyval_ == MPI_KEYVAL_INVALID &&
        PMPI_Type_create_keyval(copy_attribute, drop_attribute, &keyval_, nullptr) != MPI_SUCCESS)
      keyval_ = MPI_KEYVAL_INVALID;
    return keyval_ != MPI_KEYVAL_INVALID;
  }

  Ref find_locked(MPI_Datatype type, bool permanent) {
    if (permanent) {
      auto found = permanent_.find(type);
      return found == permanent_.end() ? nullptr : found->second;
    }
    void* value = nullptr;
    int flag = 0;
    if (!have_keyval() || PMPI_Type_get_attr(type, keyval_, &value, &flag) != MPI_SUCCESS || !flag)
      return nullptr;
    return *static_cast<Ref*>(value);
  }

  std::mutex mutex_;
  int keyval_ = MPI_KEYVAL_INVALID;
  std::map<MPI_Datatype, Ref> permanent_;
};

}  // namespace

Result<std::shared_ptr<const DataType>> decode(MPI_Datatype type) {
  if (type == MPI_DATATYPE_NULL) return error_of("the datatype is MPI_DATATYPE_NULL");
  auto envelope = Envelope::of(type);
  if (!envelope) return envelope.error();
  Cache& cache = Cache::instance();
  if (Ref found = cache.find(type, envelope->permanent())) return found;
  auto built = build(type, *envelope);
  if (!built) return built.error();
  return cache.keep(type, envelope->permanent(), std::make_shared<const DataType>(std::move(*built)));
}

bool is_permanent(MPI_Datatype type) {
  auto envelope = Envelope::of(type);
  return envelope && envelope->permanent();
}

}  // namespace concilio
