// Random datatypes, each built twice: by Concilio's builders, and as a plain list of byte offsets written
// down from the MPI standard's definition of the constructor. For tests only.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "pattern/datatype.h"

namespace concilio::naive {

struct Type {
  DataType type;
  std::vector<int64_t> bytes;  // offset of every byte, in data order
  int64_t lower_bound = 0, upper_bound = 0;
  bool set = false;  // the typemap has markers of its bounds
  int64_t extent() const { return upper_bound - lower_bound; }
};

// A datatype put together from copies of others, as the standard defines typemaps.
class Typemap {
 public:
  void add(const Type& old, int64_t displacement) {
    for (int64_t byte : old.bytes) result_.bytes.push_back(byte + displacement);
    if (any_ && result_.set && !old.set) return;
    if (old.set && !result_.set) any_ = false;  // with markers, only markers count
    const int64_t low = old.lower_bound + displacement, high = old.upper_bound + displacement;
    result_.lower_bound = any_ ? std::min(result_.lower_bound, low) : low;
    result_.upper_bound = any_ ? std::max(result_.upper_bound, high) : high;
    result_.set = old.set;
    any_ = true;
  }
  Type finish(const Result<DataType>& type) {
    result_.type = type.value();
    return std::move(result_);
  }

 private:
  Type result_;
  bool any_ = false;
};

inline bool is_monotone(const std::vector<int64_t>& bytes) {
  for (size_t i = 1; i < bytes.size(); ++i) {
    if (bytes[i] <= bytes[i - 1]) return false;
  }
  return true;
}

// Maximal stretches contiguous in memory and in the stream.
inline int64_t count_pieces(const std::vector<int64_t>& bytes) {
  int64_t pieces = bytes.empty() ? 0 : 1;
  for (size_t i = 1; i < bytes.size(); ++i) pieces += bytes[i] != bytes[i - 1] + 1;
  return pieces;
}

// Offset of data byte `position` of the type tiled from `displacement`.
inline int64_t offset_of(const Type& type, int64_t displacement, int64_t position) {
  const int64_t size = static_cast<int64_t>(type.bytes.size());
  return displacement + position / size * type.extent() + type.bytes[static_cast<size_t>(position % size)];
}

inline std::vector<int64_t> expand(const Type& type, int64_t displacement, int64_t begin, int64_t end) {
  std::vector<int64_t> bytes;
  for (int64_t p = begin; p < end; ++p) bytes.push_back(offset_of(type, displacement, p));
  return bytes;
}

class Generator {
 public:
  explicit Generator(uint64_t seed) : random_(seed) {}

  int64_t pick(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random_);
  }

  // A datatype of at most `max_bytes` bytes and about `depth` levels. A tame one tends to ascend, as
  // filetypes do.
  Type make(int depth, bool tame, int64_t max_bytes = 1500) {
    while (true) {
      Type type = construct(depth, tame);
      if (static_cast<int64_t>(type.bytes.size()) <= max_bytes) return type;
    }
  }

 private:
  std::mt19937_64 random_;

  Type named() {
    Type type;
    if (pick(0, 4) == 0) {  // with holes, as the pair types have
      const std::vector<int64_t> offsets{0, 8}, lengths{pick(1, 8), pick(1, 8)};
      type.type = type_named(offsets, lengths, 16).value();
      for (size_t i = 0; i < 2; ++i) {
        for (int64_t b = 0; b < lengths[i]; ++b) type.bytes.push_back(offsets[i] + b);
      }
      type.upper_bound = 16;
      return type;
    }
    const int64_t sizes[] = {1, 2, 4, 8, 3, 12, 16, 0};
    const int64_t size = sizes[pick(0, 40) == 0 ? 7 : pick(0, 6)];
    type.type = type_bytes(size);
    for (int64_t b = 0; b < size; ++b) type.bytes.push_back(b);
    type.upper_bound = size;
    return type;
  }

  int64_t count() { return pick(0, 15) == 0 ? 0 : pick(1, 5); }

