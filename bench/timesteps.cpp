// Data points of many variables, all time steps of a point together in the file. Each call writes one time
// step: of every data point, the elements of that step, which the ranks have in turn.
#include <climits>

#include "pattern.h"

namespace concilio::bench {

namespace {

constexpr int64_t most_point_bytes = int64_t{1} << 30;

struct Series {
  int64_t steps = 32, elements = 100, element_bytes = 32, points = 1;
};

class Timesteps : public Pattern {
 public:
  Timesteps(int ranks, const Series& series) : ranks_(ranks), series_(series) {}
  void for_each_piece(int rank, const std::function<void(const Piece&)>& visit) const override {
    int64_t memory = 0;
    for (int64_t step = 0; step < series_.steps; ++step) {
      for (int64_t point = 0; point < series_.points; ++point) {
        for (int64_t element = rank; element < series_.elements; element += ranks_) {
          visit({point * point_bytes() + step * step_bytes() + element * series_.element_bytes, memory,
                 series_.element_bytes});
          memory += series_.element_bytes;
        }
      }
    }
  }
  int64_t buffer_bytes(int rank) const override { return series_.steps * call_bytes(rank); }
  int calls() const override { return static_cast<int>(series_.steps); }
  Access make_access(int rank, int call) const override {
    Access access;
    if (own_elements(rank) == 0) return access;
    const int element_bytes = static_cast<int>(series_.element_bytes);
    MPI_Datatype in_point, point, element;
    MPI_Type_create_hvector(static_cast<int>(own_elements(rank)), element_bytes,
                            ranks_ * series_.element_bytes, MPI_BYTE, &in_point);
    MPI_Type_create_resized(in_point, 0, point_bytes(), &point);
    MPI_Type_free(&in_point);
    MPI_Type_contiguous(element_bytes, MPI_BYTE, &element);
    access.displacement = call * step_bytes() + rank * series_.element_bytes;
    access.filetype = Datatype(point);
    access.memory = Datatype(element);
    access.count = static_cast<int>(series_.points * own_elements(rank));
    access.memory_offset = call * call_bytes(rank);
    return access;
  }

 private:
  int64_t step_bytes() const { return series_.elements * series_.element_bytes; }  // of one point
  int64_t point_bytes() const { return series_.steps * step_bytes(); }
  int64_t own_elements(int rank) const {
    return std::max<int64_t>(series_.elements - rank + ranks_ - 1, 0) / ranks_;
  }
  int64_t call_bytes(int rank) const { return series_.points * own_elements(rank) * series_.element_bytes; }

  int ranks_;
  Series series_;
};

}  // namespace

std::unique_ptr<Pattern> make_timesteps(const Parameters& parameters, const Size& size, std::string& error) {
  Series series;
  if (!parameters.empty()) series.steps = parse_piece_bytes(parameters[0]);
  if (parameters.size() > 1) {
    const auto [elements, bytes] = parse_piece_bytes_pair(parameters[1]);
    series.elements = elements;
    series.element_bytes = bytes;
  }
  if (parameters.size() > 2 || series.steps == 0 || series.elements == 0 || series.element_bytes == 0) {
    error = std::string("STEPS, ELEMENTS and BYTES are each ") + piece_bytes_rule;
    return nullptr;
  }
  if (series.elements > most_point_bytes / series.element_bytes ||
      series.steps > most_point_bytes / (series.elements * series.element_bytes)) {
    error = "a data point has more than 1 GiB";
    return nullptr;
  }
  const int64_t step_bytes = series.elements * series.element_bytes;
  series.points = std::max<int64_t>(size.bytes_per_rank * size.ranks / step_bytes, 1);
  if (series.points > INT_MAX / series.elements) {
    error = count_rule;
    return nullptr;
  }
  return std::make_unique<Timesteps>(size.ranks, series);
}

}  // namespace concilio::bench
