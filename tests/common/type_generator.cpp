#include "common/type_generator.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace tests {

namespace {

constexpr size_t most_pieces = 240;

Kind any_constructor(Random& random) {
  return random.pick({Kind::dup, Kind::contiguous, Kind::vector, Kind::hvector, Kind::indexed, Kind::hindexed,
                      Kind::indexed_block, Kind::hindexed_block, Kind::structure, Kind::subarray,
                      Kind::darray, Kind::resized});
}

bool counts_bytes(Kind kind) {
  return kind != Kind::vector && kind != Kind::indexed && kind != Kind::indexed_block;
}

void set_array(Random& random, TypeSpec& type) {
  const int dimensions = static_cast<int>(random.between(1, 3));
  for (int d = 0; d < dimensions; ++d) type.sizes.push_back(static_cast<int>(random.between(1, 6)));
  type.fortran = random.chance(50);
}

void set_part(Random& random, TypeSpec& type) {
  for (int size : type.sizes) {
    const int part = static_cast<int>(random.between(1, size));
    type.subsizes.push_back(part);
    type.starts.push_back(static_cast<int>(random.between(0, size - part)));
  }
}

void set_distribution(Random& random, TypeSpec& type) {
  type.ranks = 1;
  for (int size : type.sizes) {
    const Spread way = random.pick({Spread::block, Spread::cyclic, Spread::none});
    const int processes = way == Spread::none ? 1 : static_cast<int>(random.between(1, 3));
    int argument = default_argument;
    if (way == Spread::block && random.chance(50)) {
      argument = (size + processes - 1) / processes + static_cast<int>(random.between(0, 1));
    }
    if (way == Spread::cyclic && random.chance(50)) argument = static_cast<int>(random.between(1, 3));
    type.distributions.push_back(way);
    type.arguments.push_back(argument);
    type.grid.push_back(processes);
    type.ranks *= processes;
  }
  type.rank = static_cast<int>(random.between(0, type.ranks - 1));
}

// Adds one layer around a type. Offsets in bytes are multiples of `unit`. If `wild` is set, blocks may
// descend, be negative or be empty.
class Layer {
 public:
  Layer(Random& random, int64_t unit, bool wild, Form form)
      : random_(random), unit_(unit), wild_(wild), form_(form) {}

  TypeSpec around(TypeSpec child) {
    const Flat flat = flatten(child, form_);
    TypeSpec type;
    type.kind = any_constructor(random_);
    // Open MPI 4.1 cannot make a distributed array without elements.
    if (type.kind == Kind::darray && flat.size == 0) type.kind = Kind::subarray;
    if (type.kind == Kind::resized) return resize(std::move(child), flat);
    const bool array = type.kind == Kind::subarray || type.kind == Kind::darray;
    if (array && flat.lower != 0) child = resized(0, std::max<int64_t>(flat.upper, unit_), std::move(child));
    set_parameters(type, flat);
    type.children.push_back(std::move(child));
    if (type.kind == Kind::structure) add_members(type, flat);
    return settle(std::move(type));
  }

  // Sets the bounds of a type for which MPI libraries find different bounds.
  TypeSpec settle(TypeSpec type) {
    const Flat flat = flatten(type, form_);
    if (!flat.bounds_unclear) return type;
    const bool structure = type.kind == Kind::structure;
    const int64_t lower = !wild_ ? 0 : structure ? flat.outer_lower : flat.lower;
    const int64_t upper = structure ? flat.outer_upper : flat.upper;
    return resized(lower, std::max(upper - lower, unit_), std::move(type));
  }

 private:
  TypeSpec resize(TypeSpec child, const Flat& flat) {
    if (wild_) {
      const int64_t lower = flat.lower + random_.between(-9, 9);
      return resized(lower, std::max<int64_t>(1, flat.extent() + random_.between(-3, 20)), std::move(child));
    }
    // The lower bound is anywhere up to the first byte, and the extent leaves no overlap.
    const int64_t lower = random_.between(0, flat.first_byte() / unit_) * unit_;
    const int64_t span = flat.end_byte() - (flat.pieces.empty() ? 0 : flat.first_byte());
    const int64_t extent = (span + unit_ - 1) / unit_ * unit_ + random_.between(0, 3) * unit_;
    return resized(lower, extent, std::move(child));
  }

  void set_parameters(TypeSpec& type, const Flat& child) {
    switch (type.kind) {
      case Kind::contiguous:
        type.lengths = {static_cast<int>(random_.between(1, 5))};
        break;
      case Kind::vector:
      case Kind::hvector:
        set_vector(type, child);
        break;
      case Kind::indexed:
      case Kind::hindexed:
      case Kind::indexed_block:
      case Kind::hindexed_block:
      case Kind::structure:
        set_blocks(type, child);
        break;
      case Kind::subarray:
        set_array(random_, type);
        set_part(random_, type);
        break;
      case Kind::darray:
        set_array(random_, type);
        set_distribution(random_, type);
        break;
      default:
        break;
    }
  }

