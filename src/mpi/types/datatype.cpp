#include "mpi/types/datatype.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "base/exceptions.h"
#include "base/waiting.h"
#include "mpi/types/basic_types.h"
#include "mpi/types/contiguous_types.h"
#include "mpi/types/envelope.h"
#include "mpi/types/representation.h"
#include "mpi/types/type_cache.h"

namespace concilio::mpi {
namespace {

TypeCache<pattern::DataType>& cache() {
  static auto* instance = new TypeCache<pattern::DataType>;
  return *instance;
}

Error error_of(std::string message) {
  return Error{ErrorKind::datatype, 0, std::move(message)};
}

// The named types whose bytes are not contiguous.
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

Result<pattern::DataType> named(MPI_Datatype type, int64_t size, int64_t extent) {
  MPI_Count true_lower = 0, true_extent = 0;
  if (PMPI_Type_get_true_extent_x(type, &true_lower, &true_extent) != MPI_SUCCESS)
    return error_of("MPI_Type_get_true_extent_x refuses the datatype");
  if (true_extent == size) return pattern::type_bytes(size);
  for (const PairType& pair : {pair_type<float>(MPI_FLOAT_INT), pair_type<double>(MPI_DOUBLE_INT),
                               pair_type<long>(MPI_LONG_INT), pair_type<short>(MPI_SHORT_INT),
                               pair_type<long double>(MPI_LONG_DOUBLE_INT), pair_type<int>(MPI_2INT)}) {
    if (pair.type != type) continue;
    const int64_t offsets[] = {0, pair.index_offset};
    const int64_t lengths[] = {pair.value_bytes, sizeof(int)};
    return pattern::type_named(offsets, lengths, extent);
  }
  return error_of(fmt::format("the named datatype {} has {} bytes spread over {}, in a way that is not known",
                              name_of(type), size, static_cast<int64_t>(true_extent)));
}

pattern::Distribution distribution_of(int64_t number) {
  if (number == MPI_DISTRIBUTE_BLOCK) return pattern::Distribution::block;
  if (number == MPI_DISTRIBUTE_CYCLIC) return pattern::Distribution::cyclic;
  return pattern::Distribution::none;
}

pattern::ArrayOrder order_of(int64_t number) {
  return number == MPI_ORDER_FORTRAN ? pattern::ArrayOrder::fortran : pattern::ArrayOrder::c;
}

Result<pattern::DataType> build_darray(Contents& contents, const pattern::DataType& old) {
  int64_t ranks = contents.take(), rank = contents.take(), dimensions = contents.take();
  const auto sizes = contents.take(dimensions).copy(), kinds = contents.take(dimensions).copy();
  auto arguments = contents.take(dimensions).copy();
  const auto process_sizes = contents.take(dimensions).copy();
  int64_t order = contents.take();
  if (!contents.exact()) return error_of("MPI_Type_get_contents gives other arguments than a darray has");
  std::vector<pattern::Distribution> distributions;
  distributions.reserve(kinds.size());
  for (int64_t kind : kinds) distributions.push_back(distribution_of(kind));
  for (int64_t& argument : arguments)
    if (argument == MPI_DISTRIBUTE_DFLT_DARG) argument = pattern::default_distribution_argument;
  return type_darray(ranks, rank, sizes, distributions, arguments, process_sizes, order_of(order), old);
}

Result<pattern::DataType> build_subarray(Contents& contents, const pattern::DataType& old) {
  int64_t dimensions = contents.take();
  const auto sizes = contents.take(dimensions).copy(), subsizes = contents.take(dimensions).copy(),
             starts = contents.take(dimensions).copy();
  int64_t order = contents.take();
  if (!contents.exact()) return error_of("MPI_Type_get_contents gives other arguments than a subarray has");
  return type_subarray(sizes, subsizes, starts, order_of(order), old);
}

Result<pattern::DataType> build_struct(Contents& contents, std::span<const pattern::DataType> old) {
  int64_t count = contents.take();
  const pattern::Numbers lengths = contents.take(count), displacements = contents.take(count);
  if (!contents.exact() || std::ssize(old) != count)
    return error_of("MPI_Type_get_contents gives other arguments than a struct has");
  return type_struct(lengths, displacements, old);
}

// The arguments of MPI_Type_(h)indexed: count, lengths, displacements.
template <typename Builder>
Result<pattern::DataType> build_indexed(Contents& contents, const pattern::DataType& old, Builder builder) {
  int64_t count = contents.take();
  const pattern::Numbers lengths = contents.take(count), displacements = contents.take(count);
  if (!contents.exact())
    return error_of("MPI_Type_get_contents gives other arguments than an indexed type has");
  return builder(lengths, displacements, old);
}

// The arguments of MPI_Type_create_(h)indexed_block: count, length, displacements.
template <typename Builder>
Result<pattern::DataType> build_indexed_block(Contents& contents, const pattern::DataType& old,
                                              Builder builder) {
  int64_t count = contents.take(), length = contents.take();
  const pattern::Numbers displacements = contents.take(count);
  if (!contents.exact())
    return error_of("MPI_Type_get_contents gives other arguments than an indexed block has");
  return builder(length, displacements, old);
}

// The arguments of MPI_Type_(h)vector: count, length, stride.
template <typename Builder>
Result<pattern::DataType> build_vector(Contents& contents, const pattern::DataType& old, Builder builder) {
  int64_t count = contents.take(), length = contents.take(), stride = contents.take();
  if (!contents.exact()) return error_of("MPI_Type_get_contents gives other arguments than a vector has");
  return builder(count, length, stride, old);
}

Result<pattern::DataType> build_derived(int combiner, Contents& contents,
                                        const std::vector<pattern::DataType>& old) {
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
      return build_vector(contents, old[0], pattern::type_vector);
    case MPI_COMBINER_HVECTOR:
    case combiner_hvector_integer:
      return build_vector(contents, old[0], pattern::type_hvector);
    case MPI_COMBINER_INDEXED:
      return build_indexed(contents, old[0], pattern::type_indexed);
    case MPI_COMBINER_HINDEXED:
    case combiner_hindexed_integer:
      return build_indexed(contents, old[0], pattern::type_hindexed);
    case MPI_COMBINER_INDEXED_BLOCK:
      return build_indexed_block(contents, old[0], pattern::type_indexed_block);
    case MPI_COMBINER_HINDEXED_BLOCK:
      return build_indexed_block(contents, old[0], pattern::type_hindexed_block);
    case MPI_COMBINER_SUBARRAY:
      return build_subarray(contents, old[0]);
    case MPI_COMBINER_DARRAY:
      return build_darray(contents, old[0]);
  }
  return error_of(fmt::format("a datatype made in a way that is not known (combiner {})", combiner));
}

// What making a pattern of `made_bytes` takes.
int64_t peak_bytes(const Contents& contents, int64_t old_bytes, int64_t made_bytes) {
  return contents.memory_bytes() + old_bytes + made_bytes;
}

// Whether to decode the datatype again takes less time than to keep its pattern on it, and to drop it with
// it.
bool is_short(const Envelope& envelope) {
  constexpr MPI_Count most_numbers = 64;
  return envelope.integers + envelope.addresses + envelope.counts <= most_numbers;
}

// The decoding of one datatype, and of those that it is made of.
class Decoding {
 public:
  // Records in the budget the peak of memory that the decoding has taken.
  Result<pattern::DataType> run(MPI_Datatype type, const Envelope& envelope, Budget& budget) {
    auto built = build(type, envelope);
    const Charge peak(budget, peak_bytes_);
    return built;
  }

