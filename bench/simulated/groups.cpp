#include "simulated/groups.h"

#include "job/agree.h"

namespace concilio::bench {

namespace {

class Groups {
 public:
  explicit Groups(const GroupsOptions& options) : options_(options) {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
    own_.resize(static_cast<size_t>(options_.bytes_per_rank));
  }

  GroupsOutcome run() {
    outcome_.total_bytes = ranks_ * options_.bytes_per_rank;
    timed(outcome_.init_seconds, [this] { return cut(); });
    if (is_root()) of_group_.resize(own_.size() * static_cast<size_t>(members_));
    if (options_.write && ok()) write();
    if (options_.read && ok()) read();
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank_ == 0) MPI_File_delete(options_.path.c_str(), MPI_INFO_NULL);
    if (is_root()) MPI_Comm_free(&roots_);
    MPI_Comm_free(&group_);
    return outcome_;
  }

 private:
  bool ok() const { return outcome_.failure.empty(); }
  bool is_root() const { return roots_ != MPI_COMM_NULL; }
  MPI_Offset offset() const { return rank_ * options_.bytes_per_rank; }

  // Adds the time of the slowest rank. `call` returns what failed.
  template <typename Call>
  void timed(double& sum, Call call) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    const std::string failure = call();
    sum += over_ranks(MPI_Wtime() - start, MPI_DOUBLE, MPI_MAX);
    outcome_.failure = agree(failure);
  }

  std::string cut() {
    const int size = options_.ranks_per_group;
    MPI_Comm_split(MPI_COMM_WORLD, rank_ / size, rank_, &group_);
    MPI_Comm_split(MPI_COMM_WORLD, rank_ % size == 0 ? 0 : MPI_UNDEFINED, rank_, &roots_);
    MPI_Comm_size(group_, &members_);
    return {};
  }

  std::string open(bool writes) {
    return is_root() ? open_file({roots_, options_.path, writes, options_.hints}, nullptr, file_)
                     : std::string();
  }
  std::string close() {
    const int code = is_root() ? MPI_File_close(&file_) : MPI_SUCCESS;
    return code == MPI_SUCCESS ? "" : message_of(code, "MPI_File_close");
  }
  void tell(const char* done) const {
    if (is_root() && ok()) options_.watch(file_, done);
  }

  std::byte made(int64_t place) const { return static_cast<std::byte>((offset() + place) * 31 >> 3); }

  void write() {
    for (int64_t i = 0; i < options_.bytes_per_rank; ++i) own_[static_cast<size_t>(i)] = made(i);
    timed(outcome_.open_seconds, [this] { return open(true); });
    if (!ok()) return;
    timed(outcome_.write_seconds, [this] {
      const int bytes = static_cast<int>(own_.size());
      MPI_Gather(own_.data(), bytes, MPI_BYTE, of_group_.data(), bytes, MPI_BYTE, 0, group_);
      return moved("MPI_File_write_at_all", MPI_File_write_at_all);
    });
    tell("write");
    timed(outcome_.close_seconds, [this] { return close(); });
  }

  void read() {
    timed(outcome_.open_seconds, [this] { return open(false); });
    if (!ok()) return;
    own_.assign(own_.size(), std::byte{});
    of_group_.assign(of_group_.size(), std::byte{});
    timed(outcome_.read_seconds, [this] {
      const int bytes = static_cast<int>(own_.size());
      std::string failure = moved("MPI_File_read_at_all", MPI_File_read_at_all);
      MPI_Scatter(of_group_.data(), bytes, MPI_BYTE, own_.data(), bytes, MPI_BYTE, 0, group_);
      return failure;
    });
    tell("read");
    timed(outcome_.close_seconds, [this] { return close(); });
    if (ok() && options_.write && options_.verify) outcome_.failure = agree(wrong_byte());
  }

  template <typename Call>
  std::string moved(const char* name, Call call) {
    if (!is_root()) return {};
    MPI_Status status;
    const int code =
        call(file_, offset(), of_group_.data(), static_cast<int>(of_group_.size()), MPI_BYTE, &status);
    return code == MPI_SUCCESS ? "" : message_of(code, name);
  }

  std::string wrong_byte() const {
    for (int64_t i = 0; i < options_.bytes_per_rank; ++i) {
      if (own_[static_cast<size_t>(i)] != made(i))
        return "rank " + std::to_string(rank_) + ": byte " + std::to_string(offset() + i) + " is wrong";
    }
    return {};
  }

  const GroupsOptions& options_;
  GroupsOutcome outcome_;
  int rank_ = 0, ranks_ = 1, members_ = 1;
  MPI_Comm group_ = MPI_COMM_NULL, roots_ = MPI_COMM_NULL;  // the latter on roots alone
  MPI_File file_ = MPI_FILE_NULL;
  std::vector<std::byte> own_, of_group_;  // data of this rank; on roots, of their group
};

}  // namespace

GroupsOutcome run_groups(const GroupsOptions& options) {
  return Groups(options).run();
}

}  // namespace concilio::bench
