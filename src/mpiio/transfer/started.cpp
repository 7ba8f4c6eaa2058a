#include "mpiio/transfer/started.h"

#include <chrono>
#include <new>
#include <utility>

#include "base/exceptions.h"
#include "base/system/core_offer.h"
#include "base/waiting.h"
#include "mpiio/calls/raise.h"
#include "mpiio/file/call_record.h"

namespace concilio::mpiio {

std::shared_ptr<Started> Started::make(File& file, const Call& call, const Data& data) {
  return std::allocate_shared<Started>(OrReserve<Started>(file.reserve()), file, call, data);
}

Started::Started(File& file, const Call& call, const Data& data)
    : file_(file),
      handle_(file.handle()),
      handler_(file.handler()),
      function_(call.name),
      collective_(call.collective) {
  transfer_.emplace(file, call, data);
}

void Started::go_on(std::shared_ptr<Started> started) {
  Started& call = *started;
  call.queued_ = std::move(started);
  if (call.file_.threads()) {
    if (!call.transfer_->is_brief() || !call.run_here()) call.strand().post(call);
  } else if (call.collective_) {
    call.number_ = call.file_.deferred().add(call.file_.team(), call);
  } else {
    call.run();
  }
}

bool Started::run_here() {
  const auto here = [&] {
    run();
    return true;
  };
  if (!collective_) return here();
  return strand().run_if_idle([&] { return is_apart() && here(); });
}

exec::Outcome Started::carry_out() {
  exec::Outcome outcome = without_exceptions([&] { return transfer_->run(); });
  if (record_number_ > 0 && outcome && transfer_->call().pointer == Pointer::ordered)
    file_.record()->placed(record_number_, transfer_->position());
  return outcome;
}

void Started::run() noexcept {
  exec::Outcome outcome = carry_out();
  transfer_.reset();  // the file may be closed as soon as the call is done
  complete(std::move(outcome));
  let_go();
}

bool Started::attempt() {
  exec::Outcome outcome = carry_out();
  if (!outcome && outcome.error().kind == ErrorKind::not_yet) return false;
  if (!done_) complete(std::move(outcome));  // no other thread knows of deferred calls
  return true;
}

bool Started::settle() {
  auto outcome = transfer_->settle();
  if (outcome) complete(std::move(*outcome));
  return outcome.has_value();
}

void Started::let_go() noexcept {
  transfer_.reset();
  const std::shared_ptr<Started> last = std::move(queued_);
}

// Who waits is woken up last: a wait of MPI for a request that is not complete may spin, and take the core
// away from the thread that is about to complete it.
void Started::complete(exec::Outcome outcome) {
  const bool has_request = request_.handle != MPI_REQUEST_NULL;
  if (!outcome && has_request) {
    code_ = class_of(outcome.error().kind);  // stays if there is no memory for the message
    if_there_is_memory([&] {
      Error full = explain(file_, function_, outcome.error());
      code_ = code_of(full);
      message_ = std::move(full.message);
    });
  }
  outcome_ = std::move(outcome);
  if (has_request) PMPI_Grequest_complete(request_.handle);
  std::lock_guard lock(mutex_);
  done_ = true;
  came_.notify_all();
}

// As long as the lock is held, a call that is not done does not become done, and so its file stays open.
void Started::finish(bool here) {
  std::unique_lock lock(mutex_);
  if (done_) return;
  if (number_ != 0) {
    lock.unlock();
    file_.deferred().finish_part(number_);
  } else if (here ? strand().claim_back() : strand().claim()) {
    lock.unlock();
    strand().run_claimed(this);
  }
}

bool Started::advance() {
  std::unique_lock lock(mutex_);
  if (done_) return false;
  if (number_ != 0) {
    lock.unlock();
    return !file_.deferred().test(number_);
  }
  const bool claimed = strand().claim();
  lock.unlock();
  if (claimed)
    strand().run_claimed();
  else
    (void)offer_core();  // the program may look again and again, and a thread needs a core to get on
  return false;
}

int64_t Started::team_between_nodes() {
  std::lock_guard lock(mutex_);
  return done_ || number_ == 0 || file_.team().nodes().size() == 1 ? 0 : file_.team().number();
}

bool Started::is_ready_on_node() {
  std::lock_guard lock(mutex_);
  return !done_ && file_.team().all_offer();
}

void Started::wait() {
  std::unique_lock lock(mutex_);
  // Other ranks may need messages of this rank to proceed.
  while (!came_.wait_for(lock, std::chrono::milliseconds(1), [&] { return done_; }))
    file_.team().make_progress();
}

void Started::wait_beside_messages() {
  const int64_t begin_ns = now_ns();
  for (std::unique_lock lock(mutex_); !done_; lock.lock()) {
    file_.team().make_progress();
    lock.unlock();
    let_others_run(now_ns() - begin_ns);
  }
}

int Started::tell(ErrorHandler::Result result) const {
  MPI_File handle = find(handle_) ? handle_ : MPI_FILE_NULL;
  return handler_.call(handle, code_, message_, result);
}

}  // namespace concilio::mpiio
