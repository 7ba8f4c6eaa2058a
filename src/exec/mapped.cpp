#include "exec/mapped.h"

#include <algorithm>

#include "base/log.h"
#include "exec/independent.h"

namespace concilio {
namespace {

// Hands out a request's bytes in stretches of file worth a mapping each.
class Stretches {
 public:
  explicit Stretches(const Request& request)
      : request_(request), position_(request.position), end_(request.position + request.bytes) {
    const int64_t pieces = request.file->pieces(position_, end_);
    by_piece_ = maps_by_piece(static_cast<double>(request.bytes), static_cast<double>(pieces),
                              static_cast<double>(request.bounds().length()));
  }

  // The data positions of the next one, at least one of them; none at the end.
  Interval next() {
    if (position_ == end_) return {end_, end_};
    const Access& file = *request_.file;
    const int64_t begin = position_;
    if (by_piece_) {
      Cursor cursor(file, begin);
      position_ += cursor.next(std::min(end_ - begin, map_window_bytes)).length;
    } else {
      // Windows lie alike for all ranks, so that they share the pages' tables.
      const int64_t first = file.offset_of(begin);
      position_ = std::min(end_, file.data_before(first - first % map_window_bytes + map_window_bytes));
    }
    return {begin, position_};
  }

 private:
  const Request& request_;
  int64_t position_, end_;
  bool by_piece_ = false;
};

// Copies what data positions [0, end) of the request's there are.
Status copy_pages(Engine& engine, const Request& request) {
  const bool writes = request.operation == Operation::write;
  Stretches stretches(request);
  for (Interval data = stretches.next(); !data.empty(); data = stretches.next()) {
    const Interval range = request.file->bounds(data.begin, data.end);
    auto mapping = engine.storage.map(range.begin, range.length(), writes);
    if (!mapping) return mapping.error();
    Stopwatch time(engine.counters, Counter::copy_ns);
    const Side file{request.file, data.begin, mapping->data(), range.begin};
    const Side memory = request.memory_side(data.begin - request.position);
    copy(writes ? memory : file, writes ? file : memory, data.length());
  }
  return {};
}

Status write_pages(Engine& engine, const Request& request) {
  const Interval range = request.bounds();
  RangeLock guard(engine.storage, range.begin, range.length());
  if (engine.guard_writes && !engine.range_locked) {
    if (auto status = guard.acquire(LockMode::shared, engine.guards_file()); !status) return status;
  }
  // Up to this rank's own last byte, and no further: the file may end there.
  if (auto status = engine.storage.make_space(range.begin, range.length()); !status) return status;
  return copy_pages(engine, request);
}

Status read_pages(Engine& engine, Request& request) {
  auto size = engine.storage.size();
  if (!size) return size.error();
  const int64_t there = request.file->data_before(*size) - request.position;
  request.bytes = std::clamp<int64_t>(there, 0, request.bytes);
  return copy_pages(engine, request);
}

// What requests may still do, or tell more of. That there is no space for the holes between the pieces does
// not say that there is none for the pieces.
bool leaves_it_to_requests(ErrorKind kind) {
  return kind == ErrorKind::unsupported || kind == ErrorKind::no_space || kind == ErrorKind::quota;
}

}  // namespace

Outcome run_mapped(Engine& engine, const Request& request) {
  Request within = request;  // the file
  const bool writes = request.operation == Operation::write;
  const Status status = writes ? write_pages(engine, within) : read_pages(engine, within);
  if (status) return within.bytes;
  if (!leaves_it_to_requests(status.error().kind)) return status.error();
  log_once(LogLevel::info, status.error().message + "; going on with requests in place of mapped pages");
  return run_list(engine, request);
}

}  // namespace concilio
