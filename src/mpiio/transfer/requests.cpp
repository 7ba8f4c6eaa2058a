#include "mpiio/transfer/requests.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <new>
#include <utility>

#include "mpi/epoch.h"

namespace concilio::mpiio {
namespace {

using Ref = std::shared_ptr<Started>;

// The requests that MPI has and has not forgotten. They are linked to each other, so that a request that MPI
// has made can always be entered.
class Requests {
 public:
  // Takes no memory of its own either.
  static Requests& instance() {
    alignas(Requests) static std::byte room[sizeof(Requests)];
    static auto* all = new (room) Requests;
    return *all;
  }

  void enter(Ref started) {
    std::lock_guard lock(mutex_);
    Started*& first = *place_of(started->request().handle);
    started->request().next = std::exchange(first, started.get());
    started->request().held = std::move(started);
    ++count_;
  }
  Ref find(MPI_Request handle) {
    std::lock_guard lock(mutex_);
    Started** place = place_of(handle);
    while (*place && (*place)->request().handle != handle) place = &(*place)->request().next;
    return *place ? (*place)->request().held : nullptr;
  }
  void erase(Started& started) {
    Ref last;  // ends its life after the lock
    std::lock_guard lock(mutex_);
    Started** place = place_of(started.request().handle);
    while (*place && *place != &started) place = &(*place)->request().next;
    if (*place) *place = started.request().next;
    last = std::move(started.request().held);
    --count_;
  }
  int64_t count() const { return count_.load(std::memory_order_relaxed); }

 private:
  static constexpr int places_log2 = 8;
  using Table = std::array<Started*, size_t{1} << places_log2>;

  // The upper bits of a product with 2^64 divided by the golden ratio, which depend on all bits.
  Started** place_of(MPI_Request handle) {
    const uint64_t number = std::hash<MPI_Request>()(handle);
    return &(*table_)[number * 0x9E3779B97F4A7C15u >> (64 - places_log2)];
  }

  std::mutex mutex_;
  mpi::OfEpoch<Table> table_;
  std::atomic<int64_t> count_{0};
};

int query(void* extra, MPI_Status* status) {
  const exec::Outcome& outcome = static_cast<Started*>(extra)->outcome();
  set_status(status, outcome ? *outcome : 0);
  status->MPI_SOURCE = MPI_UNDEFINED;
  status->MPI_TAG = MPI_UNDEFINED;
  return MPI_SUCCESS;
}

// MPI calls this when the program has been told, or has freed the request.
int forget(void* extra) {
  Requests::instance().erase(*static_cast<Started*>(extra));
  return MPI_SUCCESS;
}

// An operation that has begun is always completed; it cannot be cancelled.
int cancel(void*, int) {
  return MPI_SUCCESS;
}

}  // namespace

bool make_request(const std::shared_ptr<Started>& started, MPI_Request* request) {
  if (PMPI_Grequest_start(query, forget, cancel, started.get(), request) != MPI_SUCCESS) return false;
  started->request().handle = *request;
  Requests::instance().enter(started);
  return true;
}

bool has_requests() {
  return Requests::instance().count() > 0 && !on_pool_thread();
}

WaitCall::WaitCall(int count, const MPI_Request* requests) : requests_(requests) {
  if (requests && count > 0) ours_.reserve(static_cast<size_t>(count));
  for (int i = 0; requests && i < count; ++i) {
    if (requests[i] == MPI_REQUEST_NULL) continue;
    if (Ref started = Requests::instance().find(requests[i])) {
      const int64_t number = started->team_between_nodes();
      ours_.push_back({i, number, std::move(started)});
    } else {
      ++others_;
    }
  }
  // Ranks may have named their requests in different orders.
  if (ours_.size() > 1) std::ranges::stable_sort(ours_, {}, &Ours::team_between_nodes);
  for (const Ours& ours : ours_) {
    if (ours.started->record_number() == 0 || timing_) continue;
    timing_.emplace(CallRecord::of_process());
  }
}

// An operation between nodes is not left before it is over. If the ranks of one node could enter that of one
// file, and those of another node that of another, each would wait for ever. So who has come to the operation
// of one file goes on to that of another only as long as a rank of the node is missing. The last one to come
// finds that all have come, and does not come to the other.
bool WaitCall::attempt() {
  bool left = false, must_stay = false;
  for (const Ours& ours : ours_) {
    const bool between_nodes = ours.team_between_nodes != 0;
    if ((between_nodes && must_stay) || !ours.started->advance()) continue;
    left = true;
    must_stay = must_stay || (between_nodes && ours.started->is_ready_on_node());
  }
  return left;
}

void WaitCall::sleep() {
  // While this thread works, MPI makes no progress with its own requests.
  const bool alone = others_ == 0;
  for (const Ours& ours : ours_) ours.started->finish(alone);
  for (const Ours& ours : ours_) alone ? ours.started->wait() : ours.started->wait_beside_messages();
}

// Whether MPI has completed the request, and its operation failed.
bool WaitCall::has_failed(const Ours& ours) const {
  return requests_[ours.index] == MPI_REQUEST_NULL && ours.started->has_failed();
}

// The time between the calls is told once, if several have completed.
void WaitCall::record_completed() const {
  CallRecord* const record = timing_ ? CallRecord::of_process() : nullptr;
  if (!record) return;
  const CallRecord::Timing* timing = &*timing_;
  const CallRecord::Timing none(nullptr);
  for (const Ours& ours : ours_) {
    if (ours.started->record_number() == 0 || requests_[ours.index] != MPI_REQUEST_NULL) continue;
    record->waited(ours.started->record_number(), *timing);
    timing = &none;
  }
}

int WaitCall::outcome(int code) {
  record_completed();
  if (code != MPI_SUCCESS) return code;
  for (const Ours& ours : ours_) {
    if (has_failed(ours)) return ours.started->tell({});
  }
  return code;
}

int WaitCall::outcome(int code, MPI_Status* statuses, int completed, const int* indices) {
  record_completed();
  const bool none_failed = std::ranges::none_of(ours_, [this](const Ours& ours) { return has_failed(ours); });
  if (none_failed || (code != MPI_SUCCESS && code != MPI_ERR_IN_STATUS)) return code;
  if (statuses == MPI_STATUSES_IGNORE) completed = 0;
  for (int i = 0; i < completed && code == MPI_SUCCESS; ++i) statuses[i].MPI_ERROR = MPI_SUCCESS;
  for (const Ours& ours : ours_) {
    if (!has_failed(ours)) continue;
    ErrorHandler::Result result{ErrorHandler::Result::Kind::nobody};
    for (int i = 0; i < completed; ++i) {
      if (ours.index != (indices ? indices[i] : i)) continue;
      statuses[i].MPI_ERROR = ours.started->code();
      result = {ErrorHandler::Result::Kind::place, &statuses[i].MPI_ERROR};
    }
    ours.started->tell(result);
  }
  return MPI_ERR_IN_STATUS;
}

}  // namespace concilio::mpiio
