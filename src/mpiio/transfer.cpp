// Reading and writing: one body for both, at the individual pointer or an explicit offset, independent and collective.
#include <fmt/format.h>

#include "base/checked.h"
#include "exec/independent.h"
#include "mpi/datatype.h"
#include "mpiio/exceptions.h"
#include "mpiio/raise.h"

namespace concilio::mpiio {
namespace {

// A request, and what it points to.
struct Prepared {
  std::shared_ptr<const DataType> type;
  Access memory;
  Request request{};
  int64_t etypes = 0;  // how far the individual pointer moves
};

Status check_mode(const File& file, const Call& call) {
  if (call.direction == Direction::read && !file.reads()) {
    return Error{ErrorKind::access, 0, "the file was opened with MPI_MODE_WRONLY"};
  }
  if (call.direction == Direction::write && !file.writes()) {
    return Error{ErrorKind::read_only, 0, "the file was opened with MPI_MODE_RDONLY"};
  }
  if (file.amode() & MPI_MODE_SEQUENTIAL) {
    return Error{ErrorKind::unsupported, 0,
                 "a file opened with MPI_MODE_SEQUENTIAL is accessed through the shared file pointer"};
  }
  return {};
}

struct Arguments {
  MPI_Offset offset;
  void* buffer;
  MPI_Count count;
  MPI_Datatype type;
};

Status prepare(File& file, const Call& call, const Arguments& arguments, Prepared& prepared) {
  const View& view = file.view();
  prepared.request.operation = call.direction == Direction::read ? Operation::read : Operation::write;
  prepared.request.memory = &prepared.memory;
  prepared.request.file = &view.access;
  prepared.request.buffer = static_cast<std::byte*>(arguments.buffer);
  if (auto status = check_mode(file, call); !status) return status;
  if (arguments.count < 0) return Error{ErrorKind::count, 0, fmt::format("a count of {}", arguments.count)};
  auto type = decode(arguments.type);
  if (!type) return type.error();
  prepared.type = *type;
  prepared.memory = Access::of(*prepared.type, 0);
  int64_t etypes_before = call.pointer == Pointer::individual ? file.position() : arguments.offset;
  if (etypes_before < 0) return Error{ErrorKind::argument, 0, fmt::format("an offset of {}", etypes_before)};
  auto bytes = checked_multiply(arguments.count, prepared.type->size());
  auto position = checked_multiply(etypes_before, view.etype_bytes);
  if (!bytes || !position || !checked_add(*position, *bytes)) {
    return Error{ErrorKind::count, 0, fmt::format("{} elements at offset {} are more than 64 bits hold", arguments.count,
                                                  etypes_before)};
  }
  if (*bytes % view.etype_bytes != 0) {
    return Error{ErrorKind::argument, 0,
                 fmt::format("{} bytes are no multiple of the etype's {}", *bytes, view.etype_bytes)};
  }
  if (*bytes > 0 && view.access.empty()) {
    return Error{ErrorKind::argument, 0, fmt::format("{} bytes through a view that shows none", *bytes)};
  }
  prepared.request.bytes = *bytes;
  prepared.request.position = *position;
  prepared.etypes = *bytes / view.etype_bytes;
  if (call.direction == Direction::write && !view.access.monotone_within(*position + *bytes)) {
    return Error{ErrorKind::datatype, 0, "the view's tiles overlap, so that a write would reach some bytes twice"};
  }
  return {};
}

Outcome transfer_alone(File& file, const Prepared& prepared) {
  if (prepared.request.bytes == 0) return 0;
  Wishes wishes = wishes_of(file.config(), prepared.request.operation);
  Plan plan = concilio::plan(facts_alone(file.engine(), prepared.request, wishes));
  auto outcome = run_alone(file.engine(), prepared.request, plan);
  if (outcome) file.remember(prepared.request.operation, false, plan);
  return outcome;
}

Outcome transfer_together(File& file, const Prepared& prepared, const Status& trouble) {
  Wishes wishes = wishes_of(file.config(), prepared.request.operation);
  auto outcome = file.collective().run(file.engine(), prepared.request, wishes, trouble);
  if (const Plan* plan = file.collective().last_plan(); outcome && plan) {
    file.remember(prepared.request.operation, true, *plan);
  }
  return outcome;
}

void count(Counters& counters, const Call& call, int64_t bytes) {
  bool reads = call.direction == Direction::read;
  ++counters[call.collective ? (reads ? Counter::collective_reads : Counter::collective_writes)
                             : (reads ? Counter::independent_reads : Counter::independent_writes)];
  counters[reads ? Counter::bytes_read : Counter::bytes_written] += bytes;
}

void set_status(MPI_Status* status, int64_t bytes) {
  if (status == MPI_STATUS_IGNORE) return;
  PMPI_Status_set_elements_x(status, MPI_BYTE, bytes);
  PMPI_Status_set_cancelled(status, 0);
}

}  // namespace

int transfer(File& file, const Call& call, MPI_Offset offset, void* buffer, MPI_Count count_of_type, MPI_Datatype type,
             MPI_Status* status) {
  std::lock_guard lock(file.mutex());
  Stopwatch time(file.counters(), Counter::call_ns);
  Prepared prepared;
  Status trouble = without_exceptions([&] { return prepare(file, call, {offset, buffer, count_of_type, type}, prepared); });
  Outcome outcome = call.collective ? transfer_together(file, prepared, trouble)
                    : trouble       ? transfer_alone(file, prepared)
                                    : Outcome(trouble.error());
  if (!outcome) {
    set_status(status, 0);
    return raise(file, call.name, outcome.error());
  }
  count(file.counters(), call, *outcome);
  if (call.pointer == Pointer::individual) file.position() += prepared.etypes;
  set_status(status, *outcome);
  return MPI_SUCCESS;
}

}  // namespace concilio::mpiio
