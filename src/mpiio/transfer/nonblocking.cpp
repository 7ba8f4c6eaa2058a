// Calls that start a transfer and calls that end it, nonblocking and split collective ones.
#include <fmt/format.h>

#include "base/exceptions.h"
#include "mpiio/calls/raise.h"
#include "mpiio/transfer/requests.h"
#include "mpiio/transfer/transfer.h"

namespace concilio::mpiio {
namespace {

// Runs the transfer and passes its outcome to `then`. If MPI allows several threads, another thread does
// this. Otherwise a collective transfer runs when the program waits for the number that is returned, and an
// independent transfer, which needs no other rank, runs at once. If there is no memory to note a transfer for
// later, it also runs at once.
template <typename Then>
uint64_t launch(File& file, const Call& call, std::shared_ptr<Transfer> transfer, Then then) {
  const auto is_apart = [transfer] { return transfer->is_apart(); };
  auto run = [transfer = std::move(transfer)] { return without_exceptions([&] { return transfer->run(); }); };
  try {
    if (call.collective) return file.go_on(run, then, is_apart);
    if (file.threads()) {
      file.independents().post([run, then] { then(run()); });
      return 0;
    }
  } catch (const std::bad_alloc&) {
  }
  then(call.collective ? file.run_collective(run, is_apart) : file.independents().run(run));
  return 0;
}

// Handles a call that this rank cannot start. If the call is collective, other ranks count on this one, so it
// takes part and fails on all ranks.
int refuse(File& file, const Call& call, Transfer& transfer, const Error& why) {
  transfer.give_back();
  transfer.fail(why);
  if (call.collective)
    (void)file.run_collective([&] { return transfer.run(); }, [&] { return transfer.is_apart(); });
  return raise(file, call.name, why);
}
int refuse(File& file, const Call& call, const Data& data, const Error& why) {
  Transfer here(file, call, data);
  return refuse(file, call, here, why);
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
  std::shared_ptr<Transfer> transfer;
  NonblockingRequest made;
  const Status ready = without_exceptions([&]() -> Status {
    transfer = std::make_shared<Transfer>(file, call, data);
    if (!call.collective && !transfer->trouble()) return transfer->trouble();
    if (NonblockingRequest::make(file, call.name, request, &made) == MPI_SUCCESS) return {};
    return Error{ErrorKind::other, 0, "MPI cannot create a request"};
  });
  if (!ready)
    return transfer ? refuse(file, call, *transfer, ready.error()) : refuse(file, call, data, ready.error());
  made.set_number(launch(file, call, std::move(transfer),
                         [made](const exec::Outcome& outcome) { made.complete(outcome); }));
  return MPI_SUCCESS;
}

int begin(File& file, const Call& call, const Data& data) {
  std::shared_ptr<Transfer> transfer;
  std::shared_ptr<std::promise<exec::Outcome>> promise;
  const Status ready = without_exceptions([&]() -> Status {
    promise = std::make_shared<std::promise<exec::Outcome>>();
    transfer = std::make_shared<Transfer>(file, call, data);
    return {};
  });
  if (!ready) return refuse(file, call, data, ready.error());
  if (!file.begin_split({call.direction, call.pointer, promise->get_future().share()})) {
    return raise(
        file, call.name,
        Error{ErrorKind::argument, 0, "a split collective call of this file has begun and has not ended"});
  }
  file.number_split(launch(file, call, std::move(transfer),
                           [promise](exec::Outcome outcome) { promise->set_value(std::move(outcome)); }));
  return MPI_SUCCESS;
}

int end(File& file, const Call& call, MPI_Status* status) {
  auto fail = [&](std::string why) {
    return raise(file, call.name, Error{ErrorKind::argument, 0, std::move(why)});
  };
  auto split = file.take_split();
  if (!split) return fail("no split collective call of this file has begun");
  if (split->direction != call.direction || split->pointer != call.pointer) {
    std::string why = fmt::format("the call that has begun is {}", what(*split));
    file.begin_split(std::move(*split));
    return fail(std::move(why));
  }
  file.deferred().finish(split->number);
  const exec::Outcome& outcome = split->outcome.get();
  set_status(status, outcome ? *outcome : 0);
  return outcome ? MPI_SUCCESS : raise(file, call.name, outcome.error());
}

}  // namespace concilio::mpiio
