// The file of the NAS benchmark BTIO ("full" variant): a cube of points of five doubles, cut into q*q*q cells
// for q*q ranks; each rank has q cells, one in every slab, along a diagonal; in memory each cell has two
// ghost points on every side.
#include <fmt/format.h>
#include <array>
#include <cmath>

#include "pattern.h"

namespace concilio::bench {

namespace {

constexpr int ghost_points = 2;
constexpr int doubles_per_point = 5;
constexpr int64_t point_bytes = doubles_per_point * sizeof(double);

class Btio : public Pattern {
 public:
  Btio(int ranks, int side, int cell_points) : ranks_(ranks), side_(side), cell_points_(cell_points) {}

  void for_each_piece(int rank, const std::function<void(const Piece&)>& visit) const override {
    if (!has_data(rank)) return;
    const int64_t width = cell_points_ + 2 * ghost_points, cube = int64_t{side_} * cell_points_;
    for (int64_t slab = 0; slab < side_; ++slab) {
      const std::array<int64_t, 3> first = first_point(rank, slab);
      for (int64_t k = 0; k < cell_points_; ++k) {
        for (int64_t j = 0; j < cell_points_; ++j) {
          const int64_t in_file = ((first[0] + k) * cube + first[1] + j) * cube + first[2];
          const int64_t in_memory =
              ((slab * width + k + ghost_points) * width + j + ghost_points) * width + ghost_points;
          visit({in_file * point_bytes, in_memory * point_bytes, cell_points_ * point_bytes});
        }
      }
    }
  }

  int64_t buffer_bytes(int rank) const override { return has_data(rank) ? side_ * cell_memory_bytes() : 0; }

  Access make_access(int rank, int) const override {
    Access access;
    if (!has_data(rank)) return access;
    const int width = cell_points_ + 2 * ghost_points, cube = side_ * cell_points_;
    std::vector<MPI_Datatype> in_file(static_cast<size_t>(side_)), in_memory(static_cast<size_t>(side_));
    std::vector<MPI_Aint> file_displacements(in_file.size(), 0), memory_displacements(in_file.size());
    const int cell[] = {cell_points_, cell_points_, cell_points_, doubles_per_point};
    const int whole[] = {cube, cube, cube, doubles_per_point};
    const int with_ghosts[] = {width, width, width, doubles_per_point};
    const int inside[] = {ghost_points, ghost_points, ghost_points, 0};
    for (size_t slab = 0; slab < in_file.size(); ++slab) {
      const auto first = first_point(rank, static_cast<int64_t>(slab));
      const int start[] = {static_cast<int>(first[0]), static_cast<int>(first[1]), static_cast<int>(first[2]),
                           0};
      MPI_Type_create_subarray(4, whole, cell, start, MPI_ORDER_C, MPI_DOUBLE, &in_file[slab]);
      MPI_Type_create_subarray(4, with_ghosts, cell, inside, MPI_ORDER_C, MPI_DOUBLE, &in_memory[slab]);
      memory_displacements[slab] = static_cast<MPI_Aint>(slab) * cell_memory_bytes();
    }
    access.etype = MPI_DOUBLE;
    access.filetype = combine(in_file, file_displacements);
    access.memory = combine(in_memory, memory_displacements);
    access.count = 1;
    return access;
  }

  std::string note() const override {
    const int used = side_ * side_;
    if (used == ranks_) return {};
    return fmt::format("btio needs a square number of ranks: {} of {} have data", used, ranks_);
  }

 private:
  bool has_data(int rank) const { return rank < side_ * side_; }
  int64_t cell_memory_bytes() const {
    const int64_t width = cell_points_ + 2 * ghost_points;
    return width * width * width * point_bytes;
  }
  // As BTIO places them: one to the right and one up from slab to slab, around the border.
  std::array<int64_t, 3> first_point(int rank, int64_t slab) const {
    const int64_t x = (rank % side_ + slab) % side_, y = (rank / side_ - slab + side_) % side_;
    return {slab * cell_points_, y * cell_points_, x * cell_points_};
  }
  static Datatype combine(std::vector<MPI_Datatype>& parts, const std::vector<MPI_Aint>& displacements) {
    const std::vector<int> ones(parts.size(), 1);
    MPI_Datatype combined;
    MPI_Type_create_struct(static_cast<int>(parts.size()), ones.data(), displacements.data(), parts.data(),
                           &combined);
    for (MPI_Datatype& part : parts) MPI_Type_free(&part);
    return Datatype(combined);
  }

  int ranks_, side_, cell_points_;
};

}  // namespace

std::unique_ptr<Pattern> make_btio(const Parameters& parameters, const Size& size, std::string& error) {
  if (!parameters.empty()) {
    error = "takes no parameter";
    return nullptr;
  }
  int side = 1;
  while ((side + 1) * (side + 1) <= size.ranks) ++side;
  const double points = static_cast<double>(size.bytes_per_rank) / static_cast<double>(point_bytes) / side;
  return std::make_unique<Btio>(size.ranks, side,
                                std::max(1, static_cast<int>(std::lround(std::cbrt(points)))));
}

}  // namespace concilio::bench