 private:
  // The pattern of a datatype of which none is kept.
  Result<pattern::DataType> build(MPI_Datatype type, const Envelope& envelope) {
    MPI_Count size = 0, lower = 0, extent = 0;
    if (PMPI_Type_size_x(type, &size) != MPI_SUCCESS ||
        PMPI_Type_get_extent_x(type, &lower, &extent) != MPI_SUCCESS)
      return error_of("MPI does not give the datatype's size and extent");
    if (size < 0) return Error{ErrorKind::count, 0, "the datatype's size does not fit into 64 bits"};
    // A permanent type that is not named is a Fortran kind chosen by precision and range.
    auto built = envelope.combiner == MPI_COMBINER_NAMED ? named(type, size, extent)
                 : envelope.permanent()                  ? pattern::type_bytes(size)
                                                         : derived(type, envelope);
    if (!built) return built;
    // If the size were wrong, wrong bytes would be transferred silently.
    if (built->size() != size)
      return error_of(fmt::format("the datatype (combiner {}) was decoded to {} bytes, but has {}",
                                  envelope.combiner, built->size(), static_cast<int64_t>(size)));
    // MPI's own bounds are used, because they include a struct's padding and MPI-1's bound markers.
    built->lower_bound = lower;
    built->extent = extent;
    return built;
  }

