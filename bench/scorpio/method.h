// A way to read and write the datasets.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "scorpio/dataset.h"

namespace concilio::bench::scorpio {

// The groups of ranks that share a root.
struct Groups {
  int count = 0;  // 0 if there are none
  int ranks = 0;  // number of ranks in this rank's group
};

// All functions are collective over MPI_COMM_WORLD. They are called in this order, and may be called again
// from the first one. Those that return a text return what failed, or an empty text. A method that failed is
// not called again.
class Method {
 public:
  virtual ~Method() = default;
  virtual std::string name() const = 0;
  virtual std::string init() = 0;
  virtual std::string open_input(const std::string& path) = 0;
  virtual std::string read(const Dataset& dataset, void* data) = 0;
  virtual std::string open_output(const std::string& path) = 0;
  virtual std::string write(const Dataset& dataset, const void* data) = 0;
  virtual std::string close() = 0;   // closes both files
  virtual std::string finish() = 0;  // frees what init made

  // Local: the groups of the file that was opened last.
  virtual Groups groups() const { return {}; }
  // Local, to be called before finish(). The peak on this rank; -1 if unknown.
  virtual int64_t peak_buffer_bytes() const { return -1; }
};

// The mode of plain HDF5's transfers.
enum class Transfer { collective, independent };
std::unique_ptr<Method> make_hdf5_method(const Workload& workload, Transfer transfer);

inline constexpr int automatic_groups = 0;
// If buffer_bytes is 0, the library's default is used.
std::unique_ptr<Method> make_scorpio_method(const Workload& workload, int group_ranks, int64_t buffer_bytes);

}  // namespace concilio::bench::scorpio
