// One data access of the program on its way: its arguments read and its place in the file claimed when it is
// made, its bytes moved by run(), on whichever thread. Blocking, nonblocking and split calls differ in who
// calls run().
#pragma once

#include <optional>

#include "mpi/types/conversion.h"
#include "mpiio/device_buffer.h"
#include "mpiio/file.h"
#include "mpiio/staged.h"

namespace concilio::mpiio {

class Transfer {
 public:
  // The file must outlive this. An error in the arguments is kept: a collective call takes part all the same.
  Transfer(File& file, const Call& call, const Data& data);
  Transfer(const Transfer&) = delete;

  const Status& trouble() const { return trouble_; }
  // Bytes transferred. Collective calls: within the file's strand of collectives.
  Outcome run();
  // Lets a transfer that has not run fail: a collective one on all ranks.
  void fail(const Error& why) {
    trouble_ = why;
    request_.bytes = etypes_ = 0;
  }
  // A blocking call that failed leaves the individual pointer where it was.
  void give_back();

 private:
  Status prepare(const Data& data);
  Status prepare_items(const Data& data);
  Result<int64_t> position_of(int64_t etypes_before, int64_t bytes) const;
  Status place(int64_t etypes_before);
  Status place_in_order(Team& team);
  Outcome run_independent(const OpenFile& opened);
  Outcome run_collective(const OpenFile& opened);
  bool needs_staging() const { return shown_.representation || device_; }
  void stage(const OpenFile& opened, const Wishes& wishes);

  File& file_;
  const Call call_;
  std::shared_ptr<const View> view_;
  const Shown& shown_;  // of it
  std::shared_ptr<const DataType> type_;
  Access memory_;          // of requests: the user's buffer, or staging memory
  Conversion conversion_;  // for views in other than the native representation
  Charge description_;     // for what is known of the datatype
  DeviceBuffer device_;    // the user's buffer, if it is in the memory of a GPU
  Request request_{};
  int64_t etypes_ = 0;  // how far the pointer moves
  Status trouble_;
  // Kept until a collective call that is deferred meets all ranks, so that nothing is converted twice.
  std::optional<Staged> staged_;
};

// The status of a transfer of so many bytes.
void set_status(MPI_Status* status, int64_t bytes);

}  // namespace concilio::mpiio
