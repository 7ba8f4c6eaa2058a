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
      : pattern_(pattern), options_(options), data_(pattern, options.calls == Calls::shared) {}

  Outcome run() {
    if (options_.calls != Calls::open) outcome_.total_bytes = data_.total_bytes();
    if (options_.device) fail_if(data_.move_to_device());
    if (ok()) prepare_file();
    if (ok()) make_all();
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

  void make_all() {
    switch (options_.calls) {
      case Calls::open:
        open_all();
        return;
      case Calls::files:
        use_all_files();
        return;
      default:
        call_all();
    }
  }

  void call_all() {
    MPI_Barrier(MPI_COMM_WORLD);
    reset_peak();
    const Memory before = read_memory();
    MPI_File file = MPI_FILE_NULL;
    const double start = MPI_Wtime();
    const std::string failure = open_file(opening(options_.write), data_.access_of_view(), file);
    outcome_.open_seconds = over_ranks(MPI_Wtime() - start, MPI_DOUBLE, MPI_MAX);
    fail_if(failure);
    tell(file, "open");
    for (int repetition = 0; ok() && repetition <= options_.repetitions; ++repetition)
      call_once(file, repetition);
    note_memory(before);
    if (file != MPI_FILE_NULL) {
      const int code = MPI_File_close(&file);
      const std::string failure = agree(code == MPI_SUCCESS ? "" : message_of(code, "MPI_File_close"));
      if (ok()) outcome_.failure = failure;
    }
  }

  // Each call opens and closes the file: a new one for writing, and for reading one that has its bytes.
  void open_all() {
    MPI_Barrier(MPI_COMM_WORLD);
    reset_peak();
    const Memory before = read_memory();
    for (int repetition = 0; ok() && repetition <= options_.repetitions; ++repetition) {
      const auto content = static_cast<uint64_t>(repetition);
      if (options_.write) {
        open_once(outcome_.write, repetition, true);
        if (ok()) fail_if(data_.write_by_posix(options_.path, content));
      }
      if (ok() && options_.read) open_once(outcome_.read, repetition, false);
    }
    note_memory(before);
  }
  void open_once(Times& times, int repetition, bool writes) {
    double& sum = sum_of(times, repetition);
    for (int call = 0; ok() && call < pattern_.calls(); ++call) {
      if (writes) fail_if(data_.prepare_file(options_.path));
      if (!ok()) return;
      const char* failed = "MPI_File_open";
      const int code = timed(sum, [&] {
        MPI_File file;
        const int opened = open_file(opening(writes), file);
        if (opened != MPI_SUCCESS) return opened;
        failed = "MPI_File_close";
        return MPI_File_close(&file);
      });
      fail_if(code == MPI_SUCCESS ? "" : message_of(code, failed));
    }
  }

  // Each repetition writes a new file, and reads it, and every time opens it and closes it.
  void use_all_files() {
    MPI_Barrier(MPI_COMM_WORLD);
    reset_peak();
    const Memory before = read_memory();
    for (int repetition = 0; ok() && repetition <= options_.repetitions; ++repetition) {
      const uint64_t content = options_.write ? static_cast<uint64_t>(repetition) : 0;
      if (options_.write) {
        fail_if(data_.fill(content));
        if (ok()) fail_if(data_.prepare_file(options_.path));
        if (ok()) use_file(outcome_.write, repetition, Operation::write);
      }
      if (!ok() || !options_.read) continue;
      fail_if(data_.poison());
      if (ok()) use_file(outcome_.read, repetition, Operation::read);
      if (ok() && options_.verify) fail_if(data_.check_buffer(content));
    }
    note_memory(before);
  }
  // A call that fails does not end the others: all ranks go through all steps.
  void use_file(Times& times, int repetition, Operation operation) {
    const bool own_views = !data_.access_of_view();
    double& sum = sum_of(times, repetition);
    std::string failure;
    (void)timed(sum, [&]() -> int {
      MPI_File file;
      failure = open_file(opening(operation == Operation::write), data_.access_of_view(), file);
      if (file == MPI_FILE_NULL) return MPI_ERR_OTHER;
      const auto note = [&](const std::string& mistake) {
        if (failure.empty()) failure = mistake;
      };
      for (const Access& access : data_.accesses()) {
        MPI_Status status;
        std::memset(&status, 0, sizeof status);
        int code = own_views ? set_view(file, access) : MPI_SUCCESS;
        if (code == MPI_SUCCESS)
          code = transfer(file, {operation, options_.calls}, access, data_.buffer_of(access), status);
        note(failure_of(code, access, status, name_of(operation)));
      }
      const int closed = MPI_File_close(&file);
      note(closed == MPI_SUCCESS ? "" : message_of(closed, "MPI_File_close"));
      return closed;
    });
    fail_if(failure);
  }

  Opening opening(bool writes) const {
    return {data_.users(), data_.path_of(options_.path), writes, options_.hints};
  }

  void note_memory(const Memory& before) {
    const Memory after = read_memory();
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
      make_calls(outcome_.write, file, repetition, "write", [&](const Access& access, MPI_Status* status) {
        return transfer(file, {Operation::write, options_.calls}, access, data_.buffer_of(access), *status);
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
    make_calls(outcome_.read, file, repetition, "read", [&](const Access& access, MPI_Status* status) {
      return transfer(file, {Operation::read, options_.calls}, access, data_.buffer_of(access), *status);
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
    make_calls(outcome_.overlapped, file, repetition, "nonblocking write",
               [&](const Access& access, MPI_Status* status) {
                 MPI_Request request;
                 const int code = begin_transfer(file, {Operation::write, options_.calls}, access,
                                                 data_.buffer_of(access), request);
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

  // All calls of a repetition.
  template <typename Call>
  void make_calls(Times& times, MPI_File file, int repetition, const char* what, Call call) {
    if (options_.calls == Calls::shared) {
      const int code = MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
      fail_if(code == MPI_SUCCESS ? "" : message_of(code, "MPI_File_seek_shared"));
    }
    const bool own_views = !data_.access_of_view();
    double& sum = sum_of(times, repetition);
    for (const Access& access : data_.accesses()) {
      if (!ok()) return;
      MPI_Status status;
      std::memset(&status, 0, sizeof status);
      const int code = timed(sum, [&] {
        const int viewed = own_views ? set_view(file, access) : MPI_SUCCESS;
        return viewed == MPI_SUCCESS ? call(access, &status) : viewed;
      });
      fail_if(code != MPI_SUCCESS || options_.verify ? failure_of(code, access, status, what) : "");
    }
  }

  static double& sum_of(Times& times, int repetition) {
    return repetition == 0 ? times.first_seconds : times.seconds.emplace_back();
  }

  // Adds the time of the slowest rank.
  template <typename Call>
  static int timed(double& sum, Call call) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    const int code = call();
    sum += over_ranks(MPI_Wtime() - start, MPI_DOUBLE, MPI_MAX);
    return code;
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
