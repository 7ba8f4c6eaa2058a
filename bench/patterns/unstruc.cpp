#include "sim/patterns/unstruc.h"

#include <climits>

#include "patterns/pattern.h"

namespace concilio::bench {

namespace {

class Unstruc : public Pattern {
 public:
  explicit Unstruc(const sim::Unstruc& of) : of_(of), map_(of) {}
  void for_each_piece(int rank, const std::function<void(const Piece&)>& visit) const override {
    int64_t memory = 0;
    for (const uint32_t element : map_.elements_of(rank)) {
      visit({element * of_.element_bytes, memory, of_.element_bytes});
      memory += of_.element_bytes;
    }
  }
  int64_t buffer_bytes(int) const override { return of_.elements * of_.element_bytes; }
  Access make_access(int rank, int) const override {
    const auto elements = map_.elements_of(rank);
    const std::vector<int> indices(elements.begin(), elements.end());
    MPI_Datatype element, map;
    MPI_Type_contiguous(static_cast<int>(of_.element_bytes), MPI_BYTE, &element);
    MPI_Type_create_indexed_block(static_cast<int>(indices.size()), 1, indices.data(), element, &map);
    Access access;
    access.filetype = Datatype(map);
    access.memory = Datatype(element);
    access.count = static_cast<int>(indices.size());
    return access;
  }

 private:
  sim::Unstruc of_;
  sim::UnstrucMap map_;
};

}  // namespace

Made make_unstruc(const Parameters& parameters, const Size& size) {
  const Result<sim::Unstruc> of = sim::unstruc_of(parameters, size);
  if (!of) return of.error();
  if (of->elements > INT_MAX / of->ranks) return sim::malformed(count_rule);
  return Made(std::make_unique<Unstruc>(*of));
}

}  // namespace concilio::bench
