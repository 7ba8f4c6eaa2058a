// What the situations of SCORPIO's objects share: attributes, strings, groups, links, netCDF-4, XDMF.
#pragma once

#include <hdf5.h>
#include <mpi.h>
#include <scorpio.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "common/situations.h"
#include "scorpio/expect_scorpio.h"

namespace objects {

struct Context {
  int rank = 0, ranks = 1;
  int group_size = 1;
  std::string folder;

  std::string path(const std::string& name) const { return folder + "/" + name; }
};
extern Context context;

// An I/O group of the size that is tested, and one file.
class Session {
 public:
  explicit Session(const std::string& name, file_mode_t mode = SCORPIO_FILE_CREATE);
  Session(const Session&) = delete;
  ~Session();
  void again(file_mode_t mode);  // closes the file and opens it again in this mode

  iogroup_t* group() { return &group_; }
  int file() const { return file_; }
  iofile_t shown() const { return *group_.file[file_]; }
  // Writes a dataset of the doubles (or ints) 0, 1, 2, ..., divided by rows.
  void write(const std::string& name, const std::vector<int64_t>& extents, datatype_t type = SCORPIO_DOUBLE);

 private:
  std::string path_;
  iogroup_t group_{};
  int file_ = FAILURE;
};

// Memory that SCORPIO has allocated.
template <typename T>
struct Given {
  T* data = nullptr;
  Given() = default;
  Given(const Given&) = delete;
  ~Given() { std::free(data); }
  void** untyped() { return reinterpret_cast<void**>(&data); }
};

// Rank 0 makes a file by plain HDF5, before the other ranks continue.
void with_plain_hdf5(const std::string& name, void (*make)(hid_t file));

}  // namespace objects
