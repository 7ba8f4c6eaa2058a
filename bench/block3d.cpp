// A 3-D array of doubles in row-major order, decomposed in equal blocks: MPICH's coll_perf, DIST3D.
#include <array>
#include <climits>
#include <cmath>

#include "pattern.h"

namespace concilio::bench {

namespace {

using Triple = std::array<int, 3>;

class Block3d : public Pattern {
 public:
  Block3d(const Triple& grid, const Triple& block) : grid_(grid), block_(block) {}

  void for_each_piece(int rank, const std::function<void(const Piece&)>& visit) const override {
    const Triple start = first_cell(rank);
    const int64_t row_bytes = block_[2] * cell_bytes;
    int64_t memory = 0;
    for (int64_t i = start[0]; i < start[0] + block_[0]; ++i) {
      for (int64_t j = start[1]; j < start[1] + block_[1]; ++j) {
        const int64_t cell = (i * edge(1) + j) * edge(2) + start[2];
        visit({cell * cell_bytes, memory, row_bytes});
        memory += row_bytes;
      }
    }
  }
  int64_t buffer_bytes(int) const override { return int64_t{block_[0]} * block_[1] * block_[2] * cell_bytes; }
  Access make_access(int rank, int) const override {
    const Triple whole = {static_cast<int>(edge(0)), static_cast<int>(edge(1)), static_cast<int>(edge(2))};
    const Triple start = first_cell(rank);
    MPI_Datatype subarray, row;
    MPI_Type_create_subarray(3, whole.data(), block_.data(), start.data(), MPI_ORDER_C, MPI_DOUBLE,
                             &subarray);
    MPI_Type_contiguous(block_[2], MPI_DOUBLE, &row);
    Access access;
    access.etype = MPI_DOUBLE;
    access.filetype = Datatype(subarray);
    access.memory = Datatype(row);
    access.count = block_[0] * block_[1];
    return access;
  }

 private:
  static constexpr int64_t cell_bytes = sizeof(double);
  int64_t edge(size_t axis) const { return int64_t{grid_[axis]} * block_[axis]; }
  Triple first_cell(int rank) const {
    return {rank / (grid_[1] * grid_[2]) * block_[0], rank / grid_[2] % grid_[1] * block_[1],
            rank % grid_[2] * block_[2]};
  }

  Triple grid_;   // of ranks
  Triple block_;  // cells of one rank
};

}  // namespace

std::unique_ptr<Pattern> make_block3d(const Parameters& parameters, const Size& size, std::string& error) {
  if (!parameters.empty()) {
    error = "takes no parameter";
    return nullptr;
  }
  Triple grid = {0, 0, 0};
  MPI_Dims_create(size.ranks, 3, grid.data());
  const double cells = static_cast<double>(size.bytes_per_rank) / sizeof(double);
  const int edge = std::max(1, static_cast<int>(std::cbrt(cells)));
  const Triple block = {std::max(1, static_cast<int>(std::lround(cells / edge / edge))), edge, edge};
  return std::make_unique<Block3d>(grid, block);
}

}  // namespace concilio::bench
