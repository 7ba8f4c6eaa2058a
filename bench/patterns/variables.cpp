#include "sim/patterns/variables.h"

#include <climits>

#include "patterns/pattern.h"

namespace concilio::bench {

namespace {

class Variables : public Pattern {
 public:
  explicit Variables(const sim::Variables& grid) : grid_(grid) {}
  void for_each_piece(int rank, const std::function<void(const Piece&)>& visit) const override {
    int64_t memory = 0;
    for (int call = 0; call < calls(); ++call) {
      for (int64_t row = 0; row < grid_.rows(call % grid_.variables); ++row) {
        visit({grid_.begin(rank, call) + row * grid_.row_bytes(), memory, grid_.piece_bytes});
        memory += grid_.piece_bytes;
      }
    }
  }
  int64_t buffer_bytes(int) const override { return grid_.steps * grid_.step_bytes_of_rank(); }
  int calls() const override { return static_cast<int>(grid_.calls()); }
  Access make_access(int rank, int call) const override {
    const int64_t variable = call % grid_.variables, step = call / grid_.variables;
    Access access;
    MPI_Datatype rows, piece;
    MPI_Type_create_hvector(static_cast<int>(grid_.rows(variable)), static_cast<int>(grid_.piece_bytes),
                            grid_.row_bytes(), MPI_BYTE, &rows);
    MPI_Type_contiguous(static_cast<int>(grid_.piece_bytes), MPI_BYTE, &piece);
    access.displacement = grid_.begin(rank, call);
    access.filetype = Datatype(rows);
    access.memory = Datatype(piece);
    access.count = static_cast<int>(grid_.rows(variable));
    access.memory_offset = step * grid_.step_bytes_of_rank() + grid_.bytes_before(variable);
    return access;
  }

 private:
  sim::Variables grid_;
};

}  // namespace

Made make_variables(const Parameters& parameters, const Size& size) {
  const Result<sim::Variables> grid = sim::variables_of(parameters, size);
  if (!grid) return grid.error();
  if (grid->rows(grid->variables - 1) > INT_MAX) return sim::malformed(count_rule);
  return Made(std::make_unique<Variables>(*grid));
}

}  // namespace concilio::bench
