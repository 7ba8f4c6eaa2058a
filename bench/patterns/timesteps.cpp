#include "sim/patterns/timesteps.h"

#include <climits>

#include "patterns/pattern.h"

namespace concilio::bench {

namespace {

class Timesteps : public Pattern {
 public:
  explicit Timesteps(const sim::Timesteps& all) : all_(all) {}
  void for_each_piece(int rank, const std::function<void(const Piece&)>& visit) const override {
    int64_t memory = 0;
    for (int64_t step = 0; step < all_.steps; ++step) {
      for (int64_t point = 0; point < all_.points; ++point) {
        for (int64_t element = rank; element < all_.elements; element += all_.ranks) {
          visit({point * all_.point_bytes() + step * all_.step_bytes() + element * all_.element_bytes, memory,
                 all_.element_bytes});
          memory += all_.element_bytes;
        }
      }
    }
  }
  int64_t buffer_bytes(int rank) const override { return all_.steps * all_.call_bytes(rank); }
  int calls() const override { return static_cast<int>(all_.steps); }
  Access make_access(int rank, int call) const override {
    Access access;
    const int64_t own_elements = all_.own_elements(rank);
    if (own_elements == 0) return access;
    const int element_bytes = static_cast<int>(all_.element_bytes);
    MPI_Datatype in_point, point, element;
    MPI_Type_create_hvector(static_cast<int>(own_elements), element_bytes, all_.ranks * all_.element_bytes,
                            MPI_BYTE, &in_point);
    MPI_Type_create_resized(in_point, 0, all_.point_bytes(), &point);
    MPI_Type_free(&in_point);
    MPI_Type_contiguous(element_bytes, MPI_BYTE, &element);
    access.displacement = call * all_.step_bytes() + rank * all_.element_bytes;
    access.filetype = Datatype(point);
    access.memory = Datatype(element);
    access.count = static_cast<int>(all_.points * own_elements);
    access.memory_offset = call * all_.call_bytes(rank);
    return access;
  }

 private:
  sim::Timesteps all_;
};

}  // namespace

Made make_timesteps(const Parameters& parameters, const Size& size) {
  const Result<sim::Timesteps> all = sim::timesteps_of(parameters, size);
  if (!all) return all.error();
  if (all->points > INT_MAX / all->elements) return sim::malformed(count_rule);
  return Made(std::make_unique<Timesteps>(*all));
}

}  // namespace concilio::bench