  void set_vector(TypeSpec& type, const Flat& child) {
    const int64_t block = random_.between(1, 3);
    type.lengths = {static_cast<int>(random_.between(1, 6)), static_cast<int>(block)};
    int64_t stride = block + random_.between(0, 3);
    if (type.kind == Kind::hvector) {
      const int64_t step = wild_ ? random_.pick<int64_t>({1, child.alignment}) : unit_;
      stride = block * child.extent() + random_.between(0, 5) * step;
    }
    if (wild_ && random_.chance(25)) stride = -stride;
    type.places = {stride};
  }

  void set_blocks(TypeSpec& type, const Flat& child) {
    const bool in_bytes = counts_bytes(type.kind);
    const bool equal = type.kind == Kind::indexed_block || type.kind == Kind::hindexed_block;
    const int64_t extent = in_bytes ? child.extent() : 1;
    const int64_t step = !in_bytes ? 1 : wild_ ? random_.pick<int64_t>({1, child.alignment}) : unit_;
    const int blocks = static_cast<int>(random_.between(1, 5));
    const int same = static_cast<int>(random_.between(1, 3));
    int64_t at = wild_ ? random_.between(-6, 6) * step : random_.between(0, 3) * step;
    std::vector<std::pair<int64_t, int>> placed;
    for (int i = 0; i < blocks; ++i) {
      int length = equal ? same : static_cast<int>(random_.between(1, 3));
      if (!equal && random_.chance(8)) length = 0;
      placed.emplace_back(at, length);
      at += length * extent + random_.between(0, 3) * step;
    }
    if (wild_ && random_.chance(20)) std::reverse(placed.begin(), placed.end());
    if (wild_ && random_.chance(20)) random_.shuffle(placed);
    for (const auto& [place, length] : placed) {
      type.places.push_back(place);
      if (!equal) type.lengths.push_back(length);
    }
    if (equal) type.lengths = {same};
  }

  // Variations of the child, after the child itself. Their extent is not greater, so that they fit in its
  // place.
  void add_members(TypeSpec& type, const Flat& child) {
    for (size_t i = 1; i < type.places.size(); ++i) {
      TypeSpec member = type.children[0];
      if (wild_ && random_.chance(60)) {
        const size_t index = static_cast<size_t>(random_.between(0, int64_t{agreed_basic_types} - 1));
        if (basic_types()[index].extent <= child.extent()) {
          member = TypeSpec();
          member.basic = index;
        }
      } else if (random_.chance(30)) {
        member = contiguous(1, std::move(member));
      }
      type.children.push_back(std::move(member));
    }
  }

  Random& random_;
  int64_t unit_;
  bool wild_;
  Form form_;
};

// Adds one layer around a type, of any kind that the constructors allow.
class AnyLayer {
 public:
  AnyLayer(Random& random, const AnyStyle& style) : random_(random), style_(style) {}

  TypeSpec around(const TypeSpec& child) {
    const Flat flat = flatten(child);
    TypeSpec type;
    type.kind = any_constructor(random_);
    type.large = style_.large && type.kind != Kind::dup && random_.chance(50);
    type.children.push_back(child);
    switch (type.kind) {
      case Kind::dup:
        break;
      case Kind::contiguous:
        type.lengths = {count()};
        break;
      case Kind::vector:
      case Kind::hvector:
        set_vector(type, flat);
        break;
      case Kind::subarray:
        set_array(random_, type);
        set_part(random_, type);
        break;
      case Kind::darray:
        set_array(random_, type);
        set_distribution(random_, type);
        break;
      case Kind::structure:
        set_members(type);
        break;
      case Kind::resized:
        set_bounds(type, flat);
        break;
      default:
        set_blocks(type, flat);
    }
    return type;
  }

  TypeSpec basic() {
    TypeSpec type;
    type.basic = style_.basics[static_cast<size_t>(random_.between(0, std::ssize(style_.basics) - 1))];
    return type;
  }

  bool may_be_child(const Flat& flat) const {
    return style_.odd_children || (flat.extent() >= 0 && flat.size > 0);
  }

 private:
  int count() { return random_.chance(6) ? 0 : static_cast<int>(random_.between(1, 5)); }
  static int64_t unit_of(const Flat& flat) { return std::max<int64_t>(std::abs(flat.extent()), 1); }

