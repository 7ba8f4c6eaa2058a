#include "counts/patterns.h"

#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "common/expect.h"

namespace counts {
namespace {

using concilio::bench::Access;
using concilio::bench::Datatype;
using concilio::bench::Pattern;
using concilio::bench::Piece;

PatternRef made(const std::string& text, int ranks, int64_t bytes) {
  auto pattern = concilio::bench::make_pattern(text, {ranks, bytes});
  REQUIRE(pattern.ok());
  return std::move(*pattern);
}

// One stretch for each of some ranks, in the places that a function gives.
class Stretches : public Pattern {
 public:
  static constexpr int64_t none = -1;
  Stretches(int64_t bytes, std::vector<int64_t> place_of_rank)
      : bytes_(bytes), places_(std::move(place_of_rank)) {}
  void for_each_piece(int rank, const std::function<void(const Piece&)>& visit) const override {
    if (has_data(rank)) visit({place(rank) * bytes_, 0, bytes_});
  }
  int64_t buffer_bytes(int rank) const override { return has_data(rank) ? bytes_ : 0; }
  Access make_access(int rank, int) const override {
    Access access;
    if (!has_data(rank)) return access;
    access.displacement = place(rank) * bytes_;
    access.count = static_cast<int>(bytes_);
    return access;
  }

 private:
  int64_t place(int rank) const { return places_[static_cast<size_t>(rank)]; }
  bool has_data(int rank) const { return place(rank) != none; }
  int64_t bytes_;
  std::vector<int64_t> places_;
};

// Stretches whose ranks come from the nodes by turns.
PatternRef dealt(int ranks, int ranks_per_node, int64_t bytes) {
  const int nodes = ranks / ranks_per_node;
  std::vector<int64_t> places;
  for (int rank = 0; rank < ranks; ++rank)
    places.push_back(rank % ranks_per_node * nodes + rank / ranks_per_node);
  return std::make_unique<Stretches>(bytes, places);
}

// The ranks of the last node have all bytes.
PatternRef of_one_node(int ranks, int ranks_per_node, int64_t bytes) {
  std::vector<int64_t> places(static_cast<size_t>(ranks), Stretches::none);
  for (int i = 0; i < ranks_per_node; ++i) places[static_cast<size_t>(ranks - ranks_per_node + i)] = i;
  return std::make_unique<Stretches>(bytes, places);
}

// A 4-D array of doubles in row-major order, divided into equal blocks.
class Blocks4d : public Pattern {
 public:
  Blocks4d(int ranks, int64_t bytes) {
    MPI_Dims_create(ranks, axes, grid_.data());
    const double cells = static_cast<double>(bytes) / sizeof(double);
    block_.fill(static_cast<int>(std::floor(std::pow(cells, 0.25))));
  }
  void for_each_piece(int rank, const std::function<void(const Piece&)>& visit) const override {
    const Quadruple first = first_cell(rank);
    const int64_t row_bytes = int64_t{block_[3]} * cell_bytes;
    int64_t memory = 0;
    for (int i = 0; i < block_[0]; ++i) {
      for (int j = 0; j < block_[1]; ++j) {
        for (int k = 0; k < block_[2]; ++k) {
          int64_t cell = first[0] + i;
          cell = cell * edge(1) + first[1] + j;
          cell = cell * edge(2) + first[2] + k;
          cell = cell * edge(3) + first[3];
          visit({cell * cell_bytes, memory, row_bytes});
          memory += row_bytes;
        }
      }
    }
  }
  int64_t buffer_bytes(int) const override {
    return int64_t{block_[0]} * block_[1] * block_[2] * block_[3] * cell_bytes;
  }
  Access make_access(int rank, int) const override {
    const Quadruple first = first_cell(rank);
    const Quadruple whole{edge(0), edge(1), edge(2), edge(3)};
    MPI_Datatype subarray;
    MPI_Type_create_subarray(axes, whole.data(), block_.data(), first.data(), MPI_ORDER_C, MPI_DOUBLE,
                             &subarray);
    Access access;
    access.etype = MPI_DOUBLE;
    access.filetype = Datatype(subarray);
    access.count = static_cast<int>(buffer_bytes(rank));
    return access;
  }

 private:
  static constexpr int axes = 4;
  static constexpr int64_t cell_bytes = sizeof(double);
  using Quadruple = std::array<int, axes>;
  int edge(size_t axis) const { return grid_[axis] * block_[axis]; }
  Quadruple first_cell(int rank) const {
    Quadruple first{};
    for (size_t axis = axes; axis-- > 0; rank /= grid_[axis]) first[axis] = rank % grid_[axis] * block_[axis];
    return first;
  }
  Quadruple grid_{}, block_{};
};

template <int64_t block>
PatternRef interleaved(int ranks, int, int64_t bytes) {
  return made("interleaved:" + std::to_string(block), ranks, bytes);
}

}  // namespace

const std::vector<Case>& cases() {
  static const auto& all = *new std::vector<Case>{
      {"contiguous", dealt, Interwoven::no},
      {"serial by rank", [](int ranks, int, int64_t bytes) { return made("contiguous", ranks, bytes); },
       Interwoven::no},
      {"one node with everything", of_one_node, Interwoven::no},
      {"64 B interleaved", interleaved<64>, Interwoven::regularly},
      {"4 KiB interleaved", interleaved<4096>, Interwoven::regularly},
      {"64 KiB interleaved", interleaved<65536>, Interwoven::regularly},
      {"3-D blocks", [](int ranks, int, int64_t bytes) { return made("block3d", ranks, bytes); },
       Interwoven::regularly},
      {"4-D blocks",
       [](int ranks, int, int64_t bytes) -> PatternRef { return std::make_unique<Blocks4d>(ranks, bytes); },
       Interwoven::regularly},
      {"BTIO", [](int ranks, int, int64_t bytes) { return made("btio", ranks, bytes); },
       Interwoven::regularly},
      {"irregular", [](int ranks, int, int64_t bytes) { return made("unstruc", ranks, bytes); },
       Interwoven::irregularly},
  };
  return all;
}

}  // namespace counts
