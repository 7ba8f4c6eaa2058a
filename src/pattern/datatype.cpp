#include "pattern/datatype.h"

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/checked.h"

namespace concilio::pattern {

namespace {

Error overflow() {
  return Error{ErrorKind::count, 0, "the extent of a datatype does not fit 64 bits"};
}

Error invalid(const char* what) {
  return Error{ErrorKind::datatype, 0, what};
}

// Lower and upper bound of a datatype under construction: the least and the greatest of the bounds of its
// elements.
class Bounds {
 public:
  explicit Bounds(const DataType& old)
      : lower_bound_(old.lower_bound),
        extent_(old.extent),
        lower_marker_(old.lower_marker),
        upper_marker_(old.upper_marker) {
    fits_ = !__builtin_add_overflow(old.lower_bound, old.extent, &upper_bound_);
  }

  // Adds `count` elements of the old type from `displacement` on, one extent apart.
  void add(int64_t displacement, int64_t count) {
    if (count == 0) return;
    int64_t reach, last, low, high;
    if (__builtin_mul_overflow(extent_, count - 1, &reach) ||
        __builtin_add_overflow(displacement, reach, &last) ||
        __builtin_add_overflow(std::min(displacement, last), lower_bound_, &low) ||
        __builtin_add_overflow(std::max(displacement, last), upper_bound_, &high)) {
      fits_ = false;
      return;
    }
    include(low, high);
  }

  // Adds the bounds of a part of a struct. Bounds that were set (as by MPI_Type_create_resized) outweigh
  // those that were computed.
  void include(const Bounds& part) {
    if (!part.any_) return;
    include_lower(part.low_, part.lower_marker_);
    include_upper(part.high_, part.upper_marker_);
    any_ = true;
  }

  bool fits() const { return fits_; }

  Result<DataType> finish(Result<NestRef> nest) const {
    if (!nest) return nest.error();
    int64_t extent;
    if (!fits_ || __builtin_sub_overflow(high_, low_, &extent)) return overflow();
    return DataType{*nest, low_, extent, any_ && lower_marker_, any_ && upper_marker_};
  }

 private:
  void include(int64_t low, int64_t high) {
    include_lower(low, lower_marker_);
    include_upper(high, upper_marker_);
    any_ = true;
  }
  void include_lower(int64_t low, bool marker) {
    if (any_ && lower_marker_ && !marker) return;
    low_ = any_ && lower_marker_ == marker ? std::min(low_, low) : low;
    lower_marker_ = marker;
  }
  void include_upper(int64_t high, bool marker) {
    if (any_ && upper_marker_ && !marker) return;
    high_ = any_ && upper_marker_ == marker ? std::max(high_, high) : high;
    upper_marker_ = marker;
  }

