// HPIO: regions of a fixed size with a fixed spacing, in turn over the ranks; in memory with the same
// spacing, or contiguous. The same bytes can be described by types of three forms, short and long.
#include <climits>

#include "pattern.h"

namespace concilio::bench {

namespace {

enum class Form {
  vector,      // all regions as one vector
  structured,  // one region as a structure with its spacing, which view and count repeat
  indexed,     // every region by its displacement
};

struct Region {
  int64_t bytes, pitch_bytes, memory_pitch_bytes;
};

struct Shape {
  int64_t spacing_bytes = 0, bytes = 0;
  bool contiguous_memory = false;
  Form form = Form::vector;
  int64_t regions = 0;  // of a rank; 0: by the size
};

class Hpio : public Pattern {
 public:
  Hpio(int ranks, const Region& region, int64_t regions, Form form)
      : ranks_(ranks), region_(region), regions_(regions), form_(form) {}
  void for_each_piece(int rank, const std::function<void(const Piece&)>& visit) const override {
    for (int64_t i = 0; i < regions_; ++i)
      visit({(i * ranks_ + rank) * region_.pitch_bytes, i * region_.memory_pitch_bytes, region_.bytes});
  }
  int64_t buffer_bytes(int) const override { return regions_ * region_.memory_pitch_bytes; }
  Access make_access(int rank, int) const override {
    Access access;
    access.displacement = rank * region_.pitch_bytes;
    access.filetype = type_of(ranks_ * region_.pitch_bytes);
    access.memory = type_of(region_.memory_pitch_bytes);
    access.count = form_ == Form::structured ? static_cast<int>(regions_) : 1;
    return access;
  }

 private:
  Datatype type_of(int64_t stride_bytes) const {
    const int bytes = static_cast<int>(region_.bytes), count = static_cast<int>(regions_);
    MPI_Datatype type;
    if (form_ == Form::structured) {
      const MPI_Aint start = 0;
      const MPI_Datatype byte = MPI_BYTE;
      MPI_Datatype region;
      MPI_Type_create_struct(1, &bytes, &start, &byte, &region);
      MPI_Type_create_resized(region, 0, stride_bytes, &type);
      MPI_Type_free(&region);
    } else if (form_ == Form::indexed) {
      std::vector<MPI_Aint> starts(static_cast<size_t>(count));
      for (size_t i = 0; i < starts.size(); ++i) starts[i] = static_cast<MPI_Aint>(i) * stride_bytes;
      MPI_Type_create_hindexed_block(count, bytes, starts.data(), MPI_BYTE, &type);
    } else {
      MPI_Type_create_hvector(count, bytes, stride_bytes, MPI_BYTE, &type);
    }
    return Datatype(type);
  }
  int ranks_;
  Region region_;
  int64_t regions_;
  Form form_;
};

// False where the words have another form.
bool parse(const Parameters& parameters, Shape& shape) {
  const size_t slash = parameters.empty() ? std::string::npos : parameters[0].find('/');
  if (slash == std::string::npos) return false;
  const std::string spacing_text = parameters[0].substr(slash + 1);
  shape.bytes = parse_piece_bytes(parameters[0].substr(0, slash));
  shape.spacing_bytes = parse_piece_bytes(spacing_text);
  if (shape.bytes == 0 || (shape.spacing_bytes == 0 && spacing_text != "0")) return false;
  for (size_t i = 1; i < parameters.size(); ++i) {
    const std::string& word = parameters[i];
    if (word == "contigmem") {
      shape.contiguous_memory = true;
    } else if (word == "vector" || word == "struct" || word == "indexed") {
      shape.form = word == "vector" ? Form::vector : word == "struct" ? Form::structured : Form::indexed;
    } else {
      shape.regions = parse_piece_bytes(word);
      if (shape.regions == 0) return false;
    }
  }
  return true;
}

}  // namespace

std::unique_ptr<Pattern> make_hpio(const Parameters& parameters, const Size& size, std::string& error) {
  Shape shape;
  if (!parse(parameters, shape)) {
    error = std::string("SIZE and COUNT are each ") + piece_bytes_rule + ", and SPACING is one or 0";
    return nullptr;
  }
  const int64_t regions =
      shape.regions > 0 ? shape.regions : std::max<int64_t>(size.bytes_per_rank / shape.bytes, 1);
  if (regions > INT_MAX) {
    error = count_rule;
    return nullptr;
  }
  const int64_t pitch = shape.bytes + shape.spacing_bytes;
  return std::make_unique<Hpio>(size.ranks,
                                Region{shape.bytes, pitch, shape.contiguous_memory ? shape.bytes : pitch},
                                regions, shape.form);
}

}  // namespace concilio::bench
