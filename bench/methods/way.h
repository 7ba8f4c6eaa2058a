// A way of moving a pattern's bytes: one of the library's methods, its own choice, the MPI's own MPI-IO, or
// pieces one by one. Each has the file open for itself.
#pragma once

#include <array>
#include <memory>
#include <string>

#include "data/rank_data.h"
#include "measure/mpi_file.h"

namespace concilio::bench {

// The library's methods, in the order of its table.
inline constexpr auto library_methods = std::to_array<const char*>({
#define METHOD(name, ranks, summary) #name,
#include "base/methods.def"
});
using PerMethod = std::array<double, library_methods.size()>;
int library_method_index(const std::string& name);  // -1: none of them

// What one repetition took: the same on all ranks.
struct Took {
  double seconds = 0;        // the slowest rank's, summed over the calls
  std::string failure;       // empty: none
  unsigned methods = 0;      // that the library took: a bit each
  PerMethod predicted = {};  // for each, summed over the calls; negative: unknown, or not legal
};

struct WaySettings {
  std::string path;
  bool write = true;
  bool collective = true;
  bool sync = false;  // writes end with it, inside their time
  Hints hints;
};

class Way {
 public:
  virtual ~Way() = default;
  // All are collective over MPI_COMM_WORLD; what failed, the same on all ranks.
  virtual std::string open() = 0;
  virtual Took move(Operation operation) = 0;
  virtual std::string sync() = 0;  // what was written is in the file
  virtual std::string close() = 0;
};

// `method`: one of the library's, "auto", or "mpi".
std::unique_ptr<Way> make_mpi_way(const std::string& method, RankData& data, const WaySettings& settings);
std::unique_ptr<Way> make_posix_way(RankData& data, const WaySettings& settings);

}  // namespace concilio::bench
