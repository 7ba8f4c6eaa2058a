#include "exec/independent.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#include "base/checked.h"
#include "exec/locks/plain_write.h"
#include "exec/mapped.h"

namespace concilio {
namespace {

constexpr size_t transfers_per_batch = 256;
// Below this mean length of the pieces in memory, a contiguous stretch of file is packed rather than sent as
// a vector.
constexpr int64_t pack_below_bytes = 512;
constexpr int64_t pack_buffer_bytes = 256 << 10;

// Hands out an access's contiguous pieces, of any length asked for.
class Pieces {
 public:
  Pieces(const Access& access, int64_t position) : cursor_(access, position) {}

  // Offset of the next byte, and how many bytes follow it contiguously (at most max_bytes).
  Interval peek(int64_t max_bytes) {
    if (used_ == length_) {
      if (index_ == chunk_.count) {
        chunk_ = cursor_.next(max_bytes);
        index_ = 0;
      }
      offset_ = chunk_.offset(index_++);
      length_ = chunk_.length;
      used_ = 0;
    }
    return {offset_ + used_, offset_ + std::min(length_, used_ + max_bytes)};
  }
  void take(int64_t bytes) { used_ += bytes; }

 private:
  Cursor cursor_;
  Chunk chunk_;
  int64_t index_ = 0, offset_ = 0, length_ = 0, used_ = 0;
};

// Whether a batch's requests are worth having under way at once.
bool goes_at_once(const RunningCall& call, Operation operation, int64_t requests) {
  if (call.opened.flush == Flush::list) return false;
  return call.opened.flush == Flush::batch || pays_at_once(operation, requests, call.opened.prices());
}

// Moves one batch; for reads the bytes before end of file.
Outcome move_batch(const RunningCall& call, Operation operation, std::span<const Transfer> batch) {
  int64_t end = 0, bytes = 0, requests = 0;
  for (const Transfer& transfer : batch) {
    if (transfer.offset != end || requests == 0) ++requests;
    end = transfer.offset + transfer.length;
    bytes += transfer.length;
  }
  const bool at_once = requests > 1 && goes_at_once(call, operation, requests);
  if (operation == Operation::read) return call.opened.storage.read(batch, at_once);
  if (auto status = write_plainly(call, batch, at_once); !status) return status.error();
  return bytes;
}

// One window of a sieving write: `data`, which covers [window.begin, window.end) or some of it, by way of
// `buffer`.
struct SieveWindow {
  Interval window, data;
  std::byte* buffer;

