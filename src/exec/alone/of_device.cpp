#include "exec/alone/of_device.h"

#include <algorithm>

#include "base/checked.h"
#include "base/gpu/cufile.h"
#include "base/permanent.h"
#include "exec/alone/pieces.h"
#include "exec/call/plain_write.h"

namespace concilio::exec {
namespace {

using Run = FunctionRef<Outcome(const Request&)>;

Outcome through_host(const Request& request, int64_t from, Run run) {
  static const Permanent<pattern::Access> packed(pattern::Access::contiguous(0));
  const auto run_part = [&](pattern::Interval data, std::byte* memory) {
    Request part = request;
    part.device = nullptr;
    part.memory = &*packed;
    part.buffer = memory;
    part.position = request.position + from + data.begin;
    part.bytes = data.length();
    return run(part);
  };
  const pattern::Side device = request.memory_side(from);
  const int64_t bytes = request.bytes - from;
  if (request.operation == Operation::write)
    return request.device->in_parts(Towards::host, device, bytes, run_part);
  // If offsets decrease, bytes behind the end of the file lie between others.
  if (!request.file->monotone_within(request.position + request.bytes))
    return request.device->in_parts_with_gaps(device, bytes, run_part);
  return request.device->in_parts(Towards::device, device, bytes, run_part);
}

// Whether some of the request's data may go directly. Where offsets decrease, what lies behind the end of the
// file is between others.
bool may_go_directly(const RunningCall& call, const Request& request, int64_t from) {
  const int64_t least = call.opened.direct_bytes;
  return least > 0 && request.bytes - from >= least &&
         request.file->monotone_within(request.position + request.bytes) &&
         call.opened.storage.reaches(request.device->stream());
}

// The data that may go directly of a stretch that begins at data position `at`: whole blocks of the file that
// lie so in memory, too. Nothing if they are too few.
pattern::Interval direct_part(const store::Transfer& stretch, int64_t at, int64_t least) {
  const int64_t begin = align_up(stretch.offset, CuFile::unit) - stretch.offset;
  const int64_t end = align_down(stretch.offset + stretch.length, CuFile::unit) - stretch.offset;
  const bool aligned = reinterpret_cast<uintptr_t>(stretch.data + begin) % CuFile::unit == 0;
  if (!aligned || end - begin < std::max(least, CuFile::unit)) return {at, at};
  return {at + begin, at + end};
}

Outcome move_directly(const RunningCall& call, const Request& request, const store::Transfer& stretch) {
  const auto move = [&] {
    return call.opened.storage.move_directly(request.operation, request.device->stream(), stretch);
  };
  if (request.operation == Operation::read) return move();
  PlainWrite guard(call, {stretch.offset, stretch.offset + stretch.length});
  if (auto status = guard.begin(); !status) return status.error();
  Outcome moved = move();
  const Status ended = guard.end(moved ? Status() : Status(moved.error()));
  return ended ? moved : Outcome(ended.error());
}

// Moves a request's data in ascending order.
class Mover {
 public:
  Mover(const RunningCall& call, const Request& request, int64_t from, Run run)
      : call_(call), request_(request), from_(from), done_(from), run_(run) {}

  Outcome run() {
    if (auto status = request_.device->finish(); !status) return status.error();
    Pieces memory(*request_.memory, from_), file(*request_.file, request_.position + from_);
    for (int64_t at = from_; at < request_.bytes;) {
      const pattern::Interval place = file.peek(request_.bytes - at), source = memory.peek(place.length());
      const int64_t length = std::min(place.length(), source.length());
      const store::Transfer stretch{place.begin, request_.buffer + source.begin, length};
      const pattern::Interval direct = direct_part(stretch, at, call_.opened.direct_bytes);
      if (!direct.empty()) {
        if (auto moved = through_host_up_to(direct.begin); !moved || done_ < direct.begin) return moved;
        const int64_t skipped = direct.begin - at;
        auto moved = move_directly(call_, request_,
                                   {stretch.offset + skipped, stretch.data + skipped, direct.length()});
        if (!moved) return moved;
        done_ += *moved;
      }
      file.take(length);
      memory.take(length);
      at += length;
    }
    return through_host_up_to(request_.bytes);
  }

 private:
  // Moves what is left before data position `end`. Returns how much was moved from the beginning on; that is
  // less if the file ended.
  Outcome through_host_up_to(int64_t end) {
    if (done_ < end) {
      Request part = request_;
      part.bytes = end;
      auto moved = through_host(part, done_, run_);
      if (!moved) return moved;
      done_ += *moved;
    }
    return done_ - from_;
  }

  const RunningCall& call_;
  const Request& request_;
  const int64_t from_;
  int64_t done_;  // all data before this have been moved
  Run run_;
};

}  // namespace

Outcome run_of_device(const RunningCall& call, const Request& request, int64_t from, Run run) {
  if (!may_go_directly(call, request, from)) return through_host(request, from, run);
  return Mover(call, request, from, run).run();
}

}  // namespace concilio::exec