  int64_t lower_bound_, extent_, upper_bound_ = 0;
  bool lower_marker_, upper_marker_;
  int64_t low_ = 0, high_ = 0;
  bool any_ = false, fits_ = true;
};

bool at_most_one(const Numbers& numbers) {
  for (size_t i = 0; i < numbers.size(); ++i) {
    if (numbers[i] > 1) return false;
  }
  return true;
}

// Makes blocks of `old`. Displacements are in units of `unit` bytes. One block length alone is that of all
// blocks.
Result<DataType> make_indexed(const Numbers& block_lengths, const Numbers& displacements, int64_t unit,
                              const DataType& old) {
  const bool uniform = block_lengths.size() == 1;
  if (!uniform && block_lengths.size() != displacements.size()) {
    return invalid("an indexed datatype has not as many block lengths as displacements");
  }
  for (size_t i = 0; i < block_lengths.size(); ++i) {
    if (block_lengths[i] < 0) return invalid("an indexed datatype has a negative block length");
  }
  const Nest& nest = *old.nest;
  const bool piece = nest.kind() == Nest::Kind::run && nest.run().count == 1;
  // If each block is one piece of bytes, a flat list of them describes the datatype.
  const bool flat = piece && (old.extent == nest.run().length || at_most_one(block_lengths));

  Bounds bounds(old);
  std::vector<Nest::Part> parts;
  std::unordered_map<int64_t, NestRef> children;  // by block length
  int64_t cached_length = -1;
  NestRef cached;
  for (size_t i = 0; i < displacements.size(); ++i) {
    const int64_t block_length = block_lengths[uniform ? 0 : i];
    if (block_length == 0) continue;
    int64_t offset;
    if (__builtin_mul_overflow(displacements[i], unit, &offset)) return overflow();
    bounds.add(offset, block_length);
    if (flat || nest.size() == 0) continue;
    if (block_length != cached_length) {
      NestRef& child = children[block_length];
      if (!child) {
        auto made = Nest::repeat(old.nest, block_length, old.extent);
        if (!made) return made.error();
        child = *made;
      }
      cached = child;
      cached_length = block_length;
    }
    parts.push_back(Nest::Part{offset, 0, cached});
  }
  if (!flat) return bounds.finish(Nest::sequence(std::move(parts)));
  return bounds.finish(Nest::blocks({.offsets = displacements,
                                     .lengths = block_lengths,
                                     .unit = unit,
                                     .shift = nest.run().offset,
                                     .length_unit = nest.run().length}));
}

// An array's dimensions, the fastest first: sizes, and the distance of neighbours along each.
struct Dimension {
  size_t index;  // of the dimension in the caller's arrays
  int64_t size, stride_bytes;
};

std::optional<std::vector<Dimension>> dimensions(std::span<const int64_t> sizes, ArrayOrder order,
                                                 int64_t extent, int64_t& total_bytes) {
  std::vector<Dimension> result;
  total_bytes = extent;
  for (size_t i = 0; i < sizes.size(); ++i) {
    const size_t index = order == ArrayOrder::fortran ? i : sizes.size() - 1 - i;
    result.push_back(Dimension{index, sizes[index], total_bytes});
    if (__builtin_mul_overflow(total_bytes, sizes[index], &total_bytes)) return std::nullopt;
  }
  return result;
}

// What a process owns of one dimension: every `processes`-th block of `block` elements.
Result<NestRef> distribute(const NestRef& child, const Dimension& dimension, int64_t block, int64_t processes,
                           int64_t coordinate) {
  // `block` and `processes` may be far larger than the array, so products are checked. One that overflows
  // lies outside the array.
  const auto cycle = checked_multiply(block, processes);
  const auto start = checked_multiply(block, coordinate);
  if (!start || *start >= dimension.size) return Nest::empty();
  const int64_t remaining = dimension.size - *start;
  int64_t full = remaining / block, rest = 0;
  if (cycle) {
    full = remaining / *cycle;
    rest = std::min(remaining % *cycle, block);
    if (rest == block) {
      ++full;
      rest = 0;
    }
  } else if (full > 0) {
    full = 1;
  } else {
    rest = remaining;
  }
  std::vector<Nest::Part> parts;
  if (full > 0) {
    auto owned = Nest::repeat(child, block, dimension.stride_bytes);
    const int64_t stride = full > 1 ? *cycle * dimension.stride_bytes : 0;
    if (owned) owned = Nest::repeat(*owned, full, stride, *start * dimension.stride_bytes);
    if (!owned) return owned;
    parts.push_back(Nest::Part{0, 0, *owned});
  }
  if (rest > 0) {
    const int64_t first = *start + (full > 0 && cycle ? full * *cycle : 0);
    auto owned = Nest::repeat(child, rest, dimension.stride_bytes, first * dimension.stride_bytes);
    if (!owned) return owned;
    parts.push_back(Nest::Part{0, 0, *owned});
  }
  return Nest::sequence(std::move(parts));
}

}  // namespace

DataType type_bytes(int64_t size) {
  return DataType{Nest::bytes(size), 0, size};
}

Result<DataType> type_named(std::span<const int64_t> offsets, std::span<const int64_t> lengths,
                            int64_t extent) {
  auto nest = Nest::blocks({.offsets = offsets, .lengths = lengths});
  if (!nest) return nest.error();
  return DataType{*nest, 0, extent};
}

Result<DataType> type_contiguous(int64_t count, const DataType& old) {
  if (count < 0) return invalid("a contiguous datatype has a negative count");
  Bounds bounds(old);
  bounds.add(0, count);
  return bounds.finish(Nest::repeat(old.nest, count, old.extent));
}

Result<DataType> type_vector(int64_t count, int64_t block_length, int64_t stride, const DataType& old) {
  const auto stride_bytes = checked_multiply(stride, old.extent);
  // With fewer than two blocks the stride has no effect.
  if (!stride_bytes && count > 1) return overflow();
  return type_hvector(count, block_length, stride_bytes.value_or(0), old);
}

Result<DataType> type_hvector(int64_t count, int64_t block_length, int64_t stride_bytes,
                              const DataType& old) {
  if (count < 0) return invalid("a vector datatype has a negative count");
  if (block_length < 0) return invalid("a vector datatype has a negative block length");
  Bounds bounds(old);
  if (count > 0) {
    const auto last = checked_multiply(count - 1, stride_bytes);
    if (!last) return overflow();
    bounds.add(0, block_length);
    bounds.add(*last, block_length);
  }
  auto block = Nest::repeat(old.nest, block_length, old.extent);
  if (!block) return block.error();
  return bounds.finish(Nest::repeat(*block, count, stride_bytes));
}

Result<DataType> type_indexed(const Numbers& block_lengths, const Numbers& displacements,
                              const DataType& old) {
  if (block_lengths.size() != displacements.size()) {
    return invalid("an indexed datatype has not as many block lengths as displacements");
  }
  return make_indexed(block_lengths, displacements, old.extent, old);
}

Result<DataType> type_hindexed(const Numbers& block_lengths, const Numbers& displacements_bytes,
                               const DataType& old) {
  if (block_lengths.size() != displacements_bytes.size()) {
    return invalid("an indexed datatype has not as many block lengths as displacements");
  }
  return make_indexed(block_lengths, displacements_bytes, 1, old);
}

Result<DataType> type_indexed_block(int64_t block_length, const Numbers& displacements, const DataType& old) {
  return make_indexed(std::span<const int64_t>(&block_length, 1), displacements, old.extent, old);
}

Result<DataType> type_hindexed_block(int64_t block_length, const Numbers& displacements_bytes,
                                     const DataType& old) {
  return make_indexed(std::span<const int64_t>(&block_length, 1), displacements_bytes, 1, old);
}

Result<DataType> type_struct(const Numbers& block_lengths, const Numbers& displacements_bytes,
                             std::span<const DataType> types) {
  if (block_lengths.size() != displacements_bytes.size() || types.size() != displacements_bytes.size()) {
    return invalid("a struct datatype has not as many block lengths as displacements and types");
  }
  Bounds all{DataType{}};
  std::vector<Nest::Part> parts;
  parts.reserve(types.size());
  for (size_t i = 0; i < types.size(); ++i) {
    if (block_lengths[i] < 0) return invalid("a struct datatype has a negative block length");
    if (block_lengths[i] == 0) continue;
    Bounds bounds(types[i]);
    bounds.add(displacements_bytes[i], block_lengths[i]);
    if (!bounds.fits()) return overflow();
    all.include(bounds);
    auto block = Nest::repeat(types[i].nest, block_lengths[i], types[i].extent);
    if (!block) return block.error();
    parts.push_back(Nest::Part{displacements_bytes[i], 0, *block});
  }
  return all.finish(Nest::sequence(std::move(parts)));
}

Result<DataType> type_subarray(std::span<const int64_t> sizes, std::span<const int64_t> subsizes,
                               std::span<const int64_t> starts, ArrayOrder order, const DataType& old) {
  if (sizes.empty() || subsizes.size() != sizes.size() || starts.size() != sizes.size()) {
    return invalid("a subarray datatype has not as many subsizes and starts as sizes");
  }
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] < 1 || subsizes[i] < 1 || subsizes[i] > sizes[i] || starts[i] < 0 ||
        starts[i] > sizes[i] - subsizes[i]) {
      return invalid("a subarray datatype lies outside its array or is empty");
    }
  }
  int64_t total_bytes;
  const auto dims = dimensions(sizes, order, old.extent, total_bytes);
  if (!dims) return overflow();
  NestRef nest = old.nest;
  for (const Dimension& dimension : *dims) {
    auto next = Nest::repeat(nest, subsizes[dimension.index], dimension.stride_bytes,
                             starts[dimension.index] * dimension.stride_bytes);
    if (!next) return next.error();
    nest = *next;
  }
  return DataType{nest, 0, total_bytes, true, true};
}

