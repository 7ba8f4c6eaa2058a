#include "common/type_spec.h"

#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstring>
#include <functional>
#include <utility>

namespace tests {

namespace {

template <typename First, typename Second>
struct Pair {
  First first;
  Second second;
};

template <typename T>
BasicType plain(const char* name) {
  return {name, {{0, sizeof(T)}, {0, 0}}, sizeof(T), alignof(T)};
}

template <typename First, typename Second>
BasicType pair(const char* name) {
  using P = Pair<First, Second>;
  return {name,
          {{0, sizeof(First)}, {static_cast<int64_t>(offsetof(P, second)), sizeof(Second)}},
          sizeof(P),
          alignof(P)};
}

// Puts `count` copies of `child` at `place`, one extent apart.
void put(Flat& flat, const Flat& child, int64_t place, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    const int64_t at = place + i * child.extent();
    for (const Piece& piece : child.pieces) append(flat.pieces, {at + piece.offset, piece.length});
    for (const Piece& item : child.items) flat.items.push_back({at + item.offset, item.length});
    flat.size += child.size;
  }
}

// Extends the bounds by `count` copies of `child` at `place`. If `first` is set, there are no bounds yet.
void widen(Flat& flat, const Flat& child, int64_t place, int64_t count, bool& first) {
  if (count == 0) {
    flat.bounds_unclear = true;
    return;
  }
  const int64_t last = place + (count - 1) * child.extent();
  const int64_t lower = std::min(place, last) + child.lower;
  const int64_t upper = std::max(place, last) + child.upper;
  flat.outer_lower = first ? lower : std::min(flat.outer_lower, lower);
  flat.outer_upper = first ? upper : std::max(flat.outer_upper, upper);
  const bool outweighed = !first && flat.bounds_given && !child.bounds_given;
  const bool outweighs = first || (child.bounds_given && !flat.bounds_given);
  first = false;
  if (outweighed) return;
  flat.lower = outweighs ? lower : std::min(flat.lower, lower);
  flat.upper = outweighs ? upper : std::max(flat.upper, upper);
  flat.bounds_given = child.bounds_given;
}

// Calls visit(index of the element in storage order, its coordinates) for every element of the array.
void for_each_element(const TypeSpec& array,
                      const std::function<void(int64_t, const std::vector<int>&)>& visit) {
  const size_t dimensions = array.sizes.size();
  int64_t elements = 1;
  for (int size : array.sizes) elements *= size;
  std::vector<int> at(dimensions, 0);
  for (int64_t index = 0; index < elements; ++index) {
    visit(index, at);
    for (size_t step = 0; step < dimensions; ++step) {
      const size_t d = array.fortran ? step : dimensions - 1 - step;
      if (++at[d] < array.sizes[d]) break;
      at[d] = 0;
    }
  }
}

bool in_subarray(const TypeSpec& array, const std::vector<int>& at) {
  for (size_t d = 0; d < at.size(); ++d) {
    if (at[d] < array.starts[d] || at[d] >= array.starts[d] + array.subsizes[d]) return false;
  }
  return true;
}

bool in_darray(const TypeSpec& array, const std::vector<int>& at) {
  int rest = array.rank;  // the process grid is in row-major order, whatever the array's
  for (size_t d = at.size(); d-- > 0;) {
    const int coordinate = rest % array.grid[d];
    rest /= array.grid[d];
    const int size = array.sizes[d], processes = array.grid[d];
    int argument = array.arguments[d];
    if (array.distributions[d] == Spread::none) continue;
    if (argument == default_argument) {
      argument = array.distributions[d] == Spread::block ? (size + processes - 1) / processes : 1;
    }
    const int block = at[d] / argument;
    const int owner = array.distributions[d] == Spread::block ? block : block % processes;
    if (owner != coordinate) return false;
  }
  return true;
}

// What flattening returns, and how it is found.
struct Wanted {
  Form form;
  bool items;
};
Flat flatten(const TypeSpec& type, Wanted wanted);

Flat flatten_array(const TypeSpec& type, Wanted wanted) {
  const Flat child = flatten(type.children[0], wanted);
  Flat flat;
  int64_t elements = 1;
  for (int size : type.sizes) elements *= size;
  for_each_element(type, [&](int64_t index, const std::vector<int>& at) {
    if (type.kind == Kind::subarray ? in_subarray(type, at) : in_darray(type, at)) {
      put(flat, child, index * child.extent(), 1);
    }
  });
  flat.upper = elements * child.extent();
  flat.bounds_given = true;
  // The standard defines this for an array whose elements begin at 0.
  flat.bounds_unclear = child.bounds_unclear || child.lower != 0;
  flat.alignment = child.alignment;
  return flat;
}

Flat flatten_blocks(const TypeSpec& type, Wanted wanted) {
  Flat flat;
  bool first = true;
  const std::vector<int>& lengths = type.lengths;
  const bool one_child = type.kind != Kind::structure;
  const Flat child = one_child ? flatten(type.children[0], wanted) : Flat{};
  auto block = [&](const Flat& inner, int64_t place, int64_t count) {
    put(flat, inner, place, count);
    widen(flat, inner, place, count, first);
    flat.alignment = std::max(flat.alignment, inner.alignment);
    flat.bounds_unclear |= inner.bounds_unclear || inner.size == 0 || inner.lower != 0;
    flat.bounds_unclear |= place % inner.alignment != 0;
  };
  switch (type.kind) {
    case Kind::contiguous:
      block(child, 0, lengths[0]);
      break;
    case Kind::vector:
    case Kind::hvector:
      for (int i = 0; i < lengths[0]; ++i) {
        const int64_t unit = type.kind == Kind::vector ? child.extent() : 1;
        block(child, i * type.places[0] * unit, lengths[1]);
      }
      break;
    case Kind::indexed:
    case Kind::hindexed:
    case Kind::indexed_block:
    case Kind::hindexed_block:
      for (size_t i = 0; i < type.places.size(); ++i) {
        const bool in_bytes = type.kind == Kind::hindexed || type.kind == Kind::hindexed_block;
        const bool equal = type.kind == Kind::indexed_block || type.kind == Kind::hindexed_block;
        block(child, type.places[i] * (in_bytes ? 1 : child.extent()), lengths[equal ? 0 : i]);
      }
      break;
    default: {
      bool some_given = false, some_found = false;
      for (size_t i = 0; i < type.places.size(); ++i) {
        const Flat inner = flatten(type.children[i], wanted);
        (inner.bounds_given ? some_given : some_found) = true;
        block(inner, type.places[i], lengths[i]);
      }
      // The library decides how a structure is padded.
      flat.bounds_unclear |= (some_given && some_found) || flat.alignment > 1;
    }
  }
  // Open MPI 4.1 computes wrong bounds for types that begin below their origin, and for blocks of types that
  // do not begin at it.
  flat.bounds_unclear |= flat.size == 0 || flat.extent() % flat.alignment != 0 || flat.lower < 0;
  return flat;
}

Flat flatten(const TypeSpec& type, Wanted wanted) {
  switch (type.kind) {
    case Kind::basic: {
      const BasicType& basic = basic_types()[type.basic];
      Flat flat;
      if (wanted.form != Form::memory) {
        for (int64_t length : basic.items()) flat.size += length_in(wanted.form, length);
        append(flat.pieces, {0, flat.size});
        flat.upper = flat.size;
        return flat;
      }
      if (wanted.items) {
        for (int64_t length : basic.items()) {
          const bool second = basic.parts[1].length > 0 && !flat.items.empty();
          const int64_t behind = flat.items.empty() ? 0 : flat.items.back().offset + flat.items.back().length;
          flat.items.push_back({second ? basic.parts[1].offset : behind, length});
        }
      }
      for (const auto& part : basic.parts) {
        append(flat.pieces, {part.offset, part.length});
        flat.size += part.length;
      }
      flat.upper = basic.extent;
      flat.alignment = basic.alignment;
      return flat;
    }
    case Kind::dup:
      return flatten(type.children[0], wanted);
    case Kind::resized: {
      Flat flat = flatten(type.children[0], wanted);
      flat.lower = type.places[0];
      flat.upper = type.places[0] + type.places[1];
      flat.bounds_given = true;
      flat.bounds_unclear = false;
      return flat;
    }
    case Kind::subarray:
    case Kind::darray:
      return flatten_array(type, wanted);
    case Kind::markers: {
      Flat flat;
      flat.lower = type.places[0];
      flat.upper = type.places[1];
      flat.bounds_given = true;
      return flat;
    }
    default:
      return flatten_blocks(type, wanted);
  }
}

template <typename T>
std::string list(const std::vector<T>& values) {
  std::string text = "[";
  for (size_t i = 0; i < values.size(); ++i) text += (i ? "," : "") + std::to_string(values[i]);
  return text + "]";
}

}  // namespace

