#include "sim/patterns/hacc.h"

#include "patterns/pattern.h"

namespace concilio::bench {

namespace {

using Layout = sim::Hacc::Layout;

class Hacc : public Pattern {
 public:
  explicit Hacc(const sim::Hacc& of) : of_(of) {}
  void for_each_piece(int rank, const std::function<void(const Piece&)>& visit) const override {
    for (const auto& variable : of_.variables) {
      const int64_t begin = of_.begin(rank, variable), memory = of_.particles * variable.before;
      if (of_.layout != Layout::records) {
        visit({begin, memory, of_.particles * variable.bytes});
        continue;
      }
      for (int64_t i = 0; i < of_.particles; ++i)
        visit({begin + i * of_.particle_bytes, memory + i * variable.bytes, variable.bytes});
    }
  }
  int64_t buffer_bytes(int) const override { return of_.particles * of_.particle_bytes; }
  int calls() const override { return static_cast<int>(of_.variables.size()); }
  Access make_access(int rank, int call) const override {
    const auto& variable = of_.variables[static_cast<size_t>(call)];
    Access access;
    MPI_Datatype value;
    MPI_Type_contiguous(variable.bytes, MPI_BYTE, &value);
    access.memory = Datatype(value);
    access.displacement = of_.begin(rank, variable);
    if (of_.layout == Layout::records) {
      MPI_Datatype in_records;
      MPI_Type_create_hvector(static_cast<int>(of_.particles), variable.bytes, of_.particle_bytes, MPI_BYTE,
                              &in_records);
      access.filetype = Datatype(in_records);
    }
    access.count = static_cast<int>(of_.particles);
    access.memory_offset = of_.particles * variable.before;
    return access;
  }
  bool file_per_rank() const override { return of_.layout == Layout::file_per_process; }

 private:
  sim::Hacc of_;
};

}  // namespace

Made make_hacc(const Parameters& parameters, const Size& size) {
  const Result<sim::Hacc> of = sim::hacc_of(parameters, size);
  if (!of) return of.error();
  return Made(std::make_unique<Hacc>(*of));
}

}  // namespace concilio::bench