  Result<pattern::DataType> derived(MPI_Datatype type, const Envelope& envelope) {
    auto contents = Contents::of(type, envelope);
    if (!contents) return contents.error();
    std::vector<pattern::DataType> old;
    old.reserve(contents->types().size());
    const std::span<const MPI_Datatype> types = contents->types();
    for (size_t i = 0; i < types.size(); ++i) {
      // Members of a struct are often alike.
      if (i > 0 && types[i] == types[i - 1]) {
        old.push_back(old.back());
        continue;
      }
      auto decoded = part(types[i]);
      if (!decoded) return decoded;
      old.push_back(std::move(*decoded));
    }
    auto made = build_derived(envelope.combiner, *contents, old);
    if (made) {
      const auto old_bytes = static_cast<int64_t>(old.capacity() * sizeof(pattern::DataType));
      peak_bytes_ = std::max(peak_bytes_, peak_bytes(*contents, old_bytes, made->nest->memory_bytes()));
    }
    return made;
  }

  Result<pattern::DataType> part(MPI_Datatype type) {
    if (known_permanent(type)) return pattern::type_bytes(contiguous_bytes(type));
    auto envelope = Envelope::of(type);
    if (!envelope) return envelope.error();
    const bool permanent = envelope->permanent();
    if (parts_are_copies && !permanent) return build(type, *envelope);
    if (auto found = cache().find(type, permanent)) return *found;
    const bool keeps = permanent || !is_short(*envelope) || unkept_ == most_unkept;
    if (!keeps) ++unkept_;
    auto built = build(type, *envelope);
    if (!built || !keeps) return built;
    return *cache().keep(type, permanent, std::make_shared<const pattern::DataType>(std::move(*built)));
  }

#if defined(OPEN_MPI)
  // MPI_Type_get_contents copies the derived types that it returns. A copy goes with the contents, so nothing
  // kept on it would be found again.
  static constexpr bool parts_are_copies = true;
#else
  static constexpr bool parts_are_copies = false;
#endif
  // A part may be in many others, and these in many more. So no more parts than this are decoded without
  // being kept.
  static constexpr int most_unkept = 256;
  int unkept_ = 0;
  int64_t peak_bytes_ = 0;
};

// How often datatypes have been decoded that are not kept. They are told apart by their handles and patterns;
// if two are taken for one, that one is kept too early.
class Sightings {
 public:
  // Notes that a datatype has been decoded. Whether it is time to keep it.
  bool often(MPI_Datatype type, const pattern::DataType& pattern) {
    constexpr uint64_t most = 3;  // the lower bits count the sightings, the others tell the datatype
    uint64_t key = std::hash<MPI_Datatype>()(type) ^ pattern.nest->hash();
    for (const int64_t number : {pattern.nest->lower(), pattern.lower_bound, pattern.extent})
      key = (key ^ static_cast<uint64_t>(number)) * 0x9E3779B97F4A7C15u;
    key &= ~most;
    std::atomic<uint64_t>& seen = seen_[key >> 58];
    const uint64_t before = seen.load(std::memory_order_relaxed);
    const uint64_t sightings = (before & ~most) == key ? before & most : 0;
    seen.store(sightings == most ? 0 : key + sightings + 1, std::memory_order_relaxed);
    return sightings == most;
  }

 private:
  std::array<std::atomic<uint64_t>, 64> seen_{};
};
constinit Sightings sightings;

// The form in a file of a type that belongs to MPI: its items, one behind another.
Result<FileForm> permanent_form(MPI_Datatype type, const Envelope& envelope,
                                const Representation& representation) {
  FileForm form;
  if (BoundMarker marker = bound_marker(type); marker != BoundMarker::none) {
    form.layout.lower_marker = marker == BoundMarker::lower;
    form.layout.upper_marker = marker == BoundMarker::upper;
    return form;
  }
  auto basic_types = basic_types_of(type, envelope);
  if (!basic_types) return basic_types.error();
  std::vector<pattern::SignatureRef> items;
  for (const BasicType& basic : *basic_types) {
    auto bytes = representation.file_bytes(basic);
    if (!bytes) return bytes.error();
    pattern::Item item = basic.item;
    item.file_bytes = *bytes;
    items.push_back(pattern::Signature::item(item));
  }
  auto signature = pattern::Signature::sequence(items);
  if (!signature) return signature.error();
  form.signature = *signature;
  form.layout = pattern::type_bytes(form.signature->total().file_bytes);
  return form;
}

// The signature that a constructor makes of the signatures of its types. Every constructor but the struct's
// repeats one signature.
Result<pattern::SignatureRef> derived_signature(const Envelope& envelope, const Contents& contents,
                                                const std::vector<pattern::SignatureRef>& old,
                                                const pattern::DataType& made) {
  if (!envelope.structure()) {
    const int64_t each = old[0]->total().file_bytes;
    return pattern::Signature::repeat(old[0], each > 0 ? made.size() / each : 0);
  }
  std::vector<pattern::SignatureRef> parts;
  for (size_t i = 0; i < old.size(); ++i) {
    // The numbers are count, length 0, length 1, and so on.
    auto part = pattern::Signature::repeat(old[i], contents.number(i + 1));
    if (!part) return part;
    parts.push_back(*part);
  }
  return pattern::Signature::sequence(parts);
}

Result<FileForm> derived_form(MPI_Datatype type, const Envelope& envelope,
                              const Representation& representation, Budget& budget) {
  auto contents = Contents::of(type, envelope);
  if (!contents) return contents.error();
  std::vector<pattern::DataType> layouts;
  std::vector<pattern::SignatureRef> signatures;
  for (MPI_Datatype inner : contents->types()) {
    auto form = decode(inner, representation, budget);
    if (!form) return form.error();
    layouts.push_back((*form)->layout);
    signatures.push_back((*form)->signature);
  }
  auto layout = build_derived(envelope.combiner, *contents, layouts);
  if (!layout) return layout.error();
  auto signature = derived_signature(envelope, *contents, signatures, *layout);
  if (!signature) return signature.error();
  FileForm made{std::move(*layout), std::move(*signature)};
  const Charge peak(budget,
                    peak_bytes(*contents,
                               static_cast<int64_t>(layouts.capacity() * sizeof(pattern::DataType) +
                                                    signatures.capacity() * sizeof(pattern::SignatureRef)),
                               made.memory_bytes()));
  return made;
}

// Whether elements of the type are one stretch of bytes from the buffer's address on, however many they are.
bool is_contiguous(const pattern::DataType& type) {
  const pattern::Nest& nest = *type.nest;
  return nest.kind() == pattern::Nest::Kind::run && nest.run().count == 1 && nest.lower() == 0 &&
         type.extent == nest.size();
}

}  // namespace