  void set_vector(TypeSpec& type, const Flat& child) {
    type.lengths = {count(), count()};
    const int64_t block = type.lengths[1], unit = unit_of(child);
    int64_t stride = 0;
    if (counts_bytes(type.kind)) {
      stride = style_.ascending ? block * child.extent() + random_.between(0, 9)
                                : random_.between(-3 * unit, 6 * unit);
      if (stride == -1 && !style_.one_byte_back) stride = -2;
    } else {
      stride = style_.ascending ? block + random_.between(0, 3) : random_.between(-6, 9);
      if (stride * child.extent() == -1 && !style_.one_byte_back) stride *= 2;
    }
    type.places = {stride};
  }

  void set_blocks(TypeSpec& type, const Flat& child) {
    const bool equal = type.kind == Kind::indexed_block || type.kind == Kind::hindexed_block;
    const int64_t unit = counts_bytes(type.kind) ? unit_of(child) : 1;
    const int same = count(), blocks = count();
    const bool regular = random_.chance(30);
    if (equal) type.lengths = {same};
    int64_t next = random_.between(-3, 6) * unit;
    for (int i = 0; i < blocks; ++i) {
      const int length = equal || regular ? same : count();
      if (!equal) type.lengths.push_back(length);
      const bool anywhere = !style_.ascending && random_.chance(40);
      type.places.push_back(anywhere ? random_.between(-8, 20) * unit : next);
      next = type.places.back() + length * unit;
      next += regular ? unit : random_.between(0, 3) * std::max<int64_t>(unit / 4, 1);
    }
  }

  void set_members(TypeSpec& type) {
    const TypeSpec child = type.children[0];
    TypeSpec other = basic();
    if (random_.chance(50)) other = around(other);
    if (!may_be_child(flatten(other))) other = child;
    type.children.clear();
    int64_t next = random_.between(-20, 20);
    for (int members = count(); members > 0; --members) {
      type.children.push_back(random_.chance(50) ? child : random_.chance(50) ? other : basic());
      const Flat member = flatten(type.children.back());
      type.lengths.push_back(count());
      const bool anywhere = !style_.ascending && random_.chance(40);
      type.places.push_back(anywhere ? random_.between(-80, 80) : next - member.first_byte());
      next += (member.end_byte() - member.first_byte()) * type.lengths.back();
      next += random_.between(style_.ascending ? 0 : -5, 10);
    }
    if (!style_.markers || !random_.chance(20)) return;
    TypeSpec markers;
    markers.kind = Kind::markers;
    markers.places = {-random_.between(0, 30), next + random_.between(0, 30)};
    type.children.push_back(markers);
    type.lengths.push_back(1);
    type.places.push_back(0);
  }

  void set_bounds(TypeSpec& type, const Flat& child) {
    const int64_t unit = unit_of(child);
    if (style_.ascending) {
      type.places = {std::min<int64_t>(child.lower, 0), std::abs(child.extent()) + random_.between(0, 10)};
    } else {
      type.places = {child.lower + random_.between(-2, 2) * unit, random_.between(-8, 12) * unit / 2};
    }
  }

  Random& random_;
  const AnyStyle& style_;
};

// Copies of the type, one extent apart, do not overlap or descend, and nothing lies below 0.
bool fits_a_file(const Flat& flat) {
  return flat.size > 0 && flat.lower >= 0 && flat.first_byte() >= 0 && ascending(flat.pieces) &&
         flat.extent() >= flat.end_byte() - flat.first_byte();
}

}  // namespace

bool ascending(const std::vector<Piece>& pieces) {
  for (size_t i = 1; i < pieces.size(); ++i) {
    if (pieces[i].offset < pieces[i - 1].offset + pieces[i - 1].length) return false;
  }
  return true;
}

bool disjoint(std::vector<Piece> pieces) {
  std::sort(pieces.begin(), pieces.end(), [](const Piece& a, const Piece& b) { return a.offset < b.offset; });
  return ascending(pieces);
}

// Random bytes of these types are too large for the file, or change when they are read back.
static bool changes_values(const TypeSpec& type, Form form) {
  if (form != Form::external32) return false;
  if (type.kind == Kind::basic) return std::strncmp(basic_types()[type.basic].name, "LONG", 4) == 0;
  return std::any_of(type.children.begin(), type.children.end(),
                     [&](const TypeSpec& child) { return changes_values(child, form); });
}

TypeSpec random_memory_type(Random& random, int64_t most_bytes, Form form) {
  TypeSpec type;
  type.basic = static_cast<size_t>(random.between(0, int64_t{agreed_basic_types} - 1));
  if (random.chance(30) || changes_values(type, form)) type.basic = 0;
  if (random.chance(3)) return resized(0, random.between(1, 8), contiguous(0, type));
  Layer layer(random, 1, true, Form::memory);
  const int64_t layers = random.between(0, 4);
  for (int64_t i = 0; i < layers; ++i) {
    TypeSpec next = layer.around(type);
    const Flat flat = flatten(next);
    if (flat.size > most_bytes || flat.pieces.size() > most_pieces || !disjoint(flat.pieces)) continue;
    if (changes_values(next, form)) continue;
    if (flat.size == 0 && !random.chance(10)) continue;
    type = std::move(next);
  }
  return type;
}

