// One data access of the program. The constructor reads its arguments and claims its place in the file; run()
// moves its bytes, on any thread. Blocking, nonblocking and split calls differ in who calls run().
#pragma once

#include <optional>

#include "mpi/types/conversion.h"
#include "mpiio/file/call_record.h"
#include "mpiio/file/file.h"
#include "mpiio/transfer/staged.h"

namespace concilio::mpiio {

inline Operation operation_of(const Call& call) {
  return call.direction == Direction::read ? Operation::read : Operation::write;
}
// The counter of calls like this one.
inline Counter counter_of(const Call& call) {
  const bool reads = call.direction == Direction::read;
  if (call.collective) return reads ? Counter::collective_reads : Counter::collective_writes;
  return reads ? Counter::independent_reads : Counter::independent_writes;
}
// Whether the file was opened for such a call: the same answer on all its ranks.
Status check_mode(const File& file, const Call& call);

class Transfer {
 public:
  // The file must outlive this object. An error in the arguments is kept, because a collective call takes
  // part in spite of it.
  Transfer(File& file, const Call& call, const Data& data);
  Transfer(const Transfer&) = delete;

  const Call& call() const { return call_; }
  // Where in the view's data the transfer begins; of an ordered one once it has run.
  int64_t position() const { return position_; }
  CallRecord::Moved moved(bool failed) const {
    return {failed || !trouble_, position_, request_.bytes, type_.get()};
  }
  const Status& trouble() const { return trouble_; }
  // Whether it takes less time than another thread needs to begin with it, if it needs no other rank.
  bool is_brief() const;
  // Whether this collective call, if it runs now, is made without meeting other ranks.
  bool is_apart() const {
    return call_.collective && call_.pointer != Pointer::ordered &&
           file_.collective().apart().next(request_.operation);
  }
  // Returns the bytes transferred. A collective call runs within the file's strand of collectives.
  exec::Outcome run();
  // Moves this rank's data of a collective call alone, and leaves run() none; that then takes part in the
  // call for the others' sake. Nothing, and nothing has happened, if the call needs the others.
  std::optional<exec::Outcome> settle();
  // Makes a transfer fail that has not run; a collective one then fails on all ranks.
  void fail(const Error& why) {
    trouble_ = why;
    request_.bytes = etypes_ = 0;
  }
  // Moves the individual pointer back to where it was, for a blocking call that failed.
  void give_back();

 private:
  Status prepare(const Data& data);
  Status prepare_items(const Data& data);
  Result<int64_t> position_of(int64_t etypes_before, int64_t bytes) const;
  Status place(int64_t etypes_before);
  Status place_in_order(mpi::Team& team);
  // The file's state, as the call holds it.
  using Opened = std::shared_ptr<const exec::OpenFile>;
  std::shared_ptr<const plan::Plan> plan_alone(const Opened& opened, const exec::Request& request,
                                               const exec::RequestLooks& looks);
  exec::Outcome run_alone(const Opened& opened);
  exec::Outcome run_apart(const Opened& opened);
  exec::Outcome run_collective(const exec::OpenFile& opened);
  // `exchange_ns` is of the call if no other of this rank exchanges meanwhile: collective ones take turns.
  struct Times {
    int64_t start_ns, end_ns, exchange_ns;
  };
  void record(const Times& times, const exec::Outcome& outcome);
  bool needs_staging() const { return shown_.representation || request_.device; }
  Status reach_device(const pattern::Access& layout);
  Status stage(const exec::OpenFile& opened, const plan::Wishes& wishes);

  File& file_;
  const Call call_;
  std::shared_ptr<const View> view_;
  const Shown& shown_;  // a part of view_
  std::shared_ptr<const pattern::DataType> type_;
  pattern::Access memory_;      // the buffer of requests: the user's, or staging memory for conversion
  mpi::Conversion conversion_;  // for views whose representation is not native
  Charge description_;          // for the description of the datatype
  exec::DeviceLink device_;     // the way to the user's buffer if it is in the memory of a GPU
  exec::Request request_{};
  // The view from the request's only tile on, where all tiles are not in order.
  std::optional<pattern::Access> tiles_from_;
  int64_t position_ = 0;  // in the view's data
  int64_t etypes_ = 0;    // how far the pointer moves
  Status trouble_;
  bool settled_ = false;
  // Kept while a collective call is deferred and has not met all ranks, so that nothing is converted twice.
  std::optional<Staged> staged_;
};

// Sets the status of a transfer of so many bytes.
void set_status(MPI_Status* status, int64_t bytes);

}  // namespace concilio::mpiio
