// An irregular map: a fixed pseudo-random permutation deals the elements of an array out to the ranks,
// equally many to each; a rank's own elements are in rising order.
#include <climits>

#include "content.h"
#include "pattern.h"

namespace concilio::bench {

namespace {

class Unstruc : public Pattern {
 public:
  Unstruc(int ranks, int64_t element_bytes, int64_t elements_per_rank)
      : element_bytes_(element_bytes), elements_per_rank_(elements_per_rank) {
    const size_t elements = static_cast<size_t>(elements_per_rank * ranks);
    owner_.resize(elements);
    for (size_t i = 0; i < elements; ++i) owner_[i] = static_cast<uint16_t>(i % static_cast<size_t>(ranks));
    for (size_t i = elements; i > 1; --i) std::swap(owner_[i - 1], owner_[mix(i) % i]);
  }
  void for_each_piece(int rank, const std::function<void(const Piece&)>& visit) const override {
    int64_t memory = 0;
    for (size_t i = 0; i < owner_.size(); ++i) {
      if (owner_[i] != rank) continue;
      visit({static_cast<int64_t>(i) * element_bytes_, memory, element_bytes_});
      memory += element_bytes_;
    }
  }
  int64_t buffer_bytes(int) const override { return elements_per_rank_ * element_bytes_; }
  Access make_access(int rank, int) const override {
    std::vector<int> indices;
    indices.reserve(static_cast<size_t>(elements_per_rank_));
    for (size_t i = 0; i < owner_.size(); ++i) {
      if (owner_[i] == rank) indices.push_back(static_cast<int>(i));
    }
    MPI_Datatype element, map;
    MPI_Type_contiguous(static_cast<int>(element_bytes_), MPI_BYTE, &element);
    MPI_Type_create_indexed_block(static_cast<int>(indices.size()), 1, indices.data(), element, &map);
    Access access;
    access.filetype = Datatype(map);
    access.memory = Datatype(element);
    access.count = static_cast<int>(indices.size());
    return access;
  }

 private:
  int64_t element_bytes_, elements_per_rank_;
  std::vector<uint16_t> owner_;  // of each element
};

}  // namespace

std::unique_ptr<Pattern> make_unstruc(const Parameters& parameters, const Size& size, std::string& error) {
  const int64_t element_bytes = parameters.empty() ? 64 : parse_piece_bytes(parameters[0]);
  if (element_bytes == 0 || parameters.size() > 1) {
    error = std::string("B is ") + piece_bytes_rule;
    return nullptr;
  }
  const int64_t elements = std::max<int64_t>(size.bytes_per_rank / element_bytes, 1);
  if (elements > INT_MAX / size.ranks || size.ranks > UINT16_MAX) {
    error = count_rule;
    return nullptr;
  }
  return std::make_unique<Unstruc>(size.ranks, element_bytes, elements);
}

}  // namespace concilio::bench
