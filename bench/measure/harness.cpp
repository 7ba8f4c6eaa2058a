#include "measure/harness.h"

#include <algorithm>
#include <cstring>

#include "data/rank_data.h"
#include "job/agree.h"
#include "job/computing.h"
#include "job/memory.h"

namespace concilio::bench {

namespace {

class Harness {
 public:
  Harness(const Pattern& pattern, const RunOptions& options)
      : pattern_(pattern), options_(options), data_(pattern) {}

  Outcome run() {
    outcome_.total_bytes = data_.total_bytes();
    if (options_.device) fail_if(data_.move_to_device());
    if (ok()) prepare_file();
    if (ok()) call_all();
    if (ok() && options_.write && options_.verify) check_file();
    MPI_Barrier(MPI_COMM_WORLD);
    data_.remove_file(options_.path);
    return outcome_;
  }

 private:
  bool ok() const { return outcome_.failure.empty(); }
  void fail_if(const std::string& failure) { outcome_.failure = agree(failure); }
  void tell(MPI_File file, const char* done) const {
    if (ok() && options_.watch) options_.watch(file, done);
  }

  void prepare_file() {
    fail_if(data_.prepare_file(options_.path));
    if (ok() && !options_.write) fail_if(data_.write_by_posix(options_.path, 0));
  }

  void call_all() {
    MPI_Barrier(MPI_COMM_WORLD);
    reset_peak();
    const Memory before = read_memory();
    MPI_File file = MPI_FILE_NULL;
    fail_if(open_file({data_.users(), data_.path_of(options_.path), options_.write, options_.hints},
                      data_.accesses(), file));
    tell(file, "open");
    for (int repetition = 0; ok() && repetition <= options_.repetitions; ++repetition)
      call_once(file, repetition);
    const Memory after = read_memory();
    if (file != MPI_FILE_NULL) {
      const int code = MPI_File_close(&file);
      const std::string failure = agree(code == MPI_SUCCESS ? "" : message_of(code, "MPI_File_close"));
      if (ok()) outcome_.failure = failure;
    }
    const int64_t peak = std::max<int64_t>(after.peak_bytes - before.resident_bytes, 0);
    const int64_t shared = std::max<int64_t>(after.shared_bytes - before.shared_bytes, 0);
    outcome_.peak_growth_bytes = over_ranks(peak, MPI_INT64_T, MPI_MAX);
    outcome_.shared_growth_bytes = over_ranks(shared, MPI_INT64_T, MPI_MAX);
    outcome_.nodes = growth_by_node(peak, shared);
  }

  // All calls of a repetition write, then all read. The first repetition is not timed.
  void call_once(MPI_File file, int repetition) {
    const uint64_t content = options_.write ? static_cast<uint64_t>(repetition) : 0;
    if (options_.write) {
      fail_if(data_.fill(content));
      if (!ok()) return;
      timed(outcome_.write, file, repetition, "write", [&](const Access& access, MPI_Status* status) {
        return transfer(file, {Operation::write, options_.collective}, access, data_.buffer_of(access),
                        *status);
      });
    }
    if (options_.write) tell(file, "write");
    if (ok() && options_.write && options_.sync) sync(file, repetition);
    if (ok() && options_.overlap) call_overlapped(file, repetition);
    // If only writes are measured, the file itself is checked at the end.
    if (!ok() || !options_.read) return;
    fail_if(data_.poison());
    if (!ok()) return;
    // Independent reads must not begin while other ranks still write.
    MPI_Barrier(MPI_COMM_WORLD);
    timed(outcome_.read, file, repetition, "read", [&](const Access& access, MPI_Status* status) {
      return transfer(file, {Operation::read, options_.collective}, access, data_.buffer_of(access), *status);
    });
    tell(file, "read");
    if (ok() && options_.verify) fail_if(data_.check_buffer(content));
  }

  // Repeats the write as a nonblocking call, during a computation that takes as long as the write took alone.
  void call_overlapped(MPI_File file, int repetition) {
    const double write_seconds =
        repetition == 0 ? outcome_.write.first_seconds : outcome_.write.seconds.back();
    const auto work_per_call =
        static_cast<int64_t>(write_seconds * computing_.per_second()) / pattern_.calls();
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    for (int call = 0; call < pattern_.calls(); ++call) computing_.run(work_per_call);
    const double computing_seconds = over_ranks(MPI_Wtime() - start, MPI_DOUBLE, MPI_MAX);
    timed(outcome_.overlapped, file, repetition, "nonblocking write",
          [&](const Access& access, MPI_Status* status) {
            MPI_Request request;
            const int code = options_.collective
                                 ? MPI_File_iwrite_at_all(file, 0, data_.buffer_of(access), access.count,
                                                          access.memory.get(), &request)
                                 : MPI_File_iwrite_at(file, 0, data_.buffer_of(access), access.count,
                                                      access.memory.get(), &request);
            if (code != MPI_SUCCESS) return code;
            computing_.run(work_per_call);
            return MPI_Wait(&request, status);
          });
    if (repetition > 0) {
      outcome_.overlap.push_back(outcome_.overlapped.seconds.back() /
                                 std::max(write_seconds, computing_seconds));
    }
  }

  void sync(MPI_File file, int repetition) {
    Times& times = outcome_.write;
    double& sum = repetition == 0 ? times.first_seconds : times.seconds.back();
    const double start = MPI_Wtime();
    const int code = MPI_File_sync(file);
    sum += over_ranks(MPI_Wtime() - start, MPI_DOUBLE, MPI_MAX);
    fail_if(code == MPI_SUCCESS ? "" : message_of(code, "MPI_File_sync"));
  }

  template <typename Call>
  void timed(Times& times, MPI_File file, int repetition, const char* what, Call call) {
    const std::vector<Access>& accesses = data_.accesses();
    double& sum = repetition == 0 ? times.first_seconds : times.seconds.emplace_back();
    for (size_t i = 0; i < accesses.size() && ok(); ++i) {
      const Access& access = accesses[i];
      std::string failure;
      MPI_Status status;
      std::memset(&status, 0, sizeof status);
      MPI_Barrier(MPI_COMM_WORLD);
      const double start = MPI_Wtime();
      int code = accesses.size() > 1 ? set_view(file, access) : MPI_SUCCESS;
      if (code == MPI_SUCCESS) code = call(access, &status);
      sum += over_ranks(MPI_Wtime() - start, MPI_DOUBLE, MPI_MAX);
      if (code != MPI_SUCCESS || options_.verify) failure = failure_of(code, access, status, what);
      fail_if(failure);
    }
  }

  // The file is closed, and this is what any other program sees of it.
  void check_file() {
    MPI_Barrier(MPI_COMM_WORLD);
    fail_if(data_.check_file(options_.path, static_cast<uint64_t>(options_.repetitions)));
  }

  const Pattern& pattern_;
  const RunOptions& options_;
  Computing computing_;
  RankData data_;
  Outcome outcome_;
};

}  // namespace

Outcome run_pattern(const Pattern& pattern, const RunOptions& options) {
  return Harness(pattern, options).run();
}

}  // namespace concilio::bench