Result<DataType> type_darray(int64_t size_ranks, int64_t rank, std::span<const int64_t> sizes,
                             std::span<const Distribution> distributions, std::span<const int64_t> arguments,
                             std::span<const int64_t> process_sizes, ArrayOrder order, const DataType& old) {
  if (sizes.empty() || distributions.size() != sizes.size() || arguments.size() != sizes.size() ||
      process_sizes.size() != sizes.size()) {
    return invalid("a darray datatype has arrays of differing lengths");
  }
  int64_t grid_ranks = 1;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] < 1 || process_sizes[i] < 1 ||
        __builtin_mul_overflow(grid_ranks, process_sizes[i], &grid_ranks)) {
      return invalid("a darray datatype has a size below 1");
    }
  }
  if (grid_ranks != size_ranks || rank < 0 || rank >= size_ranks) {
    return invalid("a darray datatype's process grid does not fit its number of processes");
  }
  // The process grid is always in row-major order, whatever the order of the array.
  std::vector<int64_t> coordinates(sizes.size());
  for (size_t i = sizes.size(); i-- > 0;) {
    coordinates[i] = rank % process_sizes[i];
    rank /= process_sizes[i];
  }
  int64_t total_bytes;
  const auto dims = dimensions(sizes, order, old.extent, total_bytes);
  if (!dims) return overflow();
  NestRef nest = old.nest;
  for (const Dimension& dimension : *dims) {
    const int64_t processes = process_sizes[dimension.index];
    int64_t block = arguments[dimension.index];
    if (block != default_distribution_argument && block < 1 &&
        distributions[dimension.index] != Distribution::none) {
      return invalid("a darray datatype has a distribution argument below 1");
    }
    switch (distributions[dimension.index]) {
      case Distribution::none:
        if (processes != 1) {
          return invalid(
              "a darray datatype has a dimension that is not distributed, but over several processes");
        }
        block = dimension.size;
        break;
      case Distribution::block:
        if (block == default_distribution_argument) {
          block = (dimension.size - 1) / processes + 1;
        } else if (block < (dimension.size - 1) / processes + 1) {
          return invalid("a darray datatype's blocks do not cover its array");
        }
        break;
      case Distribution::cyclic:
        if (block == default_distribution_argument) block = 1;
        break;
    }
    auto next = distribute(nest, dimension, block, processes, coordinates[dimension.index]);
    if (!next) return next.error();
    nest = *next;
  }
  return DataType{nest, 0, total_bytes, true, true};
}

Result<DataType> type_resized(const DataType& old, int64_t lower_bound, int64_t extent) {
  if (!checked_add(lower_bound, extent)) return overflow();
  return DataType{old.nest, lower_bound, extent, true, true};
}

}  // namespace concilio::pattern
