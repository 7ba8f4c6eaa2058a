#include "simulated/rows.h"

#include "job/agree.h"

namespace concilio::bench {

namespace {

class Rows {
 public:
  Rows(const Pattern& pattern, const RunOptions& options)
      : options_(options),
        data_(pattern),
        way_(make_rows_way(data_, {options.path, options.write, options.calls, options.sync, {}},
                           &result_.exchanged)) {}

  RowsOutcome run() {
    Outcome& outcome = result_.outcome;
    outcome.total_bytes = data_.total_bytes();
    fail_if(agree(data_.prepare_file(options_.path)));
    if (ok() && !options_.write) fail_if(agree(data_.write_by_posix(options_.path, 0)));
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    if (ok()) fail_if(way_->open());
    outcome.open_seconds = over_ranks(MPI_Wtime() - start, MPI_DOUBLE, MPI_MAX);
    for (int repetition = 0; ok() && repetition <= options_.repetitions; ++repetition) {
      const uint64_t content = options_.write ? static_cast<uint64_t>(repetition) : 0;
      if (options_.write) {
        data_.fill(content);
        move(Operation::write, repetition, outcome.write);
      }
      if (!ok() || !options_.read) continue;
      data_.poison();
      move(Operation::read, repetition, outcome.read);
      if (ok() && options_.verify) fail_if(agree(data_.check_buffer(content)));
    }
    way_->close();
    MPI_Barrier(MPI_COMM_WORLD);
    if (ok() && options_.write && options_.verify)
      fail_if(agree(data_.check_file(options_.path, static_cast<uint64_t>(options_.repetitions))));
    MPI_Barrier(MPI_COMM_WORLD);
    data_.remove_file(options_.path);
    return result_;
  }

 private:
  bool ok() const { return result_.outcome.failure.empty(); }
  void fail_if(const std::string& failure) { result_.outcome.failure = failure; }

  void move(Operation operation, int repetition, Times& times) {
    const Took took = way_->move(operation);
    fail_if(took.failure);
    if (repetition == 0) {
      times.first_seconds = took.seconds;
    } else {
      times.seconds.push_back(took.seconds);
    }
  }

  const RunOptions& options_;
  RowsOutcome result_;
  RankData data_;
  std::unique_ptr<Way> way_;
};

}  // namespace

RowsOutcome run_rows(const Pattern& pattern, const RunOptions& options) {
  return Rows(pattern, options).run();
}

}  // namespace concilio::bench
