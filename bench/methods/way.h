// A way of moving a pattern's bytes: one of the library's methods, its own choice, the MPI's own MPI-IO, one
// request for each piece, or an exchange of the program's own and then large requests. Each way opens the
// file for itself.
#pragma once

#include <array>
#include <memory>
#include <string>

#include "data/rank_data.h"
#include "measure/mpi_file.h"

namespace concilio::bench {

// The library's methods, in the order of its table.
inline constexpr auto library_methods = std::to_array<const char*>({
#define METHOD(name, ranks, writes, summary) #name,
#include "base/methods.def"
});
using PerMethod = std::array<double, library_methods.size()>;
int library_method_index(const std::string& name);  // -1 if there is none of this name

// The results of one repetition; the same on all ranks.
struct Took {
  double seconds = 0;    // of the slowest rank, summed over the calls
  std::string failure;   // empty if there is none
  unsigned methods = 0;  // a bit for each method that the library used
  // For each method, summed over the calls; negative if unknown, or if the method is not possible.
  PerMethod predicted = {};
};

struct WaySettings {
  std::string path;
  bool write = true;
  Calls calls = Calls::collective;
  bool sync = false;  // each timed write ends with MPI_File_sync
  Hints hints;
};

class Way {
 public:
  virtual ~Way() = default;
  // All functions are collective over MPI_COMM_WORLD. They return what failed, the same on all ranks.
  virtual std::string open() = 0;
  virtual Took move(Operation operation) = 0;
  virtual std::string sync() = 0;  // puts what was written into the file
  virtual std::string close() = 0;
};

// `method` is one of the library's methods, "auto" or "mpi".
std::unique_ptr<Way> make_mpi_way(const std::string& method, RankData& data, const WaySettings& settings);
std::unique_ptr<Way> make_posix_way(RankData& data, const WaySettings& settings);
// What one rank moves in a call without the library, between nodes and to storage or from it.
struct Exchanged {
  int64_t messages = 0, message_bytes = 0;  // that it gets, or sends, in writes and reads
  int64_t requests = 0, storage_bytes = 0;
  int64_t memory_bytes = 0;  // that it takes beside the program's buffer
};
// `exchanged` is told when the file is open; it may be null.
std::unique_ptr<Way> make_rows_way(RankData& data, const WaySettings& settings, Exchanged* exchanged);

}  // namespace concilio::bench
