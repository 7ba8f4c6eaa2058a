// Mapped files: every rank copies its pieces directly between the user's memory and pages of the file,
// without buffers and without other ranks.
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "base/checked.h"
#include "base/log.h"
#include "exec/alone/methods.h"
#include "exec/call/plain_write.h"
#include "plan/choose/methods/mapped.h"

namespace concilio::exec {
namespace {

bool goes_by_piece(const Request& request) {
  const int64_t pieces = request.file->pieces(request.position, request.position + request.bytes);
  return plan::maps_by_piece(static_cast<double>(request.bytes), static_cast<double>(pieces),
                             static_cast<double>(request.bounds().length()));
}

// The end of the stretch of the file that is mapped from data position `begin` on: behind `begin`, and at
// most `end`.
int64_t stretch_end(const pattern::Access& file, bool by_piece, int64_t begin, int64_t end) {
  if (by_piece)
    return begin + pattern::Cursor(file, begin).next(std::min(end - begin, plan::map_window_bytes)).length;
  const int64_t first = file.offset_of(begin);
  const int64_t window = align_down(first, plan::map_window_bytes);
  return std::min(end, file.data_before(saturating_add(window, plan::map_window_bytes)));
}

// Copies the request's data.
Status copy_pages(const RunningCall& call, const Request& request) {
  if (request.bytes == 0) return {};
  const bool writes = request.operation == Operation::write, by_piece = goes_by_piece(request);
  const int64_t last = request.position + request.bytes;
  for (int64_t begin = request.position; begin < last;) {
    const int64_t end = stretch_end(*request.file, by_piece, begin, last);
    const pattern::Interval range = request.file->bounds(begin, end);
    auto mapping = call.opened.storage.map(range.begin, range.length(), writes);
    if (!mapping) return mapping.error();
    Stopwatch time(call.opened.counters, Counter::copy_ns);
    const pattern::Side file{request.file, begin, mapping->data(), range.begin};
    const int64_t at = begin - request.position;
    Status copied =
        writes ? request.copy_to(file, at, end - begin) : request.copy_from(file, at, end - begin);
    if (!copied) return copied;
    begin = end;
  }
  return {};
}

Status write_pages(const RunningCall& call, const Request& request) {
  const pattern::Interval range = request.bounds();
  PlainWrite guard(call, range);
  if (auto status = guard.begin(); !status) return status;
  // Makes the file long enough for this rank's last byte, and no longer: the file may end there.
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

// Errors after which requests to storage are tried: they may succeed, or report more precisely. If there is
// no space for the holes between the pieces, there may still be space for the pieces.
bool leaves_it_to_requests(ErrorKind kind) {
  return kind == ErrorKind::unsupported || kind == ErrorKind::no_space || kind == ErrorKind::quota;
}

}  // namespace

// The file access must be monotone. If the file cannot be mapped, this rank's request is carried out by
// run_list. No signal is raised if the file is cut short or if storage fails: pages are made present before
// they are touched, so that this is an error. A signal is possible only if somebody cuts the file between
// that and the copy of the same few MiB, which MPI-IO allows nobody to do.
Outcome run_mapped(const RunningCall& call, const Request& request, const plan::Plan& plan) {
  Request within = request;  // the part of the request that lies in the file
  const bool writes = request.operation == Operation::write;
  const Status status = writes ? write_pages(call, within) : read_pages(call, within);
  if (status) return within.bytes;
  if (!leaves_it_to_requests(status.error().kind)) return status.error();
  // Logged once for each file: which pages cannot be had differs from call to call.
  const std::string what = fmt::format("cannot map pages of {}; continuing with read and write requests",
                                       call.opened.storage.path());
  log_once(LogLevel::info, Error::from_errno(status.error().system_errno, what).message);
  return run_list(call, request, plan);
}

}  // namespace concilio::exec
