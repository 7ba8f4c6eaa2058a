// Datatypes built twice: by Concilio's builders, and as a plain list of byte offsets that follows from the
// MPI standard's definition of the constructor. For tests only.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "common/random.h"
#include "common/type_generator.h"
#include "common/type_spec.h"
#include "pattern/datatype.h"

namespace concilio::pattern::naive {

struct Type {
  DataType type;
  std::vector<int64_t> bytes;  // offset of every byte, in data order
  int64_t lower_bound = 0, upper_bound = 0;
  bool set = false;  // the typemap has markers of its bounds
  int64_t extent() const { return upper_bound - lower_bound; }
};

// A datatype that consists of copies of others, as the standard defines typemaps.
class Typemap {
 public:
  void add(const Type& old, int64_t displacement) {
    for (int64_t byte : old.bytes) result_.bytes.push_back(byte + displacement);
    if (any_ && result_.set && !old.set) return;
    if (old.set && !result_.set) any_ = false;  // if there are markers, only they count
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

// The longest stretches that are contiguous both in memory and in the stream.
inline int64_t count_pieces(const std::vector<int64_t>& bytes) {
  int64_t pieces = bytes.empty() ? 0 : 1;
  for (size_t i = 1; i < bytes.size(); ++i) pieces += bytes[i] != bytes[i - 1] + 1;
  return pieces;
}

// Offset of data byte `position` of the type, tiled from `displacement`.
inline int64_t offset_of(const Type& type, int64_t displacement, int64_t position) {
  const int64_t size = static_cast<int64_t>(type.bytes.size());
  return displacement + position / size * type.extent() + type.bytes[static_cast<size_t>(position % size)];
}

inline std::vector<int64_t> expand(const Type& type, int64_t displacement, int64_t begin, int64_t end) {
  std::vector<int64_t> bytes;
  for (int64_t p = begin; p < end; ++p) bytes.push_back(offset_of(type, displacement, p));
  return bytes;
}

inline std::vector<int64_t> wide(const std::vector<int>& values) {
  return {values.begin(), values.end()};
}

// Makes the type of a description by Concilio's builders.
inline DataType built(const tests::TypeSpec& spec) {
  using tests::Kind;
  if (spec.kind == Kind::basic) {
    const tests::BasicType& basic = tests::basic_types()[spec.basic];
    const auto& [first, second] = basic.parts;
    if (second.length == 0) return type_bytes(first.length);
    return type_named(std::vector<int64_t>{first.offset, second.offset},
                      std::vector<int64_t>{first.length, second.length}, basic.extent)
        .value();
  }
  std::vector<DataType> children;
  for (const tests::TypeSpec& child : spec.children) children.push_back(built(child));
  const std::vector<int64_t>&places = spec.places, lengths = wide(spec.lengths);
  const ArrayOrder order = spec.fortran ? ArrayOrder::fortran : ArrayOrder::c;
  switch (spec.kind) {
    case Kind::contiguous:
      return type_contiguous(lengths[0], children[0]).value();
    case Kind::vector:
      return type_vector(lengths[0], lengths[1], places[0], children[0]).value();
    case Kind::hvector:
      return type_hvector(lengths[0], lengths[1], places[0], children[0]).value();
    case Kind::indexed:
      return type_indexed(lengths, places, children[0]).value();
    case Kind::hindexed:
      return type_hindexed(lengths, places, children[0]).value();
    case Kind::indexed_block:
      return type_indexed_block(lengths[0], places, children[0]).value();
    case Kind::hindexed_block:
      return type_hindexed_block(lengths[0], places, children[0]).value();
    case Kind::structure:
      return type_struct(lengths, places, children).value();
    case Kind::resized:
      return type_resized(children[0], places[0], places[1]).value();
    case Kind::subarray:
      return type_subarray(wide(spec.sizes), wide(spec.subsizes), wide(spec.starts), order, children[0])
          .value();
    case Kind::darray: {
      std::vector<Distribution> distributions;
      for (const tests::Spread spread : spec.distributions) {
        distributions.push_back(spread == tests::Spread::block    ? Distribution::block
                                : spread == tests::Spread::cyclic ? Distribution::cyclic
                                                                  : Distribution::none);
      }
      return type_darray(spec.ranks, spec.rank, wide(spec.sizes), distributions, wide(spec.arguments),
                         wide(spec.grid), order, children[0])
          .value();
    }
    default:  // dup; there are no markers in these tests
      return children[0];
  }
}
static_assert(tests::default_argument == default_distribution_argument);

inline Type both_ways(const tests::TypeSpec& spec) {
  const tests::Flat flat = tests::flatten(spec);
  Type type;
  type.type = built(spec);
  for (const tests::Piece& piece : flat.pieces) {
    for (int64_t byte = 0; byte < piece.length; ++byte) type.bytes.push_back(piece.offset + byte);
  }
  type.lower_bound = flat.lower;
  type.upper_bound = flat.upper;
  type.set = flat.bounds_given;
  return type;
}

class Generator {
 public:
  explicit Generator(uint64_t seed) : random_(tests::mix(seed)) {}

  int64_t pick(int64_t low, int64_t high) { return random_.between(low, high); }

  // A datatype of at most `max_bytes` bytes and `depth` levels. A tame one mostly ascends, as filetypes do.
  Type make(int depth, bool tame, int64_t max_bytes = 1500) {
    tests::AnyStyle style;
    for (size_t basic = 0; basic < tests::basic_types().size(); ++basic) style.basics.push_back(basic);
    style.ascending = tame;
    return both_ways(tests::random_any_type(random_, style, depth, max_bytes));
  }

 private:
  tests::Random random_;
};

}  // namespace concilio::pattern::naive