// MPI has no function that tells. To pack no elements takes 20 ns.
Status check_committed(MPI_Datatype type, const char* what, MPI_Comm comm) {
  if (type == MPI_DATATYPE_NULL || known_permanent(type) || ranks_are_simulated()) return {};
  std::byte nothing{};
  int place = 0;
  if (PMPI_Pack(&nothing, 0, type, &nothing, 0, &place, comm) == MPI_SUCCESS) return {};
  return error_with(ErrorKind::datatype, 0,
                    [&] { return fmt::format("the {} is not committed (MPI_Type_commit)", what); });
}

Result<std::shared_ptr<const pattern::DataType>> decode(MPI_Datatype type, Budget& budget, Reuse reuse) {
  if (type == MPI_DATATYPE_NULL) return error_of("the datatype is MPI_DATATYPE_NULL");
  if (known_permanent(type)) {
    if (auto found = cache().find(type, true)) return found;
  }
  auto envelope = Envelope::of(type);
  if (!envelope) return envelope.error();
  if (auto found = cache().find(type, envelope->permanent())) {
    // What is kept is told when the type goes away, so that it may be noted of the type's handle.
    if (is_contiguous(*found) && contiguous_bytes(type) == 0)
      note_contiguous(type, found->size(), envelope->permanent());
    return found;
  }
  auto built = Decoding().run(type, *envelope, budget);
  if (!built) return built.error();
  const bool permanent = envelope->permanent();
  const bool keeps =
      permanent || reuse == Reuse::likely || !is_short(*envelope) || sightings.often(type, *built);
  auto made = std::make_shared<const pattern::DataType>(std::move(*built));
  return keeps ? cache().keep(type, permanent, std::move(made)) : made;
}

Result<std::shared_ptr<const FileForm>> decode(MPI_Datatype type, const Representation& representation,
                                               Budget& budget) {
  if (type == MPI_DATATYPE_NULL) return error_of("the datatype is MPI_DATATYPE_NULL");
  auto envelope = Envelope::of(type);
  if (!envelope) return envelope.error();
  const bool permanent = envelope->permanent();
  auto& cache = representation.forms();
  if (auto found = cache.find(type, permanent)) return found;
  auto form = permanent ? permanent_form(type, *envelope, representation)
                        : derived_form(type, *envelope, representation, budget);
  if (!form) return form.error();
  // If the totals were wrong, wrong bytes would be transferred silently.
  MPI_Count native_bytes = 0;
  if (PMPI_Type_size_x(type, &native_bytes) != MPI_SUCCESS ||
      form->signature->total().native_bytes != native_bytes ||
      form->signature->total().file_bytes != form->layout.size()) {
    return error_of(fmt::format(
        "the items of a datatype (combiner {}) take {} bytes in memory and {} in the "
        "file, but it has {} and {}",
        envelope->combiner, form->signature->total().native_bytes, form->signature->total().file_bytes,
        static_cast<int64_t>(native_bytes), form->layout.size()));
  }
  return cache.keep(type, permanent, std::make_shared<const FileForm>(std::move(*form)));
}

}  // namespace concilio::mpi
