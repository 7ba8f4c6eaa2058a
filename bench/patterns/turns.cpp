// Pieces that belong to the ranks by turns, described as a vector: interleaved and extent. hpio also
// describes them in other ways.
#include "sim/patterns/turns.h"

#include <climits>

#include "patterns/pattern.h"

namespace concilio::bench {

namespace {

using sim::Hpio;
using sim::Turns;

class InTurns : public Pattern {
 public:
  explicit InTurns(const Turns& turns) : turns_(turns) {}
  void for_each_piece(int rank, const std::function<void(const Piece&)>& visit) const override {
    for (int64_t i = 0; i < turns_.pieces; ++i)
      visit({(i * turns_.ranks + rank) * turns_.pitch_bytes, i * turns_.memory_pitch_bytes, turns_.bytes});
  }
  int64_t buffer_bytes(int) const override { return turns_.pieces * turns_.memory_pitch_bytes; }
  Access make_access(int rank, int) const override {
    Access access;
    const int bytes = static_cast<int>(turns_.bytes);
    MPI_Datatype pieces, piece;
    MPI_Type_create_hvector(static_cast<int>(turns_.pieces), bytes, turns_.round_bytes(), MPI_BYTE, &pieces);
    MPI_Type_contiguous(bytes, MPI_BYTE, &piece);
    access.displacement = rank * turns_.pitch_bytes;
    access.filetype = Datatype(pieces);
    access.memory = Datatype(piece);
    access.count = static_cast<int>(turns_.pieces);
    return access;
  }

 protected:
  Turns turns_;
};

class Regions : public InTurns {
 public:
  explicit Regions(const Hpio& hpio) : InTurns(hpio.turns), form_(hpio.form) {}
  Access make_access(int rank, int) const override {
    Access access;
    access.displacement = rank * turns_.pitch_bytes;
    access.filetype = type_of(turns_.round_bytes());
    access.memory = type_of(turns_.memory_pitch_bytes);
    access.count = form_ == Hpio::Form::structured ? static_cast<int>(turns_.pieces) : 1;
    return access;
  }

 private:
  Datatype type_of(int64_t stride_bytes) const {
    const int bytes = static_cast<int>(turns_.bytes), count = static_cast<int>(turns_.pieces);
    MPI_Datatype type;
    if (form_ == Hpio::Form::structured) {
      const MPI_Aint start = 0;
      const MPI_Datatype byte = MPI_BYTE;
      MPI_Datatype region;
      MPI_Type_create_struct(1, &bytes, &start, &byte, &region);
      MPI_Type_create_resized(region, 0, stride_bytes, &type);
      MPI_Type_free(&region);
    } else if (form_ == Hpio::Form::indexed) {
      std::vector<MPI_Aint> starts(static_cast<size_t>(count));
      for (size_t i = 0; i < starts.size(); ++i) starts[i] = static_cast<MPI_Aint>(i) * stride_bytes;
      MPI_Type_create_hindexed_block(count, bytes, starts.data(), MPI_BYTE, &type);
    } else {
      MPI_Type_create_hvector(count, bytes, stride_bytes, MPI_BYTE, &type);
    }
    return Datatype(type);
  }

  Hpio::Form form_;
};

Made made_of(const Result<Turns>& turns) {
  if (!turns) return turns.error();
  if (turns->pieces > INT_MAX) return sim::malformed(count_rule);
  return Made(std::make_unique<InTurns>(*turns));
}

}  // namespace

Made make_interleaved(const Parameters& parameters, const Size& size) {
  return made_of(sim::interleaved_of(parameters, size));
}

Made make_extent(const Parameters& parameters, const Size& size) {
  return made_of(sim::extent_of(parameters, size));
}

Made make_hpio(const Parameters& parameters, const Size& size) {
  const Result<Hpio> hpio = sim::hpio_of(parameters, size);
  if (!hpio) return hpio.error();
  if (hpio->turns.pieces > INT_MAX) return sim::malformed(count_rule);
  return Made(std::make_unique<Regions>(*hpio));
}

}  // namespace concilio::bench