TypeSpec random_file_type(Random& random, const TypeSpec& etype, int64_t most_extent, Form form) {
  const int64_t unit = flatten(etype, form).extent();
  TypeSpec type = etype;
  if (random.chance(50))
    type = contiguous(static_cast<int>(random.magnitude(most_extent / unit / 3 + 1) + 1), etype);
  if (flatten(type, form).extent() > most_extent) type = etype;
  Layer layer(random, unit, false, form);
  const int64_t layers = random.between(0, 4);
  for (int64_t i = 0; i < layers; ++i) {
    TypeSpec next = layer.around(type);
    const Flat flat = flatten(next, form);
    if (flat.extent() > most_extent || flat.end_byte() > most_extent || flat.pieces.size() > most_pieces)
      continue;
    if (fits_a_file(flat)) type = std::move(next);
  }
  return type;
}

TypeSpec random_outer_type(Random& random, const TypeSpec& child, const std::vector<int64_t>& places,
                           Form form) {
  const int64_t extent = flatten(child, form).extent();
  // Adjacent places are joined to blocks.
  std::vector<int64_t> starts;
  std::vector<int> lengths;
  for (int64_t place : places) {
    if (!starts.empty() && starts.back() + lengths.back() == place && random.chance(90)) {
      ++lengths.back();
    } else {
      starts.push_back(place);
      lengths.push_back(1);
    }
  }
  const bool equal =
      std::all_of(lengths.begin(), lengths.end(), [&](int length) { return length == lengths[0]; });
  bool regular = equal && starts.size() > 1 && starts[0] == 0;
  for (size_t i = 2; i < starts.size(); ++i)
    regular = regular && starts[i] - starts[i - 1] == starts[1] - starts[0];
  TypeSpec type;
  type.kind = random.pick({Kind::indexed, Kind::hindexed, Kind::structure});
  type.lengths = lengths;
  if (equal && random.chance(60)) {
    type.kind = random.pick({Kind::indexed_block, Kind::hindexed_block});
    type.lengths = {lengths[0]};
  }
  type.places = starts;
  if (regular && random.chance(70)) {
    type.kind = random.pick({Kind::vector, Kind::hvector});
    type.lengths = {static_cast<int>(starts.size()), lengths[0]};
    type.places = {starts[1]};
  }
  if (type.kind != Kind::indexed && type.kind != Kind::indexed_block && type.kind != Kind::vector) {
    for (int64_t& place : type.places) place *= extent;
  }
  type.children.assign(type.kind == Kind::structure ? starts.size() : 1, child);
  return type;
}

TypeSpec random_etype(Random& random, Form form) {
  switch (random.between(0, 9)) {
    case 0:
      return basic("INT");
    case 1:
      return basic("DOUBLE");
    case 2:
      return contiguous(12, basic("BYTE"));
    case 3:
      return contiguous(3, basic("INT"));
    case 4: {
      const int64_t first = flatten(basic("DOUBLE"), form).size, second = flatten(basic("INT"), form).size;
      TypeSpec packed;  // 12 bytes in memory, of two types
      packed.kind = Kind::structure;
      packed.lengths = {1, 1};
      packed.places = {0, first};
      packed.children = {basic("DOUBLE"), basic("INT")};
      return resized(0, first + second, packed);
    }
    case 5:
      return random.chance(40) ? basic("DOUBLE_INT") : basic("SHORT");  // the first has a hole at its end
    default:
      return basic("BYTE");
  }
}

TypeSpec random_any_type(Random& random, const AnyStyle& style, int depth, int64_t most_bytes) {
  AnyLayer layer(random, style);
  TypeSpec type = layer.basic();
  // If a layer makes the type too large, another one is tried.
  int tries = 4 * depth;
  for (int layers = 0; layers < depth && tries > 0 && layer.may_be_child(flatten(type)); --tries) {
    TypeSpec next = layer.around(type);
    const Flat flat = flatten(next);
    if (flat.size > most_bytes || flat.pieces.size() > 10 * most_pieces) continue;
    if (std::abs(flat.lower) > most_bytes || std::abs(flat.extent()) > most_bytes) continue;
    if (std::abs(flat.first_byte()) > most_bytes || flat.end_byte() - flat.first_byte() > most_bytes)
      continue;
    type = std::move(next);
    ++layers;
  }
  return type;
}

}  // namespace tests
