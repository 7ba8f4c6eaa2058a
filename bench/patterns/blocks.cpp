// Arrays that are decomposed into blocks: block3d and block4d.
#include "sim/patterns/blocks.h"

#include <climits>

#include "patterns/pattern.h"

namespace concilio::bench {

namespace {

template <size_t axes>
class BlockOfArray : public Pattern {
 public:
  explicit BlockOfArray(const sim::BlockArray<axes>& array) : array_(array) {}

  void for_each_piece(int rank, const std::function<void(const Piece&)>& visit) const override {
    const Tuple first = array_.first_cell(rank);
    const int64_t row_bytes = bytes_from(axes - 1), rows = units_before(axes - 1);
    for (int64_t row = 0; row < rows; ++row)
      visit({cell_of(first, row, axes - 1) * array_.cell_bytes, row * row_bytes, row_bytes});
  }
  int64_t buffer_bytes(int) const override { return bytes_from(0); }
  Access make_access(int rank, int) const override {
    const Tuple first = array_.first_cell(rank);
    int whole[axes], block[axes], start[axes];
    for (size_t axis = 0; axis < axes; ++axis) {
      whole[axis] = static_cast<int>(array_.edge(axis));
      block[axis] = static_cast<int>(array_.block[axis]);
      start[axis] = static_cast<int>(first[axis]);
    }
    const Cell cell(array_.cell_bytes);
    MPI_Datatype subarray, row;
    MPI_Type_create_subarray(axes, whole, block, start, MPI_ORDER_C, cell.type, &subarray);
    MPI_Type_contiguous(block[axes - 1], cell.type, &row);
    Access access;
    access.etype = cell.etype;
    access.filetype = Datatype(subarray);
    access.memory = Datatype(row);
    access.count = static_cast<int>(units_before(axes - 1));
    return access;
  }

  // Blocks that differ in their place along the last axes alone are those of neighbouring ranks, and fill
  // stretches of the file: all along these axes, and as long as a block is along the axis before them. With
  // more of these axes stretches are longer, but fewer; every rank is to have a part of one.
  std::optional<Row> row_of(int rank, int64_t stretch_bytes) const override {
    size_t axis = axes - 1;  // the one before those
    int64_t ranks = 1, ranks_then = array_.grid[axis];
    while (axis > 0 && bytes_of_unit(axis) * array_.block[axis] < stretch_bytes &&
           ranks_then <= units_before(axis)) {
      ranks = ranks_then;
      ranks_then *= array_.grid[--axis];
    }
    const Tuple first = array_.first_cell(rank / ranks * ranks);
    return Row{static_cast<int>(rank / ranks * ranks), static_cast<int>(ranks), units_before(axis + 1),
               bytes_from(axis + 1),
               [=, this](int64_t unit) { return cell_of(first, unit, axis + 1) * array_.cell_bytes; }};
  }

 private:
  using Tuple = typename sim::BlockArray<axes>::Tuple;

  // The type of a cell, and the one that calls have for their offsets.
  struct Cell {
    explicit Cell(int64_t bytes) {
      if (bytes == sizeof(double) || bytes == sizeof(int32_t)) {
        type = etype = bytes == sizeof(double) ? MPI_DOUBLE : MPI_INT32_T;
      } else {
        MPI_Type_contiguous(static_cast<int>(bytes), MPI_BYTE, &type);
      }
    }
    ~Cell() {
      if (type != etype) MPI_Type_free(&type);
    }
    Cell(const Cell&) = delete;
    MPI_Datatype type = MPI_BYTE, etype = MPI_BYTE;
  };

  // The parts of a block that one place along each axis before `axis` has, and the bytes of one of them: of
  // this block, and of all that lie side by side.
  int64_t units_before(size_t axis) const {
    int64_t units = 1;
    for (size_t i = 0; i < axis; ++i) units *= array_.block[i];
    return units;
  }
  int64_t bytes_from(size_t axis) const {
    int64_t bytes = array_.cell_bytes;
    for (size_t i = axis; i < axes; ++i) bytes *= array_.block[i];
    return bytes;
  }
  int64_t bytes_of_unit(size_t axis) const {
    int64_t bytes = array_.cell_bytes;
    for (size_t i = axis + 1; i < axes; ++i) bytes *= array_.edge(i);
    return bytes;
  }
  // The first cell of such a part of the block that begins at `first`.
  int64_t cell_of(const Tuple& first, int64_t unit, size_t axis) const {
    int64_t cell = 0, stride = 1;
    for (size_t i = axes; i-- > 0; stride *= array_.edge(i)) {
      cell += first[i] * stride;
      if (i >= axis) continue;
      cell += unit % array_.block[i] * stride;
      unit /= array_.block[i];
    }
    return cell;
  }

  sim::BlockArray<axes> array_;
};

template <size_t axes>
Made made_of(const Result<sim::BlockArray<axes>>& array) {
  if (!array) return array.error();
  int64_t rows = 1;
  for (size_t axis = 0; axis + 1 < axes; ++axis) rows *= array->block[axis];
  if (rows > INT_MAX) return sim::malformed(count_rule);
  return Made(std::make_unique<BlockOfArray<axes>>(*array));
}

}  // namespace

Made make_block3d(const Parameters& parameters, const Size& size) {
  return made_of(sim::block3d_of(parameters, size));
}

Made make_block4d(const Parameters& parameters, const Size& size) {
  return made_of(sim::block4d_of(parameters, size));
}

}  // namespace concilio::bench
