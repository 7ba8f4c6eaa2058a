// A way to read and write the datasets.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "scorpio/dataset.h"

namespace concilio::bench::scorpio {

// Those who share a root; of the rank that asks.
struct Groups {
  int count = 0;  // 0: there are none
  int ranks = 0;  // in this rank's group
};

// All calls are collective over MPI_COMM_WORLD, in this order, and may be made again from the first. What
// returns text returns a failure, empty where all went well. A method that failed is not called again.
class Method {
 public:
  virtual ~Method() = default;
  virtual std::string name() const = 0;
  virtual std::string init() = 0;
  virtual std::string open_input(const std::string& path) = 0;
  virtual std::string read(const Dataset& dataset, void* data) = 0;
  virtual std::string open_output(const std::string& path) = 0;
  virtual std::string write(const Dataset& dataset, const void* data) = 0;
  virtual std::string close() = 0;   // both files
  virtual std::string finish() = 0;  // what init made

  // Local. Of the file opened last.
  virtual Groups groups() const { return {}; }
  // Local, before finish(). Of this rank; -1: it is not known.
  virtual int64_t peak_buffer_bytes() const { return -1; }
};

// How plain HDF5 transfers.
enum class Transfer { collective, independent };
std::unique_ptr<Method> make_hdf5_method(const Workload& workload, Transfer transfer);

inline constexpr int automatic_groups = 0;
// buffer_bytes: 0 for the library's own default.
std::unique_ptr<Method> make_scorpio_method(const Workload& workload, int group_ranks, int64_t buffer_bytes);

}  // namespace concilio::bench::scorpio
