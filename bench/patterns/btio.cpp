#include "sim/patterns/btio.h"

#include "patterns/pattern.h"

namespace concilio::bench {

namespace {

class Btio : public Pattern {
 public:
  explicit Btio(const sim::Btio& cube) : cube_(cube) {}

  void for_each_piece(int rank, const std::function<void(const Piece&)>& visit) const override {
    if (!cube_.has_data(rank)) return;
    const int64_t width = cube_.width(), edge = cube_.edge(), ghosts = cube_.ghost_points;
    for (int64_t slab = 0; slab < cube_.side; ++slab) {
      const std::array<int64_t, 3> first = cube_.first_point(rank, slab);
      for (int64_t k = 0; k < cube_.cell_points; ++k) {
        for (int64_t j = 0; j < cube_.cell_points; ++j) {
          const int64_t in_file = ((first[0] + k) * edge + first[1] + j) * edge + first[2];
          const int64_t in_memory = ((slab * width + k + ghosts) * width + j + ghosts) * width + ghosts;
          visit({in_file * cube_.point_bytes, in_memory * cube_.point_bytes,
                 cube_.cell_points * cube_.point_bytes});
        }
      }
    }
  }

  int64_t buffer_bytes(int rank) const override {
    return cube_.has_data(rank) ? cube_.side * cube_.cell_memory_bytes() : 0;
  }

  Access make_access(int rank, int) const override {
    Access access;
    if (!cube_.has_data(rank)) return access;
    const int width = static_cast<int>(cube_.width()), edge = static_cast<int>(cube_.edge());
    const int points = static_cast<int>(cube_.cell_points), ghosts = static_cast<int>(cube_.ghost_points);
    const int doubles = static_cast<int>(cube_.doubles_per_point);
    std::vector<MPI_Datatype> in_file(static_cast<size_t>(cube_.side)), in_memory(in_file.size());
    std::vector<MPI_Aint> file_displacements(in_file.size(), 0), memory_displacements(in_file.size());
    const int cell[] = {points, points, points, doubles};
    const int whole[] = {edge, edge, edge, doubles};
    const int with_ghosts[] = {width, width, width, doubles};
    const int inside[] = {ghosts, ghosts, ghosts, 0};
    for (size_t slab = 0; slab < in_file.size(); ++slab) {
      const auto first = cube_.first_point(rank, static_cast<int64_t>(slab));
      const int start[] = {static_cast<int>(first[0]), static_cast<int>(first[1]), static_cast<int>(first[2]),
                           0};
      MPI_Type_create_subarray(4, whole, cell, start, MPI_ORDER_C, MPI_DOUBLE, &in_file[slab]);
      MPI_Type_create_subarray(4, with_ghosts, cell, inside, MPI_ORDER_C, MPI_DOUBLE, &in_memory[slab]);
      memory_displacements[slab] = static_cast<MPI_Aint>(slab) * cube_.cell_memory_bytes();
    }
    access.etype = MPI_DOUBLE;
    access.filetype = combine(in_file, file_displacements);
    access.memory = combine(in_memory, memory_displacements);
    access.count = 1;
    return access;
  }

  std::string note() const override { return cube_.note(); }

 private:
  static Datatype combine(std::vector<MPI_Datatype>& parts, const std::vector<MPI_Aint>& displacements) {
    const std::vector<int> ones(parts.size(), 1);
    MPI_Datatype combined;
    MPI_Type_create_struct(static_cast<int>(parts.size()), ones.data(), displacements.data(), parts.data(),
                           &combined);
    for (MPI_Datatype& part : parts) MPI_Type_free(&part);
    return Datatype(combined);
  }

  sim::Btio cube_;
};

}  // namespace

Made make_btio(const Parameters& parameters, const Size& size) {
  const Result<sim::Btio> cube = sim::btio_of(parameters, size);
  if (!cube) return cube.error();
  return Made(std::make_unique<Btio>(*cube));
}

}  // namespace concilio::bench