  // Displacements, in units, of blocks with these lengths.
  std::vector<int64_t> displacements(const std::vector<int64_t>& lengths, int64_t unit, bool tame) {
    std::vector<int64_t> result;
    int64_t at = pick(-3, 3);
    const bool regular = pick(0, 3) == 0;
    for (int64_t length : lengths) {
      result.push_back(tame ? at : pick(-20, 20) * (unit == 1 ? 1 : std::max<int64_t>(unit / 2, 1)));
      at +=
          length * unit + (pick(0, 2) == 0 ? 0 : (regular ? 3 : pick(0, 6)) * std::max<int64_t>(unit / 4, 1));
    }
    return result;
  }

  Type construct(int depth, bool tame) {
    if (depth == 0) return named();
    const Type old = make(pick(0, 5) == 0 ? 0 : depth - 1, tame, 400);
    Typemap map;
    const int64_t extent = old.extent();
    switch (pick(0, 10)) {
      case 0: {
        const int64_t n = count();
        for (int64_t i = 0; i < n; ++i) map.add(old, i * extent);
        return map.finish(type_contiguous(n, old.type));
      }
      case 1:
      case 2: {
        const int64_t n = count(), length = count(), stride = tame ? length + pick(0, 3) : pick(-6, 6);
        for (int64_t i = 0; i < n; ++i) {
          for (int64_t j = 0; j < length; ++j) map.add(old, (i * stride + j) * extent);
        }
        return map.finish(type_vector(n, length, stride, old.type));
      }
      case 3: {
        const int64_t n = count(), length = count();
        const int64_t stride = tame ? length * extent + pick(0, 9) : pick(-60, 60);
        for (int64_t i = 0; i < n; ++i) {
          for (int64_t j = 0; j < length; ++j) map.add(old, i * stride + j * extent);
        }
        return map.finish(type_hvector(n, length, stride, old.type));
      }
      case 4:
      case 5: {
        const bool bytes = pick(0, 1) == 0;
        std::vector<int64_t> lengths;
        for (int64_t i = count(); i > 0; --i) lengths.push_back(count());
        const auto at = displacements(lengths, bytes ? std::abs(extent) : 1, tame);
        for (size_t i = 0; i < at.size(); ++i) {
          for (int64_t j = 0; j < lengths[i]; ++j)
            map.add(old, (bytes ? at[i] : at[i] * extent) + j * extent);
        }
        return map.finish(bytes ? type_hindexed(lengths, at, old.type) : type_indexed(lengths, at, old.type));
      }
      case 6: {
        const bool bytes = pick(0, 1) == 0;
        const int64_t length = count();
        const std::vector<int64_t> lengths(static_cast<size_t>(count()), length);
        const auto at = displacements(lengths, bytes ? std::abs(extent) : 1, tame);
        for (int64_t displacement : at) {
          for (int64_t j = 0; j < length; ++j)
            map.add(old, (bytes ? displacement : displacement * extent) + j * extent);
        }
        return map.finish(bytes ? type_hindexed_block(length, at, old.type)
                                : type_indexed_block(length, at, old.type));
      }
      case 7: {
        std::vector<int64_t> lengths, at;
        std::vector<DataType> types;
        int64_t end = pick(-4, 4);
        for (int64_t i = count(); i > 0; --i) {
          const Type part = pick(0, 2) == 0 ? old : make(depth - 1, tame, 200);
          lengths.push_back(count());
          at.push_back(tame ? end - part.lower_bound : pick(-80, 80));
          types.push_back(part.type);
          end += lengths.back() * part.extent() + pick(0, 4);
          for (int64_t j = 0; j < lengths.back(); ++j) map.add(part, at.back() + j * part.extent());
        }
        return map.finish(type_struct(lengths, at, types));
      }
      case 8: {
        Type type = old;
        type.lower_bound = tame ? std::min<int64_t>(old.lower_bound, 0) : pick(-20, 20);
        type.upper_bound = type.lower_bound + (tame ? std::abs(extent) + pick(0, 10) : pick(-40, 60));
        type.set = true;
        type.type = type_resized(old.type, type.lower_bound, type.extent()).value();
        return type;
      }
      case 9: {
        const size_t dims = static_cast<size_t>(pick(1, 3));
        std::vector<int64_t> sizes, subsizes, starts;
        for (size_t i = 0; i < dims; ++i) {
          sizes.push_back(pick(1, 5));
          subsizes.push_back(pick(1, sizes.back()));
          starts.push_back(pick(0, sizes.back() - subsizes.back()));
        }
        const ArrayOrder order = pick(0, 1) == 0 ? ArrayOrder::c : ArrayOrder::fortran;
        return subarray(sizes, subsizes, starts, order, old);
      }
      default: {
        const size_t dims = static_cast<size_t>(pick(1, 3));
        std::vector<int64_t> sizes, arguments, processes;
        std::vector<Distribution> distributions;
        int64_t ranks = 1;
        for (size_t i = 0; i < dims; ++i) {
          sizes.push_back(pick(1, 7));
          distributions.push_back(static_cast<Distribution>(pick(0, 2)));
          processes.push_back(distributions.back() == Distribution::none ? 1 : pick(1, 3));
          ranks *= processes.back();
          arguments.push_back(default_distribution_argument);
          if (pick(0, 1) == 0) {
            const int64_t least = (sizes.back() + processes.back() - 1) / processes.back();
            arguments.back() =
                distributions.back() == Distribution::block ? pick(least, least + 2) : pick(1, 4);
          }
        }
        const ArrayOrder order = pick(0, 1) == 0 ? ArrayOrder::c : ArrayOrder::fortran;
        return darray(Grid{ranks, pick(0, ranks - 1), sizes, distributions, arguments, processes}, order,
                      old);
      }
    }
  }