  bool whole() const { return data.length() == window.length(); }  // a monotone access touches no byte twice
  Transfer transfer() const { return {window.begin, buffer, window.length()}; }
  void fill(const RunningCall& call, const Request& request) const {
    Stopwatch time(call.opened.counters, Counter::copy_ns);
    copy(request.memory_side(data.begin - request.position),
         Side{request.file, data.begin, buffer, window.begin}, data.length());
  }
};

Status write_whole(const RunningCall& call, const Request& request, const SieveWindow& window) {
  window.fill(call, request);
  return write_plainly(call, std::array{window.transfer()});
}

Status rewrite(const RunningCall& call, const Request& request, const SieveWindow& window) {
  const int64_t length = window.window.length();
  RangeLock guard(call.opened.storage, window.window.begin, length);
  if (call.guard != WriteGuard::held) {
    if (auto status = guard.acquire(LockMode::exclusive); !status) return status;
  }
  auto got = call.opened.storage.read(std::array{window.transfer()});
  if (!got) return got.error();
  std::memset(window.buffer + *got, 0, static_cast<size_t>(length - *got));
  window.fill(call, request);
  return guard.release(call.opened.storage.write(std::array{window.transfer()}));
}

// Packing pays for a contiguous stretch of file made of small pieces of memory. It reads and locks nothing,
// as there are no holes.
bool should_pack(const Request& request) {
  int64_t memory_pieces = std::max<int64_t>(1, request.memory->pieces(0, request.bytes));
  return request.bounds().length() == request.bytes && memory_pieces > 1 &&
         request.bytes / memory_pieces < pack_below_bytes &&
         request.file->monotone_within(request.position + request.bytes);
}

// A client of network storage may write back whole pages of its cache, with what others have written into
// them meanwhile as it was before. Who locks them has them anew, and they are written back before the lock is
// free.
Interval pages_around(Interval range) {
  constexpr int64_t page_bytes = 64 << 10;  // the largest that clients have
  const int64_t end = std::min(range.end, INT64_MAX - page_bytes);
  return {align_down(range.begin, page_bytes), std::max(range.end, align_up(end, page_bytes))};
}

// `bytes` of the access from `position` on, which is at least one.
bool is_one_piece(const Access& access, int64_t position, int64_t bytes) {
  return access.is_contiguous() || (access.monotone_within(position + bytes) &&
                                    access.bounds(position, position + bytes).length() == bytes);
}

Outcome run_one_stretch(const RunningCall& call, const Request& request) {
  const Transfer whole{request.file->offset_of(request.position),
                       request.buffer + request.memory->offset_of(0), request.bytes};
  return move_batch(call, request.operation, {&whole, 1});
}

Outcome run_guarded(const RunningCall& call, const Request& request, const Plan& plan) {
  if (plan.method == Method::independent && is_one_stretch(request)) return run_one_stretch(call, request);
  if (plan.method == Method::mapped) return run_mapped(call, request);
  if (plan.method == Method::sieve) return run_sieve(call, request, plan.sieve_buffer_bytes);
  if (plan.method == Method::independent && should_pack(request)) {
    return run_sieve(call, request, std::min(pack_buffer_bytes, call.opened.budget.limit_bytes() / 2));
  }
  return run_list(call, request);
}

}  // namespace

bool is_one_stretch(const Request& request) {
  return request.bytes > 0 && is_one_piece(*request.file, request.position, request.bytes) &&
         is_one_piece(*request.memory, 0, request.bytes);
}

const Plan& plan_of_one_stretch() {
  static const Plan& plan = *[] {
    auto* made = new Plan;
    made->method = Method::independent;
    made->reason.grounds.merit = {"one stretch of the file and of memory, which needs no help"};
    return made;
  }();
  return plan;
}

namespace {

// The request's data from `from` on.
Outcome list_from(const RunningCall& call, const Request& request, int64_t from) {
  Pieces memory(*request.memory, from), file(*request.file, request.position + from);
  std::array<Transfer, transfers_per_batch> batch;
  int64_t moved = 0, left = request.bytes - from;
  while (left > 0) {
    size_t count = 0;
    int64_t batch_bytes = 0;
    int64_t reached = INT64_MIN;
    for (; count < batch.size() && left > 0; ++count) {
      Interval place = file.peek(left);
      if (place.begin < reached) break;  // a batch ascends; the end of file ends it
      Interval source = memory.peek(left);
      int64_t bytes = std::min(place.length(), source.length());
      batch[count] = {place.begin, request.buffer + source.begin, bytes};
      reached = place.begin + bytes;
      file.take(bytes);
      memory.take(bytes);
      batch_bytes += bytes;
      left -= bytes;
    }
    auto done = move_batch(call, request.operation, {batch.data(), count});
    if (!done) return done;
    moved += *done;
    // Behind the end of file nothing more is to be had, as offsets do not decrease; else later pieces may lie
    // before it.
    if (*done < batch_bytes && request.file->monotone_within(request.position + request.bytes)) break;
  }
  return moved;
}

}  // namespace

Outcome run_list(const RunningCall& call, const Request& request) {
  return list_from(call, request, 0);
}

Outcome run_sieve(const RunningCall& call, const Request& request, int64_t buffer_bytes) {
  Interval range = request.bounds();
  buffer_bytes = std::clamp<int64_t>(buffer_bytes, 1, std::max<int64_t>(1, range.length()));
  auto buffer = Buffer::allocate(call.opened.budget, buffer_bytes);
  if (!buffer) return buffer.error();
  const int64_t end = request.position + request.bytes;
  int64_t moved = 0;
  std::optional<RewritePermit> permit;  // had when it is first needed
  for (int64_t position = request.position; position < end;) {
    int64_t begin = request.file->offset_of(position);
    int64_t next = std::min(end, request.file->data_before(begin + buffer_bytes));
    Interval data{position, next};
    Interval window{begin, request.file->bounds(position, next).end};
    if (request.operation == Operation::write) {
      const SieveWindow part{window, data, buffer->data()};
      const bool whole = part.whole();
      // Other ranks lock what they write in atomic mode, and where every write does.
      if (!whole && !permit) permit.emplace(call.opened.rewriting, call.guard == WriteGuard::announced);
      if (!whole && !permit->granted()) {
        auto rest = list_from(call, request, moved);
        return rest ? Outcome(moved + *rest) : rest;
      }
      auto status = whole ? write_whole(call, request, part) : rewrite(call, request, part);
      if (!status) return status.error();
    } else {
      auto got = call.opened.storage.read(std::array{Transfer{begin, buffer->data(), window.length()}});
      if (!got) return got.error();
      bool ended = *got < window.length();
      if (ended) data.end = std::min(next, request.file->data_before(begin + *got));
      Stopwatch time(call.opened.counters, Counter::copy_ns);
      copy(Side{request.file, position, buffer->data(), begin},
           request.memory_side(position - request.position), data.length());
      if (ended) return moved + data.length();
    }
    moved += data.length();
    position = next;
  }
  return moved;
}

Outcome run_alone(const RunningCall& call, const Request& request, const Plan& plan) {
  if (request.bytes == 0) return 0;
  const bool reads = request.operation == Operation::read;
  const bool atomic = call.opened.atomic && (call.opened.team.size() > 1 || call.opened.concurrent);
  const bool by_page = !reads && call.opened.caches_differ() && call.opened.locks_work;
  const Interval range = by_page ? pages_around(request.bounds()) : request.bounds();
  RangeLock whole_range(call.opened.storage, range.begin, range.length());
  if (atomic || (by_page && !(range == request.bounds() && range.length() == request.bytes))) {
    if (auto status = whole_range.acquire(reads ? LockMode::shared : LockMode::exclusive); !status)
      return status.error();
    return whole_range.release(run_guarded(call.holding_lock(), request, plan));
  }
  return run_guarded(call, request, plan);
}

}  // namespace concilio
