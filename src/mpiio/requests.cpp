#include "mpiio/requests.h"

#include <atomic>
#include <condition_variable>
#include <map>

#include "mpiio/raise.h"
#include "mpiio/transfer.h"

namespace concilio::mpiio {

// One operation between its start and MPI's telling the program. `function`, `file` and `handler` are for an
// error, which the program may ask for after it has closed the file.
struct PendingRequest {
  MPI_Request request = MPI_REQUEST_NULL;
  File* file = nullptr;
  MPI_File handle = MPI_FILE_NULL;
  const char* function = "";
  ErrorHandler handler;

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
  std::map<MPI_Request, Ref> pending;
  std::atomic<int64_t> count{0};
};
Requests& requests() {
  static auto* all = new Requests;
  return *all;
}

Ref find_pending(MPI_Request request) {
  Requests& all = requests();
  std::lock_guard lock(all.mutex);
  auto found = all.pending.find(request);
  return found == all.pending.end() ? nullptr : found->second;
}

// The failed requests that the call of this thread has completed.
thread_local std::vector<Ref> failures;
thread_local bool in_wait_call = false;

int query(void* extra, MPI_Status* status) {
  const Ref& pending = *static_cast<Ref*>(extra);
  set_status(status, pending->bytes);
  status->MPI_SOURCE = MPI_UNDEFINED;
  status->MPI_TAG = MPI_UNDEFINED;
  return MPI_SUCCESS;
}

// The program has been told, or does not want to know.
int forget(void* extra) {
  auto* pending = static_cast<Ref*>(extra);
  if (in_wait_call && (*pending)->code != MPI_SUCCESS) failures.push_back(*pending);
  Requests& all = requests();
  {
    std::lock_guard lock(all.mutex);
    all.pending.erase((*pending)->request);
  }
  --all.count;
  delete pending;
  return MPI_SUCCESS;
}

// What has begun is completed: it cannot be cancelled any more.
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
  auto* held = new Ref(pending);
  if (int code = PMPI_Grequest_start(query, forget, cancel, held, request); code != MPI_SUCCESS) {
    delete held;
    return code;
  }
  pending->request = *request;
  Requests& all = requests();
  {
    std::lock_guard lock(all.mutex);
    all.pending[*request] = pending;
  }
  ++all.count;
  made->pending_ = std::move(pending);
  return MPI_SUCCESS;
}

void NonblockingRequest::complete(const Outcome& outcome) {
  {
    std::lock_guard lock(pending_->mutex);
    if (outcome) {
      pending_->bytes = *outcome;
    } else {
      Error full = explain(*pending_->file, pending_->function, outcome.error());
      pending_->code = code_of(full);
      pending_->message = full.message;
    }
    pending_->done = true;
    pending_->came.notify_all();
  }
  PMPI_Grequest_complete(pending_->request);
}

bool has_requests() {
  return requests().count.load(std::memory_order_relaxed) > 0;
}

WaitCall::WaitCall(int count, const MPI_Request* requests)
    : before_(requests, requests + (requests && count > 0 ? count : 0)) {
  failures.clear();
  in_wait_call = true;
}

WaitCall::~WaitCall() {
  failures.clear();
  in_wait_call = false;
}

void WaitCall::sleep() {
  std::vector<Ref> ours;
  for (MPI_Request request : before_) {
    if (request == MPI_REQUEST_NULL) continue;
    ours.push_back(find_pending(request));
    if (!ours.back()) return;
  }
  for (const Ref& pending : ours) {
    std::unique_lock lock(pending->mutex);
    auto patience = std::chrono::milliseconds(1);
    while (!pending->came.wait_for(lock, patience, [&] { return pending->done; })) {
      // Other ranks may need this one's messages to go on.
      lock.unlock();
      int flag = 0;
      PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
      lock.lock();
      patience = std::min(patience * 2, std::chrono::milliseconds(8));
    }
  }
}

int WaitCall::outcome(int code) {
  if (code != MPI_SUCCESS || failures.empty()) return code;
  const Ref failed = failures.front();  // a user's handler may wait for other requests
  return failed->handler.call(failed->handle, failed->code, failed->message);
}

int WaitCall::outcome(int code, MPI_Status* statuses, int completed, const int* indices) {
  if (failures.empty() || (code != MPI_SUCCESS && code != MPI_ERR_IN_STATUS)) return code;
  if (statuses != MPI_STATUSES_IGNORE) {
    for (int i = 0; i < completed; ++i) {
      if (code == MPI_SUCCESS) statuses[i].MPI_ERROR = MPI_SUCCESS;
      MPI_Request request = before_[static_cast<size_t>(indices ? indices[i] : i)];
      for (const Ref& failed : failures) {
        if (request == failed->request) statuses[i].MPI_ERROR = failed->code;
      }
    }
  }
  for (const Ref& failed : std::vector(failures)) {
    failed->handler.call(failed->handle, failed->code, failed->message);
  }
  return MPI_ERR_IN_STATUS;
}

}  // namespace concilio::mpiio
