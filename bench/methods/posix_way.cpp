// Moves every piece by a request of its own, without MPI-IO ("Unix-style").
#include "job/agree.h"
#include "methods/stored_file.h"
#include "methods/way.h"

namespace concilio::bench {

namespace {

class PosixWay : public Way {
 public:
  PosixWay(RankData& data, const WaySettings& settings) : data_(data), settings_(settings) {}

  std::string open() override {
    return agree(file_.open(data_.path_of(settings_.path), settings_.write, data_.rank()));
  }

  Took move(Operation operation) override {
    Took took;
    took.predicted.fill(-1);
    std::string failure;
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    data_.pattern().for_each_piece(data_.rank(), [&](const Piece& piece) {
      if (!failure.empty()) return;
      auto* bytes = reinterpret_cast<std::byte*>(data_.buffer() + piece.memory_offset);
      failure = file_.move(operation, {piece.file_offset, bytes, piece.bytes});
    });
    if (failure.empty() && operation == Operation::write && settings_.sync) failure = file_.sync();
    took.seconds = over_ranks(MPI_Wtime() - start, MPI_DOUBLE, MPI_MAX);
    took.failure = agree(failure);
    return took;
  }

  std::string sync() override { return agree(file_.sync()); }

  std::string close() override {
    file_.close();
    return {};
  }

 private:
  RankData& data_;
  WaySettings settings_;
  StoredFile file_;
};

}  // namespace

std::unique_ptr<Way> make_posix_way(RankData& data, const WaySettings& settings) {
  return std::make_unique<PosixWay>(data, settings);
}

}  // namespace concilio::bench
