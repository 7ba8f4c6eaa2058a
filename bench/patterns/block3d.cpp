#include "sim/patterns/block3d.h"

#include <climits>

#include "patterns/pattern.h"

namespace concilio::bench {

namespace {

class Block3d : public Pattern {
 public:
  explicit Block3d(const sim::Block3d& array) : array_(array) {}

  void for_each_piece(int rank, const std::function<void(const Piece&)>& visit) const override {
    const auto start = array_.first_cell(rank);
    const int64_t row_bytes = array_.block[2] * array_.cell_bytes;
    int64_t memory = 0;
    for (int64_t i = start[0]; i < start[0] + array_.block[0]; ++i) {
      for (int64_t j = start[1]; j < start[1] + array_.block[1]; ++j) {
        const int64_t cell = (i * array_.edge(1) + j) * array_.edge(2) + start[2];
        visit({cell * array_.cell_bytes, memory, row_bytes});
        memory += row_bytes;
      }
    }
  }
  int64_t buffer_bytes(int) const override {
    return array_.block[0] * array_.block[1] * array_.block[2] * array_.cell_bytes;
  }
  Access make_access(int rank, int) const override {
    const auto first = array_.first_cell(rank);
    int whole[3], block[3], start[3];
    for (size_t axis = 0; axis < 3; ++axis) {
      whole[axis] = static_cast<int>(array_.edge(axis));
      block[axis] = static_cast<int>(array_.block[axis]);
      start[axis] = static_cast<int>(first[axis]);
    }
    const MPI_Datatype cell = array_.cell_bytes == sizeof(double) ? MPI_DOUBLE : MPI_INT32_T;
    MPI_Datatype subarray, row;
    MPI_Type_create_subarray(3, whole, block, start, MPI_ORDER_C, cell, &subarray);
    MPI_Type_contiguous(block[2], cell, &row);
    Access access;
    access.etype = cell;
    access.filetype = Datatype(subarray);
    access.memory = Datatype(row);
    access.count = block[0] * block[1];
    return access;
  }

 private:
  sim::Block3d array_;
};

}  // namespace

Made make_block3d(const Parameters& parameters, const Size& size) {
  const Result<sim::Block3d> array = sim::block3d_of(parameters, size);
  if (!array) return array.error();
  return Made(std::make_unique<Block3d>(*array));
}

}  // namespace concilio::bench
