// HACC-IO: particles of nine variables, each variable an array in memory and a call of its own.
#include <climits>

#include "pattern.h"

namespace concilio::bench {

namespace {

// xx yy zz vx vy vz phi, pid, mask.
constexpr int variable_bytes[] = {4, 4, 4, 4, 4, 4, 4, 8, 2};
constexpr int variables = 9;
constexpr int64_t particle_bytes = 38;

// Of one particle, before `variable`.
int64_t bytes_before(int variable) {
  int64_t bytes = 0;
  for (int i = 0; i < variable; ++i) bytes += variable_bytes[i];
  return bytes;
}

enum class Layout { shared, records, file_per_process };

class Hacc : public Pattern {
 public:
  Hacc(int ranks, int64_t particles, Layout layout) : ranks_(ranks), particles_(particles), layout_(layout) {}
  void for_each_piece(int rank, const std::function<void(const Piece&)>& visit) const override {
    for (int variable = 0; variable < variables; ++variable) {
      const int64_t memory = particles_ * bytes_before(variable), bytes = variable_bytes[variable];
      if (layout_ != Layout::records) {
        visit({begin(rank, variable), memory, particles_ * bytes});
        continue;
      }
      for (int64_t i = 0; i < particles_; ++i)
        visit({begin(rank, variable) + i * particle_bytes, memory + i * bytes, bytes});
    }
  }
  int64_t buffer_bytes(int) const override { return particles_ * particle_bytes; }
  int calls() const override { return variables; }
  Access make_access(int rank, int call) const override {
    const int bytes = variable_bytes[call];
    Access access;
    MPI_Datatype value;
    MPI_Type_contiguous(bytes, MPI_BYTE, &value);
    access.memory = Datatype(value);
    access.displacement = begin(rank, call);
    if (layout_ == Layout::records) {
      MPI_Datatype in_records;
      MPI_Type_create_hvector(static_cast<int>(particles_), bytes, particle_bytes, MPI_BYTE, &in_records);
      access.filetype = Datatype(in_records);
    }
    access.count = static_cast<int>(particles_);
    access.memory_offset = particles_ * bytes_before(call);
    return access;
  }
  bool file_per_rank() const override { return layout_ == Layout::file_per_process; }

 private:
  // Of a rank's part of a variable in the file.
  int64_t begin(int rank, int variable) const {
    if (layout_ == Layout::file_per_process) return particles_ * bytes_before(variable);
    if (layout_ == Layout::records) return rank * particles_ * particle_bytes + bytes_before(variable);
    return particles_ * (ranks_ * bytes_before(variable) + rank * int64_t{variable_bytes[variable]});
  }

  int ranks_;
  int64_t particles_;
  Layout layout_;
};

}  // namespace

std::unique_ptr<Pattern> make_hacc(const Parameters& parameters, const Size& size, std::string& error) {
  int64_t particles = std::max<int64_t>(size.bytes_per_rank / particle_bytes, 1);
  auto layout = Layout::shared;
  bool understood = parameters.size() <= 2;
  for (size_t i = 0; i < parameters.size(); ++i) {
    const std::string& word = parameters[i];
    const bool last = i + 1 == parameters.size();
    if (last && word == "shared") {
      layout = Layout::shared;
    } else if (last && word == "records") {
      layout = Layout::records;
    } else if (last && word == "fpp") {
      layout = Layout::file_per_process;
    } else {
      particles = parse_piece_bytes(word);
      understood = understood && i == 0 && particles > 0;
    }
  }
  if (!understood) {
    error = "PARTICLES is a whole number from 1 to 1073741824, and shared, records or fpp comes last";
    return nullptr;
  }
  if (particles > INT_MAX / 8) {
    error = count_rule;
    return nullptr;
  }
  return std::make_unique<Hacc>(size.ranks, particles, layout);
}

}  // namespace concilio::bench
