// A nonblocking or split collective call, from its start until the program has its outcome.
//
// A start is local: whatever fails in it on one rank, the other ranks need this rank's part. So all that the
// library remembers of such a call is one block of memory, which is also the call's place in the queues that
// it goes through. Where there is no memory for it, the block that the file has in reserve is taken. What
// fails in the call itself is told when it is carried out.
#pragma once

#include <mpi.h>

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "base/system/strand.h"
#include "mpiio/errors.h"
#include "mpiio/file/deferred.h"
#include "mpiio/file/file.h"
#include "mpiio/transfer/transfer.h"

namespace concilio::mpiio {

class Started final : private Strand::Task, private Deferred::Operation {
 public:
  // Reads the call's arguments. Throws std::bad_alloc if there is no memory, and the file's reserve is in
  // use.
  static std::shared_ptr<Started> make(File& file, const Call& call, const Data& data);
  Started(File& file, const Call& call, const Data& data);  // for make()

  Transfer& transfer() { return *transfer_; }
  // Has the call carried out, by another thread if MPI allows several. Without threads a collective call is
  // carried out when the program waits for it, and an independent one, which needs no other rank, here. With
  // threads, so is one that is over before a thread would begin.
  static void go_on(std::shared_ptr<Started> started);

  // The call's number in the record of calls; 0: it is not recorded.
  int64_t record_number() const { return record_number_; }
  void set_record_number(int64_t number) { record_number_ = number; }

  // Carries out the call if nobody else does, after those of the file that come before it. `here`: also if a
  // thread has been asked to, and has not begun.
  void finish(bool here);
  // Carries it out if the other ranks have come to it. Returns whether it waits for them.
  bool advance();
  // Of a deferred call: whether all ranks of this node have come to its file.
  bool is_ready_on_node();
  // If the call is deferred and needs other nodes: the number of its file's team, the same on all ranks. Else
  // 0, as once the call is done.
  int64_t team_between_nodes();
  // Sleeps until the call is done.
  void wait();
  // The same while messages of the program are under way, which proceed meanwhile.
  void wait_beside_messages();
  // Bytes transferred. It stays what it is once the call is done.
  const exec::Outcome& outcome() const { return outcome_; }

  // The call's request of MPI, where it has one (requests.h).
  struct Request {
    MPI_Request handle = MPI_REQUEST_NULL;
    std::shared_ptr<Started> held;  // by MPI
    Started* next = nullptr;        // in the table of all requests
  };
  Request& request() { return request_; }
  // Once the request is complete: whether the call failed, and its error code.
  bool has_failed() const { return code_ != MPI_SUCCESS; }
  int code() const { return code_; }
  // Calls the file's error handler with the error of a request. The program may have closed the file.
  int tell(ErrorHandler::Result result) const;

 private:
  void run() noexcept override;
  // Runs the call, if it needs no other rank and none before it is still to be made. Then it may be gone.
  bool run_here();
  bool attempt() override;
  bool is_apart() const override { return transfer_->is_apart(); }
  bool settle() override;
  void let_go() noexcept override;

  exec::Outcome carry_out();
  void complete(exec::Outcome outcome);
  Strand& strand() { return collective_ ? file_.collectives() : file_.independents(); }

  File& file_;  // is open until the call is done
  const MPI_File handle_;
  const ErrorHandler handler_;
  const char* const function_;
  const bool collective_;
  std::optional<Transfer> transfer_;  // until the call is done
  std::shared_ptr<Started> queued_;   // itself, until then
  int64_t record_number_ = 0;
  uint64_t number_ = 0;  // of the deferred operation, else 0
  Request request_;

  std::mutex mutex_;
  std::condition_variable came_;
  bool done_ = false;
  exec::Outcome outcome_ = 0;
  int code_ = MPI_SUCCESS;
  std::string message_;
};

}  // namespace concilio::mpiio