const std::vector<BasicType>& basic_types() {
  static const std::vector<BasicType> types = {
      plain<char>("BYTE"),
      plain<char>("CHAR"),
      plain<short>("SHORT"),
      plain<int>("INT"),
      plain<float>("FLOAT"),
      plain<double>("DOUBLE"),
      plain<int64_t>("INT64_T"),
      pair<float, int>("FLOAT_INT"),
      pair<double, int>("DOUBLE_INT"),
      pair<long, int>("LONG_INT"),
      pair<short, int>("SHORT_INT"),
      {"2INT", {{0, 8}, {0, 0}}, 8, 8},  // Open MPI aligns it as one item
      pair<long double, int>("LONG_DOUBLE_INT"),
      plain<signed char>("SIGNED_CHAR"),
      plain<long>("LONG"),
      plain<long long>("LONG_LONG"),
      plain<int16_t>("INT16_T"),
      plain<uint64_t>("UINT64_T"),
      plain<bool>("C_BOOL"),
      plain<std::complex<double>>("C_DOUBLE_COMPLEX"),
      plain<int64_t>("OFFSET"),
      plain<int64_t>("AINT"),
      plain<int64_t>("COUNT"),
      plain<wchar_t>("WCHAR"),
      plain<char>("PACKED"),
      pair<float, float>("2REAL"),
      pair<double, double>("2DOUBLE_PRECISION"),
      pair<int, int>("2INTEGER"),
      plain<float>("F90_REAL(6,30)"),
      plain<std::complex<double>>("F90_COMPLEX(14,200)"),
      plain<int16_t>("F90_INTEGER(4)"),
  };
  return types;
}

