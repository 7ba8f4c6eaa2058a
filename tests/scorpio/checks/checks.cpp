#include "checks.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "common/patient_barrier.h"

namespace scorpio_checks {
namespace {

// A failing call may take no longer than this.
constexpr double most_seconds = 5;

std::chrono::steady_clock::time_point last_call = std::chrono::steady_clock::now();

double seconds_since_last_call() {
  const auto now = std::chrono::steady_clock::now();
  const std::chrono::duration<double> taken = now - last_call;
  last_call = now;
  return taken.count();
}

}  // namespace

Context context;

void expect_all_fail(int64_t code, const std::vector<std::string>& words, const char* file, int line,
                     const char* call) {
  const double seconds = seconds_since_last_call();
  if (seconds >= most_seconds)
    note_failure(file, line, std::string(call) + " took " + std::to_string(seconds) + " s");
  expect_failure(code, words, file, line, call);
  const std::string message = scorpio_last_error();
  if (words.empty() && message.empty()) note_failure(file, line, std::string(call) + " tells no reason");
  if (std::getenv("SCORPIO_CHECKS_VERBOSE") && context.rank == 0) {
    std::printf("%s: %s\n    -> %s\n", context.situation.c_str(), call, message.c_str());
  }
  // The ranks stay together, whatever the call returned.
  patient_barrier(MPI_COMM_WORLD);
  last_call = std::chrono::steady_clock::now();
}

void expect_success(int64_t code, const char* file, int line, const char* call) {
  if (code < 0) note_failure(file, line, std::string(call) + " returned " + std::to_string(code));
  last_call = std::chrono::steady_clock::now();
}

std::string path_of(const char* name) {
  return context.folder + "/" + context.situation + "." + name;
}

void on_rank_0(const std::function<void()>& what) {
  if (context.rank == 0) what();
  patient_barrier(MPI_COMM_WORLD);
}

Group::Group(int number, MPI_Comm comm, int size) {
  iogroup_conf_t conf = {number, size, comm};
  OK(scorpio_IOgroup_init(&conf, &group_));
}

Group::~Group() {
  OK(scorpio_IOgroup_cleanup(&group_));
}

File::File(const char* name, file_mode_t mode)
    : group_(0, MPI_COMM_WORLD, (context.ranks + 1) / 2), path_(path_of(name)) {
  handle_ = scorpio_open_file(path_.c_str(), group_, mode);
  OK(handle_);
}

File::~File() {
  OK(scorpio_close_file(handle_, group_));
  EXPECT(H5Fget_obj_count(static_cast<hid_t>(H5F_OBJ_ALL), H5F_OBJ_ALL) == 0);
}

void File::works(const char* dataset) {
  const int global[] = {context.ranks, 4}, local[] = {1, 4}, start[] = {context.rank, 0};
  int values[4], found[4] = {};
  for (int i = 0; i < 4; ++i) values[i] = 10 * context.rank + i;
  OK(scorpio_write_dataset_block(values, SCORPIO_INTEGER, 2, global, local, start, handle_, dataset, group_));
  OK(scorpio_read_dataset(found, SCORPIO_INTEGER, 2, global, local, handle_, dataset, group_,
                          SCORPIO_UNIFORM_CONTIGUOUS_READ));
  EXPECT(std::equal(values, values + 4, found));
}

}  // namespace scorpio_checks
