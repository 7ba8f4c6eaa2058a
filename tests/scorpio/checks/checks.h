// Shared by the tests of what SCORPIO promises: expectations that are checked on all ranks, a new file, and
// groups that are freed.
#pragma once

#include <mpi.h>
#include <scorpio.h>

#include <functional>
#include <string>
#include <vector>

#include "common/situations.h"
#include "scorpio/expect_scorpio.h"

namespace scorpio_checks {

struct Context {
  int rank = 0, ranks = 1;
  std::string folder, situation;
};
extern Context context;

// Expects that `code` is FAILURE on every rank, and that every rank's message contains all of `words`.
// Collective.
void expect_all_fail(int64_t code, const std::vector<std::string>& words, const char* file, int line,
                     const char* call);
void expect_success(int64_t code, const char* file, int line, const char* call);

std::string path_of(const char* name);
void on_rank_0(const std::function<void()>& what);  // the other ranks wait

class Group {
 public:
  explicit Group(int number, MPI_Comm comm = MPI_COMM_WORLD, int size = 0);
  Group(const Group&) = delete;
  ~Group();
  operator iogroup_t*() { return &group_; }
  iogroup_t* operator->() { return &group_; }

 private:
  iogroup_t group_ = {};
};

// A new file, in two groups if there are enough ranks. The destructor closes it and checks that no object of
// HDF5 is open.
class File {
 public:
  explicit File(const char* name, file_mode_t mode = SCORPIO_FILE_CREATE);
  File(const File&) = delete;
  ~File();
  operator int() const { return handle_; }
  const std::string& path() const { return path_; }
  iogroup_t* group() { return group_; }

  // Writes and reads a row of four integers for each rank, to show that everything still works.
  void works(const char* dataset);

 private:
  Group group_;
  std::string path_;
  int handle_ = FAILURE;
};

}  // namespace scorpio_checks

#define OK(call) scorpio_checks::expect_success((call), __FILE__, __LINE__, #call)
#define ALL_FAIL(call, ...) \
  scorpio_checks::expect_all_fail((call), std::vector<std::string>{__VA_ARGS__}, __FILE__, __LINE__, #call)
