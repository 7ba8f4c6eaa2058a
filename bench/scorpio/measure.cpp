#include "scorpio/measure.h"

#include <fmt/format.h>
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <numeric>

#include "job/agree.h"
#include "job/memory.h"

namespace concilio::bench::scorpio {

namespace {

int64_t most_over_ranks(int64_t value) {
  return over_ranks(value, MPI_INT64_T, MPI_MAX);
}

double seconds_now() {
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

// The time from the first rank's start to the last rank's end, if all ranks are on one machine and so have
// one clock. On several machines, the slowest rank's own time. That alone would miss the time in which some
// ranks cannot start because there are more ranks than cores and others run or poll.
double seconds_of_all(double start, double end) {
  static const bool one_clock = [] {
    MPI_Barrier(MPI_COMM_WORLD);
    const double now = seconds_now();
    return over_ranks(now, MPI_DOUBLE, MPI_MAX) - over_ranks(now, MPI_DOUBLE, MPI_MIN) < 1;
  }();
  if (!one_clock) return over_ranks(end - start, MPI_DOUBLE, MPI_MAX);
  return over_ranks(end, MPI_DOUBLE, MPI_MAX) - over_ranks(start, MPI_DOUBLE, MPI_MIN);
}

// One repetition of one method.
class Repetition {
 public:
  Repetition(const Workload& workload, Method& method, const Run& run, Outcome& outcome)
      : workload_(workload), method_(method), run_(run), outcome_(outcome) {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  }

  // `data` has the buffer of each dataset. If `inspect` is set, it also records which processes open files,
  // the groups and the memory.
  Split measure(std::vector<std::vector<unsigned char>>& data, bool inspect) {
    for (auto& one : data) std::fill(one.begin(), one.end(), 0xFF);
    if (rank_ == 0) unlink(run_.output.c_str());
    int64_t before = 0;
    if (inspect) {
      reset_peak();
      before = read_memory().resident_bytes;
    }
    step(phase_init, [&] { return method_.init(); });
    step(phase_open, [&] { return method_.open_input(run_.input); });
    if (inspect) look_at(run_.input, outcome_.input);
    step(phase_read, [&] {
      std::string failure;
      for (size_t i = 0; i < data.size() && failure.empty(); ++i)
        failure = method_.read(workload_.datasets[i], data[i].data());
      return failure;
    });
    check_values(data);
    step(phase_open, [&] { return method_.open_output(run_.output); });
    if (inspect) look_at(run_.output, outcome_.output);
    step(phase_write, [&] {
      std::string failure;
      for (size_t i = 0; i < data.size() && failure.empty(); ++i)
        failure = method_.write(workload_.datasets[i], data[i].data());
      return failure;
    });
    step(phase_close, [&] { return method_.close(); });
    if (ok()) outcome_.peak_buffer_bytes = most_over_ranks(method_.peak_buffer_bytes());
    if (inspect && ok())
      outcome_.peak_growth_bytes = most_over_ranks(std::max<int64_t>(0, read_memory().peak_bytes - before));
    step(phase_init, [&] { return method_.finish(); });
    return split_;
  }

  void check_file() {
    if (!ok()) return;
    std::string failure, words;
    int diff = static_cast<int>(Diff::not_installed);
    if (rank_ == 0) {
      failure = check_output(run_.output, workload_);
      const Diff told = h5diff(run_.input, run_.output, words);
      if (told == Diff::different && failure.empty()) failure = "h5diff: " + words;
      diff = static_cast<int>(told);
    }
    MPI_Bcast(&diff, 1, MPI_INT, 0, MPI_COMM_WORLD);
    outcome_.diff = static_cast<Diff>(diff);
    outcome_.failure = agree(failure.empty() ? "" : "the output file: " + failure);
  }

 private:
  bool ok() const { return outcome_.failure.empty(); }

  template <typename Call>
  void step(Phase phase, Call call) {
    if (!ok()) return;
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = seconds_now();
    const std::string failure = call();
    split_[phase] += seconds_of_all(start, seconds_now());
    outcome_.failure = agree(failure);
  }

  void check_values(const std::vector<std::vector<unsigned char>>& data) {
    if (!ok()) return;
    std::string failure;
    for (size_t i = 0; i < data.size() && failure.empty(); ++i)
      failure = check(workload_.datasets[i], workload_.extents, workload_.part, data[i].data());
    outcome_.failure = agree(failure.empty() ? "" : "what was read: " + failure);
  }

  void look_at(const std::string& path, Access& access) const {
    if (!ok()) return;
    access.openers = over_ranks<int64_t>(has_open(path) ? 1 : 0, MPI_INT64_T, MPI_SUM);
    const Groups groups = method_.groups();
    access.groups = groups.count;
    access.group_ranks = most_over_ranks(groups.ranks);
    if (groups.count > 0) access.group_bytes = bytes_of_largest_group(groups.ranks);
  }

  // Groups consist of consecutive ranks.
  int64_t bytes_of_largest_group(int my_group_ranks) const {
    int ranks = 1;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    std::vector<int64_t> bytes(static_cast<size_t>(ranks));
    std::vector<int> sizes(static_cast<size_t>(ranks));
    const int64_t mine = workload_.part_bytes();
    MPI_Allgather(&mine, 1, MPI_INT64_T, bytes.data(), 1, MPI_INT64_T, MPI_COMM_WORLD);
    MPI_Allgather(&my_group_ranks, 1, MPI_INT, sizes.data(), 1, MPI_INT, MPI_COMM_WORLD);
    int64_t most = 0;
    for (int first = 0; first < ranks;) {
      const int end = std::min(ranks, first + std::max(1, sizes[static_cast<size_t>(first)]));
      most = std::max(most, std::accumulate(bytes.begin() + first, bytes.begin() + end, int64_t{0}));
      first = end;
    }
    return most;
  }

  const Workload& workload_;
  Method& method_;
  const Run& run_;
  Outcome& outcome_;
  Split split_ = {};
  int rank_ = 0;
};

}  // namespace

double total(const Split& split) {
  return std::accumulate(split.begin(), split.end(), 0.0);
}

std::vector<Outcome> measure(const Workload& workload, const std::vector<std::unique_ptr<Method>>& methods,
                             const Run& run) {
  std::vector<Outcome> outcomes(methods.size());
  for (size_t i = 0; i < methods.size(); ++i) outcomes[i].method = methods[i]->name();
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::vector<std::vector<unsigned char>> data;
  for (const Dataset& dataset :
       workload.datasets)  // never empty, because some functions refuse a null pointer even for no elements
    data.emplace_back(static_cast<size_t>(elements(workload.part.extents) * dataset.element_bytes()) + 1);

  outcomes[0].failure = agree(rank == 0 ? make_input(run.input, workload) : "");
  // Repetition 0 is not counted. The methods run forward and backward by turns, so that no method always
  // follows the same one.
  for (int repetition = 0; repetition <= run.repetitions; ++repetition) {
    for (size_t turn = 0; turn < methods.size(); ++turn) {
      const size_t i = repetition % 2 == 0 ? turn : methods.size() - 1 - turn;
      if (std::any_of(outcomes.begin(), outcomes.end(),
                      [](const Outcome& one) { return !one.failure.empty(); }))
        break;
      Repetition one(workload, *methods[i], run, outcomes[i]);
      const Split split = one.measure(data, repetition == 0);
      if (repetition == 0) {
        outcomes[i].first = split;
        one.check_file();
      } else {
        outcomes[i].repetitions.push_back(split);
      }
      if (repetition == run.repetitions) one.check_file();
    }
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    unlink(run.input.c_str());
    unlink(run.output.c_str());
  }
  return outcomes;
}

}  // namespace concilio::bench::scorpio
