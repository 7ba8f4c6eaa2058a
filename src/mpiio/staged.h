// The requests of a call that are not made straight of the user's buffer: where the view's data
// representation is not the native one, and where the buffer lies in the memory of a GPU. Made in rounds,
// each of which converts or copies between the buffer and a bounded piece of staging memory, and is an
// ordinary request for that piece.
#pragma once

#include "base/function_ref.h"
#include "exec/collective.h"
#include "mpi/types/conversion.h"
#include "mpiio/device_buffer.h"

namespace concilio::mpiio {

class Staged {
 public:
  // `whole`: its buffer is the user's, its bytes the file's. `conversion`: null where the file gets the bytes
  // of memory. `device`: false where the buffer is the host's. A round takes more than the request's staging
  // memory only where one item does, or where all is one request, `at_once`.
  Staged(const Request& whole, const Conversion* conversion, const DeviceBuffer& device, bool at_once);

  // The outcome is bytes of the items in memory.
  using Run = FunctionRef<Outcome(const Request&)>;
  Outcome run_alone(const OpenFile& opened, const Run& run);

  // The next round's request, the same until take().
  Result<Request> next(const OpenFile& opened);
  // So many of its bytes were moved.
  Status take(const OpenFile& opened, int64_t moved_bytes);
  // Of the items, in memory, that rounds have moved.
  int64_t moved_bytes() const { return conversion_ ? conversion_->native_bytes(end_) : end_; }

 private:
  bool reads() const { return whole_.operation == Operation::read; }
  bool more() const { return !ended_ && end_ < whole_.bytes; }
  int64_t boundary(int64_t position) const {
    return conversion_ ? conversion_->item_boundary(position) : position;
  }
  Interval in_memory(Interval part) const;
  int64_t end_of_round(int64_t begin) const;
  Status allocate(Budget& budget);
  Status fill(const OpenFile& opened);   // from the buffer into staging
  Status empty(const OpenFile& opened);  // from there into the buffer

  const Request whole_;
  const Conversion* conversion_;
  const DeviceBuffer& device_;
  int64_t room_;
  Buffer staging_;
  Buffer image_;                 // of a round's items in the buffer, for conversions, where that is a GPU's
  int64_t begin_ = 0, end_ = 0;  // the round's part of the request
  bool ready_ = false;           // what is to be written is in staging
  bool ended_ = false;           // at the end of the file
};

}  // namespace concilio::mpiio
