// A share of every so many bytes of the file, in turn over the ranks: the file stays as large whatever the
// share is, so that ways of writing around holes can be compared by how much is hole.
#include <climits>

#include "pattern.h"

namespace concilio::bench {

namespace {

class Extent : public Pattern {
 public:
  Extent(int ranks, int64_t extent_bytes, int64_t region_bytes, int64_t extents)
      : ranks_(ranks), extent_bytes_(extent_bytes), region_bytes_(region_bytes), extents_(extents) {}
  void for_each_piece(int rank, const std::function<void(const Piece&)>& visit) const override {
    for (int64_t i = 0; i < extents_; ++i)
      visit({(i * ranks_ + rank) * extent_bytes_, i * region_bytes_, region_bytes_});
  }
  int64_t buffer_bytes(int) const override { return extents_ * region_bytes_; }
  Access make_access(int rank, int) const override {
    Access access;
    MPI_Datatype regions, region;
    MPI_Type_create_hvector(static_cast<int>(extents_), static_cast<int>(region_bytes_),
                            ranks_ * extent_bytes_, MPI_BYTE, &regions);
    MPI_Type_contiguous(static_cast<int>(region_bytes_), MPI_BYTE, &region);
    access.displacement = rank * extent_bytes_;
    access.filetype = Datatype(regions);
    access.memory = Datatype(region);
    access.count = static_cast<int>(extents_);
    return access;
  }

 private:
  int ranks_;
  int64_t extent_bytes_, region_bytes_, extents_;
};

}  // namespace

std::unique_ptr<Pattern> make_extent(const Parameters& parameters, const Size& size, std::string& error) {
  const auto [extent, percent] =
      parameters.size() == 1 ? parse_piece_bytes_pair(parameters[0]) : PieceBytesPair{};
  if (extent == 0 || percent == 0 || percent > 100) {
    error = std::string("BYTES is ") + piece_bytes_rule + ", and PERCENT a whole number from 1 to 100";
    return nullptr;
  }
  const int64_t extents = std::max<int64_t>(size.bytes_per_rank / extent, 1);
  if (extents > INT_MAX) {
    error = count_rule;
    return nullptr;
  }
  return std::make_unique<Extent>(size.ranks, extent, std::max<int64_t>(extent * percent / 100, 1), extents);
}

}  // namespace concilio::bench
