// What the steps of a probe share: the ranks, the storage, the files, and the results so far.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/operation.h"
#include "mpi/nodes/team.h"
#include "probe/derive/measurements.h"
#include "probe/measure/sampler.h"
#include "store/store.h"

namespace concilio::probe {

struct Session {
  mpi::Team& team;
  store::Store& store;
  std::string data_path;  // overwritten and read; made by make_file
  std::string new_path;   // made anew, again and again
  bool throttled = false;
  double total_seconds = 60;
  int64_t most_file_bytes = 0;

  double seconds = 0;  // the time of the current step
  std::unique_ptr<store::StoreFile> file{};
  int64_t file_bytes = 0;
  bool forgets_pages = false;       // before reads; see requests_at
  std::vector<std::byte> buffer{};  // stands for a user's buffer, and is much larger than the cache
  Measurements found{};             // complete on rank 0 alone
  std::vector<std::string> notes{};

  bool first() const { return team.rank() == 0; }
};

// Batches of requests at that many places. Where a node keeps pages that other nodes may have written
// meanwhile (NFS, FUSE), programs read from the storage what their other nodes wrote, because the library has
// the node forget such pages. There this node forgets the file before each batch of reads, and a batch reads
// no place twice.
Batch requests_at(int64_t places, Operation operation, Session& session);

// Waits for all ranks without taking a core from those that work. Collective.
void wait_for_all(mpi::Team& team);

// Returns the first failure of any rank, on all ranks. Collective.
Status agree_at_rest(mpi::Team& team, const Status& status);

// The steps of a probe. A step is called by all ranks if `of_all` is set, else by rank 0 alone.
struct Step {
  const char* name;
  double share;  // of the total time
  bool of_all;
  Status (*run)(Session&);
};
std::span<const Step> steps();

Status make_file(Session& session);            // storage.cpp: the first step
Status measure_requests(Session& session);     // storage.cpp
Status measure_direct(Session& session);       // direct.cpp
Status measure_operations(Session& session);   // operations.cpp
Status measure_windows(Session& session);      // windows.cpp
Status measure_clients(Session& session);      // clients.cpp
Status measure_groups(Session& session);       // clients.cpp
Status measure_memory(Session& session);       // memory.cpp
Status measure_mapping(Session& session);      // mapping.cpp
Status measure_synchronise(Session& session);  // synchronise.cpp
Status measure_exchange(Session& session);     // exchange.cpp

}  // namespace concilio::probe
