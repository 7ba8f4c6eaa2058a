#include "type_spec.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <functional>
#include <utility>

namespace oracle {

namespace {

template <typename First, typename Second>
struct Pair {
  First first;
  Second second;
};

template <typename T>
BasicType plain(const char* name, MPI_Datatype type) {
  return {name, type, {{0, sizeof(T)}, {0, 0}}, sizeof(T), alignof(T)};
}

template <typename First, typename Second>
BasicType pair(const char* name, MPI_Datatype type) {
  using P = Pair<First, Second>;
  return {name,
          type,
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

// Widens the bounds by `count` copies of `child` at `place`; `first`: nothing was there before.
void widen(Flat& flat, const Flat& child, int64_t place, int64_t count, bool& first) {
  if (count == 0) {
    flat.bounds_unclear = true;
    return;
  }
  const int64_t last = place + (count - 1) * child.extent();
  const int64_t lower = std::min(place, last) + child.lower;
  const int64_t upper = std::max(place, last) + child.upper;
  flat.lower = first ? lower : std::min(flat.lower, lower);
  flat.upper = first ? upper : std::max(flat.upper, upper);
  first = false;
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
    if (array.distributions[d] == MPI_DISTRIBUTE_NONE) continue;
    if (argument == MPI_DISTRIBUTE_DFLT_DARG) {
      argument = array.distributions[d] == MPI_DISTRIBUTE_BLOCK ? (size + processes - 1) / processes : 1;
    }
    const int block = at[d] / argument;
    const int owner = array.distributions[d] == MPI_DISTRIBUTE_BLOCK ? block : block % processes;
    if (owner != coordinate) return false;
  }
  return true;
}

// What flattening gives, and how.
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
  // The standard speaks of an array of elements that begin at 0.
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
      flat.bounds_given = some_given;
      // How a structure is padded is the library's affair.
      flat.bounds_unclear |= (some_given && some_found) || flat.alignment > 1;
    }
  }
  if (one_child) flat.bounds_given = child.bounds_given;
  // Open MPI 4.1 miscounts the bounds of what begins below its origin, and of blocks of what does not begin
  // there.
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
    default:
      return flatten_blocks(type, wanted);
  }
}

std::vector<MPI_Aint> addresses(const std::vector<int64_t>& places) {
  return {places.begin(), places.end()};
}
std::vector<int> integers(const std::vector<int64_t>& places) {
  return {places.begin(), places.end()};
}

MPI_Datatype construct(const TypeSpec& type);

MPI_Datatype construct_struct(const TypeSpec& type) {
  std::vector<MPI_Datatype> children;
  for (const TypeSpec& child : type.children) children.push_back(construct(child));
  MPI_Datatype result;
  MPI_Type_create_struct(static_cast<int>(children.size()), type.lengths.data(),
                         addresses(type.places).data(), children.data(), &result);
  for (MPI_Datatype& child : children) free_type(&child);
  return result;
}

MPI_Datatype construct_array(const TypeSpec& type, MPI_Datatype child) {
  const int order = type.fortran ? MPI_ORDER_FORTRAN : MPI_ORDER_C;
  const int dimensions = static_cast<int>(type.sizes.size());
  MPI_Datatype result;
  if (type.kind == Kind::subarray) {
    MPI_Type_create_subarray(dimensions, type.sizes.data(), type.subsizes.data(), type.starts.data(), order,
                             child, &result);
  } else {
    MPI_Type_create_darray(type.ranks, type.rank, dimensions, type.sizes.data(), type.distributions.data(),
                           type.arguments.data(), type.grid.data(), order, child, &result);
  }
  return result;
}

