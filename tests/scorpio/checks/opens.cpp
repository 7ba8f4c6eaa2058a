// Only the roots of the I/O groups open the data file. All libraries use this program's open(), since the
// executable comes first in the search for symbols.
#include <dlfcn.h>
#include <fcntl.h>

#include <atomic>
#include <cstdarg>
#include <cstdlib>
#include <cstring>

#include "checks.h"

using namespace scorpio_checks;

namespace {

std::atomic<int> opens_of_data_files = 0;

void count(const char* path) {
  if (std::strstr(path, ".counted")) ++opens_of_data_files;
}

template <typename Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

mode_t mode_in(int flags, va_list list) {
  return flags & (O_CREAT | O_TMPFILE) ? va_arg(list, mode_t) : 0;
}

}  // namespace

#define COUNTED_OPEN(name)                                                            \
  __attribute__((visibility("default"))) int name(const char* path, int flags, ...) { \
    va_list list;                                                                     \
    va_start(list, flags);                                                            \
    const mode_t mode = mode_in(flags, list);                                         \
    va_end(list);                                                                     \
    count(path);                                                                      \
    return next<int(const char*, int, ...)>(#name)(path, flags, mode);                \
  }
#define COUNTED_OPENAT(name)                                                                      \
  __attribute__((visibility("default"))) int name(int folder, const char* path, int flags, ...) { \
    va_list list;                                                                                 \
    va_start(list, flags);                                                                        \
    const mode_t mode = mode_in(flags, list);                                                     \
    va_end(list);                                                                                 \
    count(path);                                                                                  \
    return next<int(int, const char*, int, ...)>(#name)(folder, path, flags, mode);               \
  }
extern "C" {
COUNTED_OPEN(open)
COUNTED_OPEN(open64)
COUNTED_OPEN(__open_2)
COUNTED_OPEN(__open64_2)
COUNTED_OPENAT(openat)
COUNTED_OPENAT(openat64)
}

namespace {

// Whether Concilio itself is preloaded, whose aggregators open the file for all ranks.
bool concilio_is_there() {
  return dlsym(RTLD_DEFAULT, "concilio_version") != nullptr;
}

void use(iogroup_t* group, file_mode_t mode, const std::string& path) {
  opens_of_data_files = 0;
  const int handle = scorpio_open_file(path.c_str(), group, mode);
  OK(handle);
  const int global[] = {context.ranks, 1000}, local[] = {1, 1000},
            start[] = {context.ranks - 1 - context.rank, 0};
  std::vector<double> data(1000, context.rank);
  if (mode != SCORPIO_FILE_READONLY) {
    OK(scorpio_write_dataset(data.data(), SCORPIO_DOUBLE, 2, global, local, handle, "d", group,
                             SCORPIO_UNIFORM_CONTIGUOUS_WRITE));
  }
  OK(scorpio_read_dataset_block(data.data(), SCORPIO_DOUBLE, 2, global, local, start, handle, "d", group));
  EXPECT(data[999] == context.ranks - 1 - context.rank);
  OK(scorpio_close_file(handle, group));
  const bool opened = opens_of_data_files > 0, root = group->localrank == 0;
  const std::string who = "mode " + std::to_string(mode) + ", " + std::to_string(group->numIOgroups) +
                          " groups: rank " + std::to_string(context.rank) + " opened " +
                          std::to_string(opens_of_data_files) + " times";
  const bool right = concilio_is_there() ? !opened || root : opened == root;
  if (!right) note_failure(__FILE__, __LINE__, who);
  const int mine = opened;
  int openers = 0;
  MPI_Allreduce(&mine, &openers, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  EXPECT(openers >= 1 && openers <= group->numIOgroups);
}

}  // namespace

SITUATION(Opens, OnlyRootsOpen) {
  for (int number = 0; number <= context.ranks; ++number) {
    Group group(number);
    const std::string path = path_of((std::to_string(number) + ".counted").c_str());
    for (file_mode_t mode :
         {SCORPIO_FILE_CREATE, SCORPIO_FILE_READWRITE, SCORPIO_FILE_READONLY, SCORPIO_FILE_CREATE_NETCDF4}) {
      use(group, mode, path);
    }
  }
}

// Several divisions into groups at the same time. Each file is opened by the roots of its own division.
SITUATION(Opens, GroupsOfSeveralSizes) {
  Group all(1), each(context.ranks);
  use(all, SCORPIO_FILE_CREATE, path_of("one.counted"));
  use(each, SCORPIO_FILE_CREATE, path_of("each.counted"));
  use(all, SCORPIO_FILE_READONLY, path_of("each.counted"));
  use(each, SCORPIO_FILE_READONLY, path_of("one.counted"));
}
