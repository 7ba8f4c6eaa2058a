// Moves the blocks of an array as a program does that does without collective I/O: ranks of a row exchange
// their data by MPI_Alltoallv so that each has few large stretches of the file, which it moves by requests of
// its own. (That is the way round in MPICH's issue 7935.)
#include <algorithm>
#include <climits>
#include <cstring>

#include "base/waiting.h"
#include "job/agree.h"
#include "methods/stored_file.h"
#include "methods/way.h"

namespace concilio::bench {

namespace {

// The program of that issue makes rows so long that stretches have as many bytes.
constexpr int64_t stretch_bytes = 4 << 20;

class RowsWay : public Way {
 public:
  RowsWay(RankData& data, const WaySettings& settings, Exchanged* exchanged)
      : data_(data), settings_(settings), exchanged_(exchanged) {}

  std::string open() override {
    const Pattern& pattern = data_.pattern();
    const auto row = pattern.row_of(data_.rank(), stretch_bytes);
    if (!row) return "the blocks of the pattern are not in rows (block3d, block4d)";
    if (row->unit_bytes > INT_MAX || row->units > INT_MAX)
      return "more bytes a rank than an MPI count can hold; take fewer MiB";
    row_ = *row;
    MPI_Comm_split(MPI_COMM_WORLD, row_.first_rank, data_.rank(), &comm_);
    MPI_Type_contiguous(static_cast<int>(row_.unit_bytes), MPI_BYTE, &unit_);
    MPI_Type_commit(&unit_);
    share_out();
    const auto bytes = static_cast<size_t>(own_units() * row_.ranks * row_.unit_bytes);
    of_ranks_.resize(bytes);
    in_order_.resize(bytes);
    note_exchange();
    return agree(file_.open(data_.path_of(settings_.path), settings_.write, data_.rank()));
  }

  Took move(Operation operation) override {
    Took took;
    took.predicted.fill(-1);
    std::string failure;
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    if (operation == Operation::write) {
      MPI_Alltoallv(data_.buffer(), own_counts_.data(), own_places_.data(), unit_, of_ranks_.data(),
                    counts_.data(), places_.data(), unit_, comm_);
      arrange([](unsigned char* of_rank, unsigned char* in_order, size_t bytes) {
        std::memcpy(in_order, of_rank, bytes);
      });
      failure = move_stretches(operation);
      if (failure.empty() && settings_.sync) failure = file_.sync();
    } else {
      failure = move_stretches(operation);
      arrange([](unsigned char* of_rank, unsigned char* in_order, size_t bytes) {
        std::memcpy(of_rank, in_order, bytes);
      });
      MPI_Alltoallv(of_ranks_.data(), counts_.data(), places_.data(), unit_, data_.buffer(),
                    own_counts_.data(), own_places_.data(), unit_, comm_);
    }
    took.seconds = over_ranks(MPI_Wtime() - start, MPI_DOUBLE, MPI_MAX);
    took.failure = agree(failure);
    return took;
  }

  std::string sync() override { return agree(file_.sync()); }

  std::string close() override {
    file_.close();
    if (unit_ == MPI_DATATYPE_NULL) return {};
    MPI_Type_free(&unit_);
    MPI_Comm_free(&comm_);
    return {};
  }

 private:
  int64_t own_units() const { return end_unit_ - first_unit_; }
  int64_t first_unit_of(int64_t place) const { return place * row_.units / row_.ranks; }

  // Each rank of the row has equally many units, one after another, so the buffer is sent as it lies.
  void share_out() {
    const int place = data_.rank() - row_.first_rank;
    first_unit_ = first_unit_of(place);
    end_unit_ = first_unit_of(place + 1);
    for (int rank = 0; rank < row_.ranks; ++rank) {
      own_places_.push_back(static_cast<int>(first_unit_of(rank)));
      own_counts_.push_back(static_cast<int>(first_unit_of(rank + 1)) - own_places_.back());
      counts_.push_back(static_cast<int>(own_units()));
      places_.push_back(static_cast<int>(rank * own_units()));
      // The pieces of one rank lie alike in all units.
      std::vector<Piece>& pieces = pieces_.emplace_back();
      data_.pattern().for_each_piece(row_.first_rank + rank, [&](const Piece& piece) {
        if (piece.memory_offset >= row_.unit_bytes) return;
        Piece in_unit = piece;
        in_unit.file_offset -= row_.offset(0);
        in_unit.bytes = std::min(piece.bytes, row_.unit_bytes - piece.memory_offset);
        pieces.push_back(in_unit);
      });
    }
  }

