// Requests that cannot work on the user's buffer, because the view's data representation is not native. Such
// a call proceeds in rounds. Each round converts data between the buffer and staging memory of bounded size,
// and is an ordinary request for that memory. If the buffer lies in the memory of a GPU, what is converted is
// an image of a part of it.
#pragma once

#include "base/function_ref.h"
#include "exec/collective.h"
#include "mpi/types/conversion.h"

namespace concilio::mpiio {

class Staged final : exec::Arrivals {
 public:
  // `whole` has the user's buffer, and its bytes are the file's. A round takes more than the request's
  // staging memory only if a single item does, or if `at_once` is set, which makes everything one request.
  Staged(const exec::Request& whole, const mpi::Conversion& conversion, bool at_once);

  // Carries out all rounds, each by calling `run`. The outcome counts the items' bytes in memory.
  using Run = FunctionRef<exec::Outcome(const exec::Request&)>;
  exec::Outcome run_alone(const exec::OpenFile& opened, const Run& run);

  // The next round's request. It stays the same until take() is called.
  Result<exec::Request> next(const exec::OpenFile& opened);
  // Tells how many bytes the round's request has moved.
  Status take(const exec::OpenFile& opened, int64_t moved_bytes);
  // How many bytes the rounds have moved, counted in the items' bytes in memory.
  int64_t moved_bytes() const { return moved_bytes_; }

 private:
  bool reads() const { return whole_.operation == Operation::read; }
  bool more() const { return !ended_ && end_ < whole_.bytes; }
  // Which data of the user's buffer belong to a part of the request, and between which offsets they lie.
  pattern::Interval in_memory(pattern::Interval part) const {
    return {conversion_.native_bytes(part.begin), conversion_.native_bytes(part.end)};
  }
  pattern::Interval bounds(pattern::Interval data) const {
    return conversion_.memory().bounds(data.begin, data.end);
  }
  // Whether offsets in the file never decrease before this end. A read then moves data up to the end of the
  // file; else it says by arrived() what it has found.
  bool ascends_until(int64_t end) const { return whole_.file->monotone_within(whole_.position + end); }
  Status arrived(const exec::OpenFile& opened, pattern::Interval data) override;
  int64_t end_of_round(int64_t begin) const;
  Status copy_image(Towards towards, pattern::Interval data);
  Status allocate(Budget& budget);
  Status fill(const exec::OpenFile& opened);  // copies from the buffer into staging memory
  // Copies a part of the round from staging memory into the buffer.
  Status empty(const exec::OpenFile& opened, pattern::Interval part);
  Status finish_arrived(const exec::OpenFile& opened);

  const exec::Request whole_;
  const mpi::Conversion& conversion_;
  int64_t room_;
  Buffer staging_;
  Buffer image_;                 // a round's items as they lie in a GPU's buffer
  int64_t begin_ = 0, end_ = 0;  // the round's part of the request
  pattern::Interval arrived_;    // what the round has moved, and is not finished yet
  int64_t moved_bytes_ = 0;
  bool ready_ = false;  // the round's request is ready; for a write, its data are in staging memory
  bool ended_ = false;  // the end of the file was reached
};

}  // namespace concilio::mpiio
