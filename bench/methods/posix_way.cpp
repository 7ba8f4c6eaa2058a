// Moves every piece by a request of its own, without MPI-IO ("Unix-style"). It uses the project's store, so
// that storage is as slow as it is for the library (CONCILIO_THROTTLE).
#include <fmt/format.h>

#include "base/settings/config.h"
#include "job/agree.h"
#include "methods/way.h"
#include "store/wrappers/stack.h"

namespace concilio::bench {

namespace {

class PosixWay : public Way {
 public:
  PosixWay(RankData& data, const WaySettings& settings) : data_(data), settings_(settings) {}

  std::string open() override {
    store_ = store::make_store(Config::from_environment(), data_.rank());
    store::OpenMode mode;
    mode.write = mode.create = settings_.write;
    auto opened = store_->open(data_.path_of(settings_.path), mode);
    if (opened) file_ = std::move(*opened);
    return agree(opened ? "" : opened.error().message);
  }

  Took move(Operation operation) override {
    Took took;
    took.predicted.fill(-1);
    std::string failure;
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    data_.pattern().for_each_piece(data_.rank(), [&](const Piece& piece) {
      if (failure.empty()) failure = move_piece(operation, piece);
    });
    if (failure.empty() && operation == Operation::write && settings_.sync) failure = sync_own();
    took.seconds = over_ranks(MPI_Wtime() - start, MPI_DOUBLE, MPI_MAX);
    took.failure = agree(failure);
    return took;
  }

  std::string sync() override { return agree(sync_own()); }

  std::string close() override {
    file_.reset();
    return {};
  }

 private:
  std::string move_piece(Operation operation, const Piece& piece) {
    const store::Transfer request{
        piece.file_offset, reinterpret_cast<std::byte*>(data_.buffer() + piece.memory_offset), piece.bytes};
    if (operation == Operation::write) {
      const Status wrote = file_->write(request);
      return wrote ? "" : wrote.error().message;
    }
    const Result<int64_t> read = file_->read(request);
    if (!read) return read.error().message;
    if (*read == piece.bytes) return {};
    return fmt::format("read {} of {} bytes at file offset {}", *read, piece.bytes, piece.file_offset);
  }

  std::string sync_own() {
    const Status synced = file_->sync();
    return synced ? "" : synced.error().message;
  }

  RankData& data_;
  WaySettings settings_;
  std::unique_ptr<store::Store> store_;
  std::unique_ptr<store::StoreFile> file_;
};

}  // namespace

std::unique_ptr<Way> make_posix_way(RankData& data, const WaySettings& settings) {
  return std::make_unique<PosixWay>(data, settings);
}

}  // namespace concilio::bench
