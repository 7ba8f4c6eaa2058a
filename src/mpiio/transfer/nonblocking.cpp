// Calls that start a transfer and calls that end it, nonblocking and split collective ones.
#include <fmt/format.h>

#include "base/exceptions.h"
#include "mpiio/calls/raise.h"
#include "mpiio/file/call_record.h"
#include "mpiio/transfer/requests.h"
#include "mpiio/transfer/started.h"

namespace concilio::mpiio {
namespace {

// Handles a call that this rank cannot start: MPI makes no request for it, or there is no memory and the
// file's reserve is in use. If the call is collective, other ranks count on this one, so it takes part at
// once, and fails on all ranks.
int refuse(File& file, const Call& call, Transfer& transfer, const Error& why) {
  const CallRecord::Timing timing(file.record());
  transfer.give_back();
  transfer.fail(why);
  if (call.collective)
    (void)file.run_collective([&] { return transfer.run(); }, [&] { return transfer.is_apart(); });
  if (file.record())
    file.record()->moved(file, CallRecord::Kind::blocking, call, transfer.moved(true), timing);
  return raise(file, call.name, why);
}
int refuse(File& file, const Call& call, const Data& data, const Error& why) {
  Transfer here(file, call, data);
  return refuse(file, call, here, why);
}

// Records the call, where calls are recorded.
void note(File& file, CallRecord::Kind kind, Started& started, const CallRecord::Timing& timing) {
  if (!file.record()) return;
  const Transfer& transfer = started.transfer();
  started.set_record_number(file.record()->moved(file, kind, transfer.call(), transfer.moved(false), timing));
}

// Of a split collective call that begins before the last has ended, or ends what has not begun: ROMIO's
// class.
constexpr ErrorKind misplaced = ErrorKind::io;

const char* what(const File::Split& split) {
  bool reads = split.direction == Direction::read;
  switch (split.pointer) {
    case Pointer::explicit_offset:
      return reads ? "MPI_File_read_at_all_begin" : "MPI_File_write_at_all_begin";
    case Pointer::ordered:
      return reads ? "MPI_File_read_ordered_begin" : "MPI_File_write_ordered_begin";
    default:
      return reads ? "MPI_File_read_all_begin" : "MPI_File_write_all_begin";
  }
}

}  // namespace

int start(File& file, const Call& call, const Data& data, MPI_Request* request) {
  *request = MPI_REQUEST_NULL;
  if (Status allowed = check_mode(file, call); !allowed) return raise(file, call.name, allowed.error());
  const CallRecord::Timing timing(file.record());
  std::shared_ptr<Started> started;
  const Status ready = without_exceptions([&]() -> Status {
    started = Started::make(file, call, data);
    const Status& trouble = started->transfer().trouble();
    if (!call.collective && !trouble) return trouble;
    if (make_request(started, request)) return {};
    return Error{ErrorKind::other, 0, "MPI cannot create a request"};
  });
  if (!ready)
    return started ? refuse(file, call, started->transfer(), ready.error())
                   : refuse(file, call, data, ready.error());
  note(file, CallRecord::Kind::nonblocking, *started, timing);
  Started::go_on(std::move(started));
  return MPI_SUCCESS;
}

int begin(File& file, const Call& call, const Data& data) {
  if (Status allowed = check_mode(file, call); !allowed) return raise(file, call.name, allowed.error());
  const CallRecord::Timing timing(file.record());
  std::shared_ptr<Started> started;
  const Status ready = without_exceptions([&]() -> Status {
    started = Started::make(file, call, data);
    return {};
  });
  if (!ready) return refuse(file, call, data, ready.error());
  if (!file.begin_split({call.direction, call.pointer, started})) {
    started->transfer().give_back();
    return raise(file, call.name,
                 Error{misplaced, 0, "a split collective call of this file has begun and has not ended"});
  }
  note(file, CallRecord::Kind::split, *started, timing);
  Started::go_on(std::move(started));
  return MPI_SUCCESS;
}

int end(File& file, const Call& call, MPI_Status* status) {
  auto fail = [&](std::string why) { return raise(file, call.name, Error{misplaced, 0, std::move(why)}); };
  const CallRecord::Timing timing(file.record());
  auto split = file.take_split();
  if (!split) return fail("no split collective call of this file has begun");
  if (split->direction != call.direction || split->pointer != call.pointer) {
    std::string why = fmt::format("the call that has begun is {}", what(*split));
    file.begin_split(std::move(*split));
    return fail(std::move(why));
  }
  split->call->finish(true);
  split->call->wait();
  if (const int64_t number = split->call->record_number(); number > 0) file.record()->waited(number, timing);
  const exec::Outcome& outcome = split->call->outcome();
  set_status(status, outcome ? *outcome : 0);
  return outcome ? MPI_SUCCESS : raise(file, call.name, outcome.error());
}

}  // namespace concilio::mpiio
