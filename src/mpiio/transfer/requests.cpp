#include "mpiio/transfer/requests.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <map>
#include <new>

#include "mpi/epoch.h"
#include "mpiio/calls/raise.h"
#include "mpiio/transfer/transfer.h"

namespace concilio::mpiio {

// One operation, from its start until MPI tells the program that it is complete. `function`, `file` and
// `handler` serve to report an error; the program may ask for it after it has closed the file.
struct PendingRequest {
  MPI_Request request = MPI_REQUEST_NULL;
  File* file = nullptr;
  MPI_File handle = MPI_FILE_NULL;
  const char* function = "";
  ErrorHandler handler;
  uint64_t number = 0;  // of the deferred operation; the file is open until that is done

  std::mutex mutex;
  std::condition_variable came;
  bool done = false;
  int64_t bytes = 0;
  int code = MPI_SUCCESS;
  std::string message;
};

namespace {

using Ref = std::shared_ptr<PendingRequest>;

struct Requests {
  std::mutex mutex;
  mpi::OfEpoch<std::map<MPI_Request, Ref>> pending;
  std::atomic<int64_t> count{0};
};
Requests& requests() {
  static auto* all = new Requests;
  return *all;
}

Ref find_pending(MPI_Request request) {
  Requests& all = requests();
  std::lock_guard lock(all.mutex);
  auto found = all.pending->find(request);
  return found == all.pending->end() ? nullptr : found->second;
}

int query(void* extra, MPI_Status* status) {
  const Ref& pending = *static_cast<Ref*>(extra);
  set_status(status, pending->bytes);
  status->MPI_SOURCE = MPI_UNDEFINED;
  status->MPI_TAG = MPI_UNDEFINED;
  return MPI_SUCCESS;
}

// MPI calls this when the program has been told, or has freed the request.
int forget(void* extra) {
  auto* pending = static_cast<Ref*>(extra);
  Requests& all = requests();
  {
    std::lock_guard lock(all.mutex);
    all.pending->erase((*pending)->request);
  }
  --all.count;
  delete pending;
  return MPI_SUCCESS;
}

// Calls the file's error handler. The program may have closed the file before it asks for the request.
int tell(const PendingRequest& failed, ErrorHandler::Result result) {
  MPI_File handle = find(failed.handle) ? failed.handle : MPI_FILE_NULL;
  return failed.handler.call(handle, failed.code, failed.message, result);
}

// An operation that has begun is always completed; it cannot be cancelled.
int cancel(void*, int) {
  return MPI_SUCCESS;
}

}  // namespace

int NonblockingRequest::make(File& file, const char* function, MPI_Request* request,
                             NonblockingRequest* made) {
  auto pending = std::make_shared<PendingRequest>();
  pending->file = &file;
  pending->handle = file.handle();
  pending->function = function;
  pending->handler = file.handler();
  auto held = std::make_unique<Ref>(pending);
  std::map<MPI_Request, Ref> entry;  // made before the request, so that nothing after it needs memory
  auto node = entry.extract(entry.emplace(MPI_REQUEST_NULL, pending).first);
  if (int code = PMPI_Grequest_start(query, forget, cancel, held.get(), request); code != MPI_SUCCESS)
    return code;
  (void)held.release();  // forget() deletes it
  pending->request = node.key() = *request;
  Requests& all = requests();
  {
    std::lock_guard lock(all.mutex);
    all.pending->insert(std::move(node));
  }
  ++all.count;
  made->pending_ = std::move(pending);
  return MPI_SUCCESS;
}

void NonblockingRequest::set_number(uint64_t number) const {
  pending_->number = number;
}

void NonblockingRequest::complete(const exec::Outcome& outcome) const {
  {
    std::lock_guard lock(pending_->mutex);
    if (outcome) {
      pending_->bytes = *outcome;
    } else {
      pending_->code = class_of(outcome.error().kind);  // stays if there is no memory for the message
      try {
        Error full = explain(*pending_->file, pending_->function, outcome.error());
        pending_->code = code_of(full);
        pending_->message = full.message;
      } catch (const std::bad_alloc&) {
      }
    }
    pending_->done = true;
    pending_->came.notify_all();
  }
  PMPI_Grequest_complete(pending_->request);
}

bool has_requests() {
  return requests().count.load(std::memory_order_relaxed) > 0 && !on_pool_thread();
}

WaitCall::WaitCall(int count, const MPI_Request* requests) : requests_(requests) {
  if (requests && count > 0) ours_.reserve(static_cast<size_t>(count));
  for (int i = 0; requests && i < count; ++i) {
    if (requests[i] == MPI_REQUEST_NULL) continue;
    if (Ref pending = find_pending(requests[i])) {
      ours_.push_back({i, std::move(pending)});
    } else {
      ++others_;
    }
  }
}

namespace {
bool is_deferred(PendingRequest& pending) {
  std::lock_guard lock(pending.mutex);
  return pending.number != 0 && !pending.done;
}
}  // namespace

bool WaitCall::attempt() {
  bool left = false;
  for (const Ours& ours : ours_) {
    PendingRequest& pending = *ours.pending;
    if (is_deferred(pending) && !pending.file->deferred().test(pending.number)) left = true;
  }
  return left;
}

void WaitCall::sleep() {
  for (const Ours& ours : ours_) {
    PendingRequest& pending = *ours.pending;
    if (is_deferred(pending)) pending.file->deferred().finish(pending.number);
  }
  if (others_ > 0) return;
  for (const Ours& ours : ours_) {
    PendingRequest& pending = *ours.pending;
    std::unique_lock lock(pending.mutex);
    // Other ranks may need messages of this rank to proceed. The file stays open at least as long as the lock
    // is held, because the operation cannot become done meanwhile.
    while (!pending.came.wait_for(lock, std::chrono::milliseconds(1), [&] { return pending.done; }))
      pending.file->team().make_progress();
  }
}

// Whether MPI has completed the request, and its operation failed.
bool WaitCall::has_failed(const Ours& ours) const {
  return requests_[ours.index] == MPI_REQUEST_NULL && ours.pending->code != MPI_SUCCESS;
}

int WaitCall::outcome(int code) {
  if (code != MPI_SUCCESS) return code;
  for (const Ours& ours : ours_) {
    if (has_failed(ours)) return tell(*ours.pending, {});
  }
  return code;
}

int WaitCall::outcome(int code, MPI_Status* statuses, int completed, const int* indices) {
  const bool none_failed = std::ranges::none_of(ours_, [this](const Ours& ours) { return has_failed(ours); });
  if (none_failed || (code != MPI_SUCCESS && code != MPI_ERR_IN_STATUS)) return code;
  if (statuses == MPI_STATUSES_IGNORE) completed = 0;
  for (int i = 0; i < completed && code == MPI_SUCCESS; ++i) statuses[i].MPI_ERROR = MPI_SUCCESS;
  for (const Ours& ours : ours_) {
    if (!has_failed(ours)) continue;
    ErrorHandler::Result result{ErrorHandler::Result::Kind::nobody};
    for (int i = 0; i < completed; ++i) {
      if (ours.index != (indices ? indices[i] : i)) continue;
      statuses[i].MPI_ERROR = ours.pending->code;
      result = {ErrorHandler::Result::Kind::place, &statuses[i].MPI_ERROR};
    }
    tell(*ours.pending, result);
  }
  return MPI_ERR_IN_STATUS;
}

}  // namespace concilio::mpiio
