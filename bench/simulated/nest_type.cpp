#include "simulated/nest_type.h"

#include <algorithm>
#include <climits>
#include <utility>
#include <vector>

namespace concilio::bench {
namespace {

using pattern::Nest;

// A datatype that is freed when this is, and need not be committed.
class Part {
 public:
  explicit Part(MPI_Datatype type = MPI_DATATYPE_NULL) : type_(type) {}
  Part(Part&& other) noexcept : type_(std::exchange(other.type_, MPI_DATATYPE_NULL)) {}
  Part& operator=(Part&& other) noexcept {
    std::swap(type_, other.type_);
    return *this;
  }
  ~Part() {
    if (type_ != MPI_DATATYPE_NULL) MPI_Type_free(&type_);
  }
  MPI_Datatype get() const { return type_; }
  MPI_Datatype release() { return std::exchange(type_, MPI_DATATYPE_NULL); }

 private:
  MPI_Datatype type_;
};

// SMPI gives other constructors than structs a wrong place where they do not begin at 0.
Part placed(const std::vector<std::pair<int64_t, MPI_Datatype>>& parts) {
  std::vector<int> lengths(parts.size(), 1);
  std::vector<MPI_Aint> places;
  std::vector<MPI_Datatype> types;
  for (const auto& [place, type] : parts) {
    places.push_back(place);
    types.push_back(type);
  }
  MPI_Datatype made;
  MPI_Type_create_struct(static_cast<int>(parts.size()), lengths.data(), places.data(), types.data(), &made);
  return Part(made);
}

Part bytes(int64_t length) {
  constexpr int64_t most = 1 << 30;
  MPI_Datatype made;
  if (length <= most) {
    MPI_Type_contiguous(static_cast<int>(length), MPI_BYTE, &made);
    return Part(made);
  }
  const Part part = bytes(most), rest = bytes(length % most);
  MPI_Type_contiguous(static_cast<int>(length / most), part.get(), &made);
  const Part whole(made);
  return length % most == 0 ? placed({{0, whole.get()}})
                            : placed({{0, whole.get()}, {length / most * most, rest.get()}});
}

Part repeated(const Part& child, int64_t count, int64_t stride, int64_t offset) {
  MPI_Datatype made;
  MPI_Type_create_hvector(static_cast<int>(count), 1, stride, child.get(), &made);
  Part part(made);
  return offset == 0 ? std::move(part) : placed({{offset, part.get()}});
}

Part of_blocks(const Nest& nest) {
  std::vector<int> lengths;
  std::vector<MPI_Aint> places(nest.offsets().begin(), nest.offsets().end());
  for (size_t i = 0; i < places.size(); ++i) {
    const int64_t length =
        nest.uniform_length() > 0 ? nest.uniform_length() : nest.positions()[i + 1] - nest.positions()[i];
    lengths.push_back(static_cast<int>(length));
  }
  MPI_Datatype made;
  MPI_Type_create_hindexed(static_cast<int>(places.size()), lengths.data(), places.data(), MPI_BYTE, &made);
  return Part(made);
}

Part of_nest(const Nest& nest) {
  switch (nest.kind()) {
    case Nest::Kind::run:
      return repeated(bytes(nest.run().length), nest.run().count, nest.run().stride, nest.run().offset);
    case Nest::Kind::loop:
      return repeated(of_nest(*nest.child()), nest.loop_count(), nest.loop_stride(), nest.loop_offset());
    case Nest::Kind::blocks:
      return of_blocks(nest);
    case Nest::Kind::sequence: {
      std::vector<Part> parts;
      std::vector<std::pair<int64_t, MPI_Datatype>> at;
      for (const Nest::Part& part : nest.parts()) {
        parts.push_back(of_nest(*part.child));
        at.emplace_back(part.offset, parts.back().get());
      }
      return placed(at);
    }
    case Nest::Kind::empty:
      break;
  }
  return bytes(0);
}

// Whether MPI's counts hold all lists and blocks.
bool fits(const Nest& nest) {
  const auto holds = [](int64_t count) { return count <= INT_MAX; };
  switch (nest.kind()) {
    case Nest::Kind::run:
      return holds(nest.run().count);
    case Nest::Kind::loop:
      return holds(nest.loop_count()) && fits(*nest.child());
    case Nest::Kind::blocks: {
      if (nest.uniform_length() > 0) return holds(nest.uniform_length());
      const auto positions = nest.positions();
      return std::ranges::adjacent_find(positions, [](int64_t a, int64_t b) { return b - a > INT_MAX; }) ==
             positions.end();
    }
    case Nest::Kind::sequence:
      return std::ranges::all_of(nest.parts(), [](const Nest::Part& part) { return fits(*part.child); });
    case Nest::Kind::empty:
      break;
  }
  return true;
}

}  // namespace

Result<Datatype> datatype_of(const sim::RecordedType& type) {
  if (!fits(*type.nest))
    return Error{ErrorKind::count, 0, "a datatype has longer lists than an MPI count can hold"};
  const Part part = of_nest(*type.nest);
  MPI_Datatype made;
  MPI_Type_create_resized(part.get(), 0, type.extent, &made);
  return Datatype(made);
}

}  // namespace concilio::bench
