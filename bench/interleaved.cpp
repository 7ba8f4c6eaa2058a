// Blocks of a fixed size, in turn over the ranks.
#include <climits>

#include "pattern.h"

namespace concilio::bench {

namespace {

class Interleaved : public Pattern {
 public:
  Interleaved(int ranks, int64_t block_bytes, int64_t blocks)
      : ranks_(ranks), block_bytes_(block_bytes), blocks_(blocks) {}
  void for_each_piece(int rank, const std::function<void(const Piece&)>& visit) const override {
    for (int64_t i = 0; i < blocks_; ++i)
      visit({(i * ranks_ + rank) * block_bytes_, i * block_bytes_, block_bytes_});
  }
  int64_t buffer_bytes(int) const override { return blocks_ * block_bytes_; }
  Access make_access(int rank, int) const override {
    Access access;
    MPI_Datatype blocks, block;
    MPI_Type_create_hvector(static_cast<int>(blocks_), static_cast<int>(block_bytes_), ranks_ * block_bytes_,
                            MPI_BYTE, &blocks);
    MPI_Type_contiguous(static_cast<int>(block_bytes_), MPI_BYTE, &block);
    access.displacement = rank * block_bytes_;
    access.filetype = Datatype(blocks);
    access.memory = Datatype(block);
    access.count = static_cast<int>(blocks_);
    return access;
  }

 private:
  int ranks_;
  int64_t block_bytes_, blocks_;
};

}  // namespace

std::unique_ptr<Pattern> make_interleaved(const Parameters& parameters, const Size& size,
                                          std::string& error) {
  const int64_t block_bytes = parameters.size() == 1 ? parse_piece_bytes(parameters[0]) : 0;
  if (block_bytes == 0) {
    error = std::string("B is ") + piece_bytes_rule;
    return nullptr;
  }
  const int64_t blocks = std::max<int64_t>(size.bytes_per_rank / block_bytes, 1);
  if (blocks > INT_MAX) {
    error = count_rule;
    return nullptr;
  }
  return std::make_unique<Interleaved>(size.ranks, block_bytes, blocks);
}

}  // namespace concilio::bench
