#include "exec/independent.h"

#include <algorithm>
#include <array>
#include <cstring>

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
bool goes_at_once(const Engine& engine, Operation operation, int64_t requests) {
  if (engine.flush == Flush::list) return false;
  return engine.flush == Flush::batch || pays_at_once(operation, requests, engine.prices());
}

// Moves one batch; for reads the bytes before end of file.
Outcome move_batch(Engine& engine, Operation operation, std::span<const Transfer> batch) {
  int64_t first = INT64_MAX, end = 0, bytes = 0, requests = 0;
  for (const Transfer& transfer : batch) {
    if (transfer.offset != end || requests == 0) ++requests;
    first = std::min(first, transfer.offset);
    end = transfer.offset + transfer.length;
    bytes += transfer.length;
  }
  const bool at_once = requests > 1 && goes_at_once(engine, operation, requests);
  if (operation == Operation::read) return engine.storage.read(batch, at_once);
  RangeLock guard(engine.storage, first, end - first);
  if (engine.guard_writes && !engine.range_locked) {
    if (auto status = guard.acquire(LockMode::shared, engine.guards_file()); !status) return status.error();
  }
  if (auto status = engine.storage.write(batch, at_once); !status) return status.error();
  return bytes;
}

// One window of a sieving write: the data [from, to), all within `window`, by way of `buffer`.
Status sieve_write(Engine& engine, const Request& request, Interval window, Interval data,
                   std::byte* buffer) {
  bool whole = data.length() == window.length();  // a monotone access touches no byte twice
  RangeLock guard(engine.storage, window.begin, window.length());
  if (engine.locks_work && !engine.range_locked && (engine.guard_writes || !whole)) {
    if (auto status = guard.acquire(whole ? LockMode::shared : LockMode::exclusive); !status) return status;
  }
  if (!whole) {
    auto got = engine.storage.read(std::array{Transfer{window.begin, buffer, window.length()}});
    if (!got) return got.error();
    std::memset(buffer + *got, 0, static_cast<size_t>(window.length() - *got));
  }
  {
    Stopwatch time(engine.counters, Counter::copy_ns);
    copy(request.memory_side(data.begin - request.position),
         Side{request.file, data.begin, buffer, window.begin}, data.length());
  }
  return engine.storage.write(std::array{Transfer{window.begin, buffer, window.length()}});
}

// Packing pays for a contiguous stretch of file made of small pieces of memory. It reads and locks nothing,
// as there are no holes.
bool should_pack(const Request& request) {
  int64_t memory_pieces = std::max<int64_t>(1, request.memory->pieces(0, request.bytes));
  return request.bounds().length() == request.bytes && memory_pieces > 1 &&
         request.bytes / memory_pieces < pack_below_bytes &&
         request.file->monotone_within(request.position + request.bytes);
}

// `bytes` of the access from `position` on, which is at least one.
bool is_one_piece(const Access& access, int64_t position, int64_t bytes) {
  return access.is_contiguous() || (access.monotone_within(position + bytes) &&
                                    access.bounds(position, position + bytes).length() == bytes);
}

Outcome run_one_stretch(Engine& engine, const Request& request) {
  const Transfer whole{request.file->offset_of(request.position),
                       request.buffer + request.memory->offset_of(0), request.bytes};
  return move_batch(engine, request.operation, {&whole, 1});
}

Outcome run_unlocked(Engine& engine, const Request& request, const Plan& plan) {
  if (plan.method == Method::independent && is_one_stretch(request)) return run_one_stretch(engine, request);
  if (plan.method == Method::mapped) return run_mapped(engine, request);
  if (plan.method == Method::sieve) return run_sieve(engine, request, plan.sieve_buffer_bytes);
  if (plan.method == Method::independent && should_pack(request)) {
    return run_sieve(engine, request, std::min(pack_buffer_bytes, engine.budget.limit_bytes() / 2));
  }
  return run_list(engine, request);
}

}  // namespace

bool is_one_stretch(const Request& request) {
  return request.bytes > 0 && is_one_piece(*request.file, request.position, request.bytes) &&
         is_one_piece(*request.memory, 0, request.bytes);
}

const Plan& plan_of_one_stretch() {
  static const Plan plan = [] {
    Plan made;
    made.method = Method::independent;
    made.reason = "independent: one stretch of the file and of memory, which needs no help";
    return made;
  }();
  return plan;
}

Outcome run_list(Engine& engine, const Request& request) {
  Pieces memory(*request.memory, 0), file(*request.file, request.position);
  std::array<Transfer, transfers_per_batch> batch;
  int64_t moved = 0, left = request.bytes;
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
    auto done = move_batch(engine, request.operation, {batch.data(), count});
    if (!done) return done;
    moved += *done;
    // Behind the end of file nothing more is to be had, as offsets do not decrease; else later pieces may lie
    // before it.
    if (*done < batch_bytes && request.file->monotone_within(request.position + request.bytes)) break;
  }
  return moved;
}

Outcome run_sieve(Engine& engine, const Request& request, int64_t buffer_bytes) {
  Interval range = request.bounds();
  buffer_bytes = std::clamp<int64_t>(buffer_bytes, 1, std::max<int64_t>(1, range.length()));
  auto buffer = Buffer::allocate(engine.budget, buffer_bytes);
  if (!buffer) return buffer.error();
  const int64_t end = request.position + request.bytes;
  int64_t moved = 0;
  for (int64_t position = request.position; position < end;) {
    int64_t begin = request.file->offset_of(position);
    int64_t next = std::min(end, request.file->data_before(begin + buffer_bytes));
    Interval data{position, next};
    Interval window{begin, request.file->bounds(position, next).end};
    if (request.operation == Operation::write) {
      auto status = sieve_write(engine, request, window, data, buffer->data());
      if (!status) return status.error();
    } else {
      auto got = engine.storage.read(std::array{Transfer{begin, buffer->data(), window.length()}});
      if (!got) return got.error();
      bool ended = *got < window.length();
      if (ended) data.end = std::min(next, request.file->data_before(begin + *got));
      Stopwatch time(engine.counters, Counter::copy_ns);
      copy(Side{request.file, position, buffer->data(), begin},
           request.memory_side(position - request.position), data.length());
      if (ended) return moved + data.length();
    }
    moved += data.length();
    position = next;
  }
  return moved;
}

Outcome run_alone(Engine& engine, const Request& request, const Plan& plan) {
  if (request.bytes == 0) return 0;
  Interval range = request.bounds();
  RangeLock whole_range(engine.storage, range.begin, range.length());
  if (engine.atomic && (engine.team.size() > 1 || engine.concurrent)) {
    auto mode = request.operation == Operation::read ? LockMode::shared : LockMode::exclusive;
    if (auto status = whole_range.acquire(mode); !status) return status.error();
    engine.range_locked = true;
  }
  auto outcome = run_unlocked(engine, request, plan);
  engine.range_locked = false;
  return outcome;
}

}  // namespace concilio
