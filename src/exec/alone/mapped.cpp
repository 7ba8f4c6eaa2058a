// Mapped files: every rank for itself copies its pieces straight between the user's memory and the pages of
// the file, without buffers and without other ranks.
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "base/log.h"
#include "exec/alone/methods.h"
#include "exec/locks/plain_write.h"
#include "plan/choose/methods/mapped.h"

namespace concilio {
namespace {

bool goes_by_piece(const Request& request) {
  const int64_t pieces = request.file->pieces(request.position, request.position + request.bytes);
  return maps_by_piece(static_cast<double>(request.bytes), static_cast<double>(pieces),
                       static_cast<double>(request.bounds().length()));
}

// Where the stretch of file ends that is mapped from data position `begin` on; behind it, and at most `end`.
int64_t stretch_end(const Access& file, bool by_piece, int64_t begin, int64_t end) {
  if (by_piece) return begin + Cursor(file, begin).next(std::min(end - begin, map_window_bytes)).length;
  const int64_t first = file.offset_of(begin);
  return std::min(end, file.data_before(first - first % map_window_bytes + map_window_bytes));
}

// Copies what data there is of the request's.
Status copy_pages(const RunningCall& call, const Request& request) {
  if (request.bytes == 0) return {};
  const bool writes = request.operation == Operation::write, by_piece = goes_by_piece(request);
  const int64_t last = request.position + request.bytes;
  for (int64_t begin = request.position; begin < last;) {
    const int64_t end = stretch_end(*request.file, by_piece, begin, last);
    const Interval range = request.file->bounds(begin, end);
    auto mapping = call.opened.storage.map(range.begin, range.length(), writes);
    if (!mapping) return mapping.error();
    Stopwatch time(call.opened.counters, Counter::copy_ns);
    const Side file{request.file, begin, mapping->data(), range.begin};
    const Side memory = request.memory_side(begin - request.position);
    copy(writes ? memory : file, writes ? file : memory, end - begin);
    begin = end;
  }
  return {};
}

Status write_pages(const RunningCall& call, const Request& request) {
  const Interval range = request.bounds();
  PlainWrite guard(call, range);
  if (auto status = guard.begin(); !status) return status;
  // Up to this rank's own last byte, and no further: the file may end there.
  if (auto status = call.opened.storage.make_space(range.begin, range.length()); !status) return status;
  return guard.end(copy_pages(call, request));
}

Status read_pages(const RunningCall& call, Request& request) {
  auto size = call.opened.storage.size();
  if (!size) return size.error();
  const int64_t there = request.file->data_before(*size) - request.position;
  request.bytes = std::clamp<int64_t>(there, 0, request.bytes);
  return copy_pages(call, request);
}

// What requests may still do, or tell more of. That there is no space for the holes between the pieces does
// not say that there is none for the pieces.
bool leaves_it_to_requests(ErrorKind kind) {
  return kind == ErrorKind::unsupported || kind == ErrorKind::no_space || kind == ErrorKind::quota;
}

}  // namespace

// The file access must be monotone. Where the file cannot be mapped, this rank's request goes the way of
// run_list. Never signals: pages are made present before they are touched, so that a file that is cut short
// or storage that fails is an error; only a file that somebody cuts between that and the copy of the same few
// MiB would still be one, which MPI-IO allows nobody to do.
Outcome run_mapped(const RunningCall& call, const Request& request, const Plan& plan) {
  Request within = request;  // the file
  const bool writes = request.operation == Operation::write;
  const Status status = writes ? write_pages(call, within) : read_pages(call, within);
  if (status) return within.bytes;
  if (!leaves_it_to_requests(status.error().kind)) return status.error();
  // Once a file: what cannot be had differs from call to call.
  const std::string what =
      fmt::format("mapped pages of {} cannot be had, going on with requests", call.opened.storage.path());
  log_once(LogLevel::info, Error::from_errno(status.error().system_errno, what).message);
  return run_list(call, request, plan);
}

}  // namespace concilio