int64_t length_in(Form form, int64_t length) {
  return form == Form::turned ? length + 1 : length;
}

std::vector<int64_t> BasicType::items() const {
  if (std::strcmp(name, "2INT") == 0) return {4, 4};
  if (parts[1].length > 0) return {parts[0].length, parts[1].length};
  return {parts[0].length};
}

int64_t Flat::first_byte() const {
  int64_t first = pieces.empty() ? 0 : pieces[0].offset;
  for (const Piece& piece : pieces) first = std::min(first, piece.offset);
  return first;
}

int64_t Flat::end_byte() const {
  int64_t end = pieces.empty() ? 0 : pieces[0].offset + pieces[0].length;
  for (const Piece& piece : pieces) end = std::max(end, piece.offset + piece.length);
  return end;
}

void append(std::vector<Piece>& pieces, Piece piece) {
  if (piece.length == 0) return;
  if (!pieces.empty() && pieces.back().offset + pieces.back().length == piece.offset) {
    pieces.back().length += piece.length;
  } else {
    pieces.push_back(piece);
  }
}

Flat flatten(const TypeSpec& type, Form form) {
  return flatten(type, Wanted{form, false});
}

std::vector<Piece> items_of(const TypeSpec& type) {
  return flatten(type, Wanted{Form::memory, true}).items;
}

std::string describe(const TypeSpec& type) {
  static const char* const names[] = {"basic",    "dup",      "contiguous",    "vector",         "hvector",
                                      "indexed",  "hindexed", "indexed_block", "hindexed_block", "structure",
                                      "subarray", "darray",   "resized",       "markers"};
  if (type.kind == Kind::basic) return basic_types()[type.basic].name;
  std::string text = std::string(names[static_cast<int>(type.kind)]) + (type.large ? "_c(" : "(");
  if (!type.lengths.empty()) text += "lengths" + list(type.lengths) + " ";
  if (!type.places.empty()) text += "places" + list(type.places) + " ";
  if (!type.sizes.empty()) text += "sizes" + list(type.sizes) + (type.fortran ? " fortran " : " c ");
  if (type.kind == Kind::subarray)
    text += "subsizes" + list(type.subsizes) + " starts" + list(type.starts) + " ";
  if (type.kind == Kind::darray) {
    text += "distributions[";
    for (Spread spread : type.distributions)
      text += spread == Spread::block ? "b" : spread == Spread::cyclic ? "c" : "n";
    text += "] arguments[";
    for (int argument : type.arguments) {
      text += (argument == default_argument ? "default" : std::to_string(argument)) + " ";
    }
    text += "] grid" + list(type.grid) + " rank " + std::to_string(type.rank) + " of " +
            std::to_string(type.ranks);
  }
  for (const TypeSpec& child : type.children) text += " " + describe(child);
  return text + ")";
}

TypeSpec basic(const char* name) {
  TypeSpec type;
  while (std::strcmp(basic_types()[type.basic].name, name) != 0) ++type.basic;
  return type;
}

TypeSpec contiguous(int count, TypeSpec child) {
  TypeSpec type;
  type.kind = Kind::contiguous;
  type.lengths = {count};
  type.children.push_back(std::move(child));
  return type;
}

TypeSpec resized(int64_t lower, int64_t extent, TypeSpec child) {
  TypeSpec type;
  type.kind = Kind::resized;
  type.places = {lower, extent};
  type.children.push_back(std::move(child));
  return type;
}

}  // namespace tests
