// HPIO: regions of a fixed size with a fixed spacing, in turn over the ranks; in memory with the same
// spacing, or contiguous.
#include <climits>

#include "pattern.h"

namespace concilio::bench {

namespace {

struct Region {
  int64_t bytes, pitch_bytes, memory_pitch_bytes;
};

class Hpio : public Pattern {
 public:
  Hpio(int ranks, const Region& region, int64_t regions)
      : ranks_(ranks), region_(region), regions_(regions) {}
  void for_each_piece(int rank, const std::function<void(const Piece&)>& visit) const override {
    for (int64_t i = 0; i < regions_; ++i)
      visit({(i * ranks_ + rank) * region_.pitch_bytes, i * region_.memory_pitch_bytes, region_.bytes});
  }
  int64_t buffer_bytes(int) const override { return regions_ * region_.memory_pitch_bytes; }
  Access make_access(int rank) const override {
    Access access;
    access.displacement = rank * region_.pitch_bytes;
    access.filetype = regions(ranks_ * region_.pitch_bytes);
    access.memory = regions(region_.memory_pitch_bytes);
    access.count = 1;
    return access;
  }

 private:
  Datatype regions(int64_t stride_bytes) const {
    MPI_Datatype type;
    MPI_Type_create_hvector(static_cast<int>(regions_), static_cast<int>(region_.bytes), stride_bytes,
                            MPI_BYTE, &type);
    return Datatype(type);
  }
  int ranks_;
  Region region_;
  int64_t regions_;
};

}  // namespace

std::unique_ptr<Pattern> make_hpio(const Parameters& parameters, const Size& size, std::string& error) {
  const bool contiguous_memory = parameters.size() == 2 && parameters[1] == "contigmem";
  const size_t slash = parameters.empty() ? std::string::npos : parameters[0].find('/');
  if (slash == std::string::npos || (parameters.size() != 1 && !contiguous_memory)) {
    error = "needs the size of a region and the spacing";
    return nullptr;
  }
  const std::string spacing_text = parameters[0].substr(slash + 1);
  const int64_t bytes = parse_piece_bytes(parameters[0].substr(0, slash)),
                spacing = parse_piece_bytes(spacing_text);
  if (bytes == 0 || (spacing == 0 && spacing_text != "0")) {
    error = std::string("SIZE is ") + piece_bytes_rule + ", and SPACING is one or 0";
    return nullptr;
  }
  const int64_t regions = std::max<int64_t>(size.bytes_per_rank / bytes, 1);
  if (regions > INT_MAX) {
    error = count_rule;
    return nullptr;
  }
  return std::make_unique<Hpio>(
      size.ranks, Region{bytes, bytes + spacing, contiguous_memory ? bytes : bytes + spacing}, regions);
}

}  // namespace concilio::bench