 public:
  struct Grid {
    int64_t ranks, rank;
    std::vector<int64_t> sizes;
    std::vector<Distribution> distributions;
    std::vector<int64_t> arguments, processes;
  };

  // Every element of the array in storage order; those that `owned` says.
  template <typename Owned>
  static void walk_array(const std::vector<int64_t>& sizes, ArrayOrder order, const Type& old, Typemap& map,
                         Owned&& owned) {
    int64_t total = 1;
    for (int64_t size : sizes) total *= size;
    for (int64_t linear = 0; linear < total; ++linear) {
      std::vector<int64_t> index(sizes.size());
      int64_t rest = linear;
      for (size_t k = 0; k < sizes.size(); ++k) {
        const size_t d = order == ArrayOrder::c ? sizes.size() - 1 - k : k;
        index[d] = rest % sizes[d];
        rest /= sizes[d];
      }
      bool mine = true;
      for (size_t d = 0; d < sizes.size(); ++d) mine = mine && owned(d, index[d]);
      if (mine) map.add(old, linear * old.extent());
    }
  }

  static Type whole_array_bounds(Type type, const std::vector<int64_t>& sizes, const Type& old) {
    type.set = true;
    type.lower_bound = 0;
    type.upper_bound = old.extent();
    for (int64_t size : sizes) type.upper_bound *= size;
    return type;
  }

  static Type subarray(const std::vector<int64_t>& sizes, const std::vector<int64_t>& subsizes,
                       const std::vector<int64_t>& starts, ArrayOrder order, const Type& old) {
    Typemap map;
    walk_array(sizes, order, old, map,
               [&](size_t d, int64_t i) { return i >= starts[d] && i < starts[d] + subsizes[d]; });
    return whole_array_bounds(map.finish(type_subarray(sizes, subsizes, starts, order, old.type)), sizes,
                              old);
  }

  static Type darray(const Grid& grid, ArrayOrder order, const Type& old) {
    std::vector<int64_t> coordinates(grid.sizes.size());
    int64_t rank = grid.rank;
    for (size_t d = grid.sizes.size(); d-- > 0;) {
      coordinates[d] = rank % grid.processes[d];
      rank /= grid.processes[d];
    }
    Typemap map;
    walk_array(grid.sizes, order, old, map, [&](size_t d, int64_t i) {
      int64_t block = grid.arguments[d];
      if (grid.distributions[d] == Distribution::none) return true;
      if (block == default_distribution_argument) {
        block = grid.distributions[d] == Distribution::cyclic
                    ? 1
                    : (grid.sizes[d] + grid.processes[d] - 1) / grid.processes[d];
      }
      return i / block % grid.processes[d] == coordinates[d];
    });
    return whole_array_bounds(map.finish(type_darray(grid.ranks, grid.rank, grid.sizes, grid.distributions,
                                                     grid.arguments, grid.processes, order, old.type)),
                              grid.sizes, old);
  }
};

}  // namespace concilio::naive