  // Between what ranks have sent, one rank behind the other, and the order of the file.
  template <typename Copy>
  void arrange(Copy copy) {
    for (int64_t unit = 0; unit < own_units(); ++unit) {
      unsigned char* in_order = in_order_.data() + unit * row_.ranks * row_.unit_bytes;
      for (int64_t rank = 0; rank < row_.ranks; ++rank) {
        unsigned char* of_rank = of_ranks_.data() + (rank * own_units() + unit) * row_.unit_bytes;
        for (const Piece& piece : pieces_[static_cast<size_t>(rank)])
          copy(of_rank + piece.memory_offset, in_order + piece.file_offset, static_cast<size_t>(piece.bytes));
      }
    }
    take_time_of_copy(static_cast<int64_t>(in_order_.size()));
  }

  // Calls `call(first, count)` for the units of each stretch.
  template <typename Call>
  void for_each_stretch(Call call) const {
    const int64_t file_bytes = row_.ranks * row_.unit_bytes;
    for (int64_t unit = first_unit_; unit < end_unit_;) {
      int64_t count = 1;
      while (unit + count < end_unit_ && row_.offset(unit + count) == row_.offset(unit) + count * file_bytes)
        ++count;
      call(unit, count);
      unit += count;
    }
  }

  std::string move_stretches(Operation operation) {
    std::string failure;
    const int64_t file_bytes = row_.ranks * row_.unit_bytes;
    for_each_stretch([&](int64_t unit, int64_t count) {
      if (!failure.empty()) return;
      auto* bytes = reinterpret_cast<std::byte*>(in_order_.data() + (unit - first_unit_) * file_bytes);
      failure = file_.move(operation, {row_.offset(unit), bytes, count * file_bytes});
    });
    return failure;
  }

  void note_exchange() {
    if (!exchanged_) return;
    MPI_Comm node = MPI_COMM_NULL;
    MPI_Comm_split_type(comm_, MPI_COMM_TYPE_SHARED, data_.rank(), MPI_INFO_NULL, &node);
    int here = 1;
    MPI_Comm_size(node, &here);
    MPI_Comm_free(&node);
    const int64_t elsewhere = own_units() > 0 ? row_.ranks - here : 0;
    exchanged_->messages = elsewhere;
    exchanged_->message_bytes = elsewhere * own_units() * row_.unit_bytes;
    exchanged_->storage_bytes = static_cast<int64_t>(in_order_.size());
    exchanged_->memory_bytes = static_cast<int64_t>(of_ranks_.size() + in_order_.size());
    for_each_stretch([&](int64_t, int64_t) { ++exchanged_->requests; });
  }

  RankData& data_;
  WaySettings settings_;
  Exchanged* const exchanged_;
  Row row_;
  MPI_Comm comm_ = MPI_COMM_NULL;  // of the row
  MPI_Datatype unit_ = MPI_DATATYPE_NULL;
  int64_t first_unit_ = 0, end_unit_ = 0;  // that this rank moves to the file or from it
  // In units: what each rank of the row gets of this rank's data, and what this rank has of the data of each.
  std::vector<int> own_counts_, own_places_, counts_, places_;
  std::vector<std::vector<Piece>> pieces_;  // of each rank of the row, in a unit
  std::vector<unsigned char> of_ranks_, in_order_;
  StoredFile file_;
};

}  // namespace

std::unique_ptr<Way> make_rows_way(RankData& data, const WaySettings& settings, Exchanged* exchanged) {
  return std::make_unique<RowsWay>(data, settings, exchanged);
}

}  // namespace concilio::bench