MPI_Datatype construct(const TypeSpec& type) {
  if (type.kind == Kind::basic) return basic_types()[type.basic].type;
  if (type.kind == Kind::structure) return construct_struct(type);
  MPI_Datatype child = construct(type.children[0]);
  MPI_Datatype result = MPI_DATATYPE_NULL;
  const std::vector<int>& lengths = type.lengths;
  const std::vector<int64_t>& places = type.places;
  const int blocks = static_cast<int>(places.size());
  switch (type.kind) {
    case Kind::dup:
      MPI_Type_dup(child, &result);
      break;
    case Kind::contiguous:
      MPI_Type_contiguous(lengths[0], child, &result);
      break;
    case Kind::vector:
      MPI_Type_vector(lengths[0], lengths[1], static_cast<int>(places[0]), child, &result);
      break;
    case Kind::hvector:
      MPI_Type_create_hvector(lengths[0], lengths[1], places[0], child, &result);
      break;
    case Kind::indexed:
      MPI_Type_indexed(blocks, lengths.data(), integers(places).data(), child, &result);
      break;
    case Kind::hindexed:
      MPI_Type_create_hindexed(blocks, lengths.data(), addresses(places).data(), child, &result);
      break;
    case Kind::indexed_block:
      MPI_Type_create_indexed_block(blocks, lengths[0], integers(places).data(), child, &result);
      break;
    case Kind::hindexed_block:
      MPI_Type_create_hindexed_block(blocks, lengths[0], addresses(places).data(), child, &result);
      break;
    case Kind::resized:
      MPI_Type_create_resized(child, places[0], places[1], &result);
      break;
    default:
      result = construct_array(type, child);
  }
  free_type(&child);
  return result;
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
      plain<char>("BYTE", MPI_BYTE),
      plain<char>("CHAR", MPI_CHAR),
      plain<short>("SHORT", MPI_SHORT),
      plain<int>("INT", MPI_INT),
      plain<float>("FLOAT", MPI_FLOAT),
      plain<double>("DOUBLE", MPI_DOUBLE),
      plain<int64_t>("INT64_T", MPI_INT64_T),
      pair<float, int>("FLOAT_INT", MPI_FLOAT_INT),
      pair<double, int>("DOUBLE_INT", MPI_DOUBLE_INT),
      pair<long, int>("LONG_INT", MPI_LONG_INT),
      pair<short, int>("SHORT_INT", MPI_SHORT_INT),
      {"2INT", MPI_2INT, {{0, 8}, {0, 0}}, 8, 8},  // Open MPI aligns it as one piece
      pair<long double, int>("LONG_DOUBLE_INT", MPI_LONG_DOUBLE_INT),
  };
  return types;
}

int64_t length_in(Form form, int64_t length) {
  return form == Form::turned ? length + 1 : length;
}

std::vector<int64_t> BasicType::items() const {
  if (type == MPI_2INT) return {4, 4};
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

MPI_Datatype build(const TypeSpec& type) {
  MPI_Datatype result = construct(type);
  if (type.kind != Kind::basic) MPI_Type_commit(&result);
  return result;
}

void free_type(MPI_Datatype* type) {
  int integers, addresses, types, combiner;
  MPI_Type_get_envelope(*type, &integers, &addresses, &types, &combiner);
  if (combiner != MPI_COMBINER_NAMED) MPI_Type_free(type);
}

std::string describe(const TypeSpec& type) {
  static const char* const names[] = {"basic",    "dup",      "contiguous",    "vector",         "hvector",
                                      "indexed",  "hindexed", "indexed_block", "hindexed_block", "structure",
                                      "subarray", "darray",   "resized"};
  if (type.kind == Kind::basic) return basic_types()[type.basic].name;
  std::string text = std::string(names[static_cast<int>(type.kind)]) + "(";
  if (!type.lengths.empty()) text += "lengths" + list(type.lengths) + " ";
  if (!type.places.empty()) text += "places" + list(type.places) + " ";
  if (!type.sizes.empty()) text += "sizes" + list(type.sizes) + (type.fortran ? " fortran " : " c ");
  if (type.kind == Kind::subarray)
    text += "subsizes" + list(type.subsizes) + " starts" + list(type.starts) + " ";
  if (type.kind == Kind::darray) {
    text += "distributions[";
    for (int distribution : type.distributions) {
      text += distribution == MPI_DISTRIBUTE_BLOCK ? "b" : distribution == MPI_DISTRIBUTE_CYCLIC ? "c" : "n";
    }
    text += "] arguments[";
    for (int argument : type.arguments) {
      text += (argument == MPI_DISTRIBUTE_DFLT_DARG ? "default" : std::to_string(argument)) + " ";
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

}  // namespace oracle
