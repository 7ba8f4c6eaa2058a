// Requests that cannot work on the user's buffer directly, because the view's data representation is not
// native or the buffer lies in the memory of a GPU. Such a call proceeds in rounds. Each round converts or
// copies data between the buffer and staging memory of bounded size, and is an ordinary request for that
// memory.
#pragma once

#include "base/function_ref.h"
#include "exec/collective.h"
#include "mpi/types/conversion.h"
#include "mpiio/transfer/device_buffer.h"

namespace concilio::mpiio {

class Staged {
 public:
  // `whole` has the user's buffer, and its bytes are the file's. `conversion` is null if the file gets the
  // bytes of memory. `device` is false if the buffer is in the host's memory. A round takes more than the
  // request's staging memory only if a single item does, or if `at_once` is set, which makes everything one
  // request.
  Staged(const exec::Request& whole, const mpi::Conversion* conversion, const DeviceBuffer& device,
         bool at_once);

  // Carries out all rounds, each by calling `run`. The outcome counts the items' bytes in memory.
  using Run = FunctionRef<exec::Outcome(const exec::Request&)>;
  exec::Outcome run_alone(const exec::OpenFile& opened, const Run& run);

  // The next round's request. It stays the same until take() is called.
  Result<exec::Request> next(const exec::OpenFile& opened);
  // Tells how many bytes the round's request has moved.
  Status take(const exec::OpenFile& opened, int64_t moved_bytes);
  // How many bytes the rounds have moved, counted in the items' bytes in memory.
  int64_t moved_bytes() const { return conversion_ ? conversion_->native_bytes(end_) : end_; }

 private:
  bool reads() const { return whole_.operation == Operation::read; }
  bool more() const { return !ended_ && end_ < whole_.bytes; }
  int64_t boundary(int64_t position) const {
    return conversion_ ? conversion_->item_boundary(position) : position;
  }
  pattern::Interval in_memory(pattern::Interval part) const;
  int64_t end_of_round(int64_t begin) const;
  Status allocate(Budget& budget);
  Status fill(const exec::OpenFile& opened);   // copies from the buffer into staging memory
  Status empty(const exec::OpenFile& opened);  // copies from staging memory into the buffer

  const exec::Request whole_;
  const mpi::Conversion* conversion_;
  const DeviceBuffer& device_;
  int64_t room_;
  Buffer staging_;
  Buffer image_;                 // a round's items as they lie in a GPU's buffer; only for conversions
  int64_t begin_ = 0, end_ = 0;  // the round's part of the request
  bool ready_ = false;           // the round's request is ready; for a write, its data are in staging memory
  bool ended_ = false;           // the end of the file was reached
};

}  // namespace concilio::mpiio
