// Calls that start a transfer and calls that end it: nonblocking and split collective ones.
#include <fmt/format.h>

#include "mpi/thread_level.h"
#include "mpiio/exceptions.h"
#include "mpiio/raise.h"
#include "mpiio/requests.h"
#include "mpiio/transfer.h"

namespace concilio::mpiio {
namespace {

// Runs the transfer and hands on its outcome: by itself where MPI allows several threads; else a collective
// one when the program waits for it, by the number that is returned, and others, which need nobody, at once.
uint64_t launch(File& file, const Call& call, std::shared_ptr<Transfer> transfer,
                std::function<void(const Outcome&)> then) {
  auto run = [transfer = std::move(transfer)] { return without_exceptions([&] { return transfer->run(); }); };
  if (call.collective) return file.go_on(std::move(run), std::move(then));
  auto work = [run = std::move(run), then = std::move(then)] { then(run()); };
  if (has_thread_multiple()) {
    file.independents().post(std::move(work));
  } else {
    file.independents().run(work);
  }
  return 0;
}

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
  auto transfer = std::make_shared<Transfer>(file, call, data);
  if (!call.collective && !transfer->trouble()) return raise(file, call.name, transfer->trouble());
  NonblockingRequest made;
  if (int code = NonblockingRequest::make(file, call.name, request, &made); code != MPI_SUCCESS) {
    // Other ranks may count on this one.
    Outcome outcome = call.collective ? file.together([&] { return transfer->run(); }) : transfer->run();
    return outcome ? code : raise(file, call.name, outcome.error());
  }
  made.set_number(
      launch(file, call, std::move(transfer), [made](const Outcome& outcome) { made.complete(outcome); }));
  return MPI_SUCCESS;
}

int begin(File& file, const Call& call, const Data& data) {
  auto promise = std::make_shared<std::promise<Outcome>>();
  auto transfer = std::make_shared<Transfer>(file, call, data);
  if (!file.begin_split({call.direction, call.pointer, promise->get_future().share()})) {
    return raise(file, call.name,
                 Error{ErrorKind::argument, 0, "a split collective of this file has begun and not ended"});
  }
  file.number_split(launch(file, call, std::move(transfer),
                           [promise](const Outcome& outcome) { promise->set_value(outcome); }));
  return MPI_SUCCESS;
}

int end(File& file, const Call& call, MPI_Status* status) {
  auto fail = [&](std::string why) {
    return raise(file, call.name, Error{ErrorKind::argument, 0, std::move(why)});
  };
  auto split = file.take_split();
  if (!split) return fail("no split collective of this file has begun");
  if (split->direction != call.direction || split->pointer != call.pointer) {
    std::string why = fmt::format("what has begun is {}", what(*split));
    file.begin_split(std::move(*split));
    return fail(std::move(why));
  }
  file.deferred().finish(split->number);
  const Outcome& outcome = split->outcome.get();
  set_status(status, outcome ? *outcome : 0);
  return outcome ? MPI_SUCCESS : raise(file, call.name, outcome.error());
}

}  // namespace concilio::mpiio
