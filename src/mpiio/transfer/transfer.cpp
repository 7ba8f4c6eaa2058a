#include "mpiio/transfer/transfer.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/checked.h"
#include "base/exceptions.h"
#include "exec/alone/run_alone.h"
#include "exec/gather_facts.h"
#include "mpi/types/datatype.h"
#include "mpiio/calls/raise.h"
#include "mpiio/file/call_record.h"
#include "mpiio/transfer/by_shortcut.h"

namespace concilio::mpiio {
namespace {

Error beyond(int64_t bytes, int64_t etypes_before) {
  return {ErrorKind::argument, 0,
          fmt::format(
              "{} bytes at offset {} of the view reach beyond byte 2^63 - 1, the last that a file can have",
              bytes, etypes_before)};
}

void count(Counters& counters, const Call& call, int64_t bytes, bool device) {
  bool reads = call.direction == Direction::read;
  ++counters[counter_of(call)];
  counters[reads ? Counter::bytes_read : Counter::bytes_written] += bytes;
  if (!device) return;
  ++counters[Counter::device_calls];
  counters[Counter::device_bytes] += bytes;
}

void count_gaps(Counters& counters, const exec::Request& request, const plan::Plan& plan) {
  if (plan.file_pieces <= 1) return;
  counters[request.operation == Operation::read ? Counter::gaps_read : Counter::gaps_written] +=
      plan.file_pieces - 1;
}

}  // namespace

Status check_mode(const File& file, const Call& call) {
  if (call.direction == Direction::read && !file.reads()) {
    return Error{ErrorKind::access, 0, "the file was opened with MPI_MODE_WRONLY"};
  }
  if (call.direction == Direction::write && !file.writes()) {
    return Error{ErrorKind::read_only, 0, "the file was opened with MPI_MODE_RDONLY"};
  }
  const bool shares = call.pointer == Pointer::shared || call.pointer == Pointer::ordered;
  if ((file.amode() & MPI_MODE_SEQUENTIAL) && !shares) {
    return Error{ErrorKind::unsupported, 0,
                 "a file opened with MPI_MODE_SEQUENTIAL is accessed through the shared file pointer"};
  }
  return {};
}

Transfer::Transfer(File& file, const Call& call, const Data& data)
    : file_(file), call_(call), view_(file.view()), shown_(view_->shown(operation_of(call))) {
  request_.operation = operation_of(call);
  request_.memory = &memory_;
  request_.file = &shown_.access;
  request_.buffer = static_cast<std::byte*>(data.buffer);
  trouble_ = without_exceptions([&] { return prepare(data); });
  if (!trouble_) request_.bytes = etypes_ = 0;
}

Status Transfer::prepare(const Data& data) {
  if (auto status = check_mode(file_, call_); !status) return status;
  if (data.count < 0) return Error{ErrorKind::count, 0, fmt::format("a count of {}", data.count)};
  if (auto status = prepare_items(data); !status) return status;
  // ROMIO and OMPIO move nothing there, and call that a success. Ranks without data may have such a view, and
  // give the same count as the others.
  if (shown_.access.empty()) request_.bytes = 0;
  const int64_t bytes = request_.bytes;
  if (bytes % shown_.etype_bytes != 0) {
    // The class is ROMIO's.
    return Error{ErrorKind::io, 0,
                 fmt::format("{} bytes are not a multiple of the etype's {}", bytes, shown_.etype_bytes)};
  }
  etypes_ = bytes / shown_.etype_bytes;
  switch (call_.pointer) {
    case Pointer::explicit_offset:
      return place(data.offset);
    case Pointer::individual:
      return file_.advance(etypes_, [&](int64_t position) { return place(position); });
    case Pointer::shared: {
      auto before = file_.shared_pointer().add(etypes_);
      if (!before) return before.error();
      // No file has such a place. A rank that claimed its place later is even further behind, so it fails too
      // and gives its part back. After other errors the place stays empty, since those behind it may have
      // been claimed.
      if (auto there = position_of(*before, request_.bytes); !there) {
        (void)file_.shared_pointer().add(-etypes_);
        return there.error();
      }
      return place(*before);
    }
    case Pointer::ordered:
      break;  // all ranks find their places together when the call is carried out
  }
  return {};
}

// Determines what is to be moved, and how many bytes that is in the file.
Status Transfer::prepare_items(const Data& data) {
  if (Status committed = mpi::check_committed(data.type, "datatype", file_.team().comm()); !committed)
    return committed;
  if (shown_.representation) {
    auto conversion =
        mpi::Conversion::make(data.type, data.count, *shown_.representation, file_.descriptions());
    if (!conversion) return conversion.error();
    conversion_ = std::move(*conversion);
    description_ = file_.describes(conversion_.memory_bytes());
    request_.bytes = conversion_.file_bytes();
    memory_ = pattern::Access::contiguous(0);
    return reach_device(conversion_.memory());
  }
  auto type = mpi::decode(data.type, file_.descriptions());
  if (!type) return type.error();
  type_ = *type;
  memory_ = pattern::Access::of(*type_, 0, data.count);
  description_ = file_.describes(memory_.nest()->memory_bytes());
  auto bytes = checked_multiply(data.count, type_->size());
  if (!bytes) {
    return Error{ErrorKind::count, 0,
                 fmt::format("{} elements have more bytes than 64 bits can count", data.count)};
  }
  if (!memory_.reaches(0, *bytes)) {
    return Error{ErrorKind::argument, 0,
                 fmt::format("{} elements of the datatype reach further in memory than 64 bits can count",
                             data.count)};
  }
  request_.bytes = *bytes;
  return reach_device(memory_);
}

// If the buffer lies in the memory of a GPU, makes the way to it. The first byte of the data decides in which
// memory all of the buffer lies; `layout` says where that is.
Status Transfer::reach_device(const pattern::Access& layout) {
  if (request_.bytes == 0) return {};
  const DeviceMemory memory = DeviceMemory::at(request_.buffer + layout.offset_of(0));
  if (!memory) return {};
  request_.device = &device_;
  return device_.begin(memory);
}

// Returns the position in the view's data at which so many bytes begin, or an error if a file cannot hold
// them there.
Result<int64_t> Transfer::position_of(int64_t etypes_before, int64_t bytes) const {
  if (etypes_before < 0) return Error{ErrorKind::argument, 0, fmt::format("an offset of {}", etypes_before)};
  const auto position = checked_multiply(etypes_before, shown_.etype_bytes);
  const auto end = position ? checked_add(*position, bytes) : std::nullopt;
  if (!end || !shown_.access.reaches(*position, *end)) return beyond(bytes, etypes_before);
  return *position;
}

Status Transfer::place(int64_t etypes_before) {
  auto position = position_of(etypes_before, request_.bytes);
  if (!position) return position.error();
  position_ = request_.position = *position;
  request_.file = &shown_.access;
  const int64_t end = position_ + request_.bytes;
  if (shown_.access.monotone_within(end)) return {};
  if (call_.direction == Direction::write && shown_.access.comes_twice(position_, end)) {
    return Error{ErrorKind::datatype, 0,
                 "the view's tiles overlap, so that a write would reach some bytes twice"};
  }
  // Tiles that interleave, as the columns of a matrix do, are each in ascending order.
  const int64_t size = shown_.access.nest()->size(), tile = position_ / size;
  if (end > (tile + 1) * size) return {};
  tiles_from_ = shown_.access.from_tile(tile);
  if (!tiles_from_) return {};
  request_.file = &*tiles_from_;
  request_.position -= tile * size;
  return {};
}

namespace {
// Where the shared pointer was. Only rank 0 knows it; the other ranks contribute zeros.
struct Base {
  int64_t etypes, bytes;
  int64_t there, holds;
};
Base combine(const Base& a, const Base& b) {
  return {a.etypes + b.etypes, a.bytes + b.bytes, a.there + b.there, a.holds + b.holds};
}
}  // namespace

// The ranks' data lie in rank order from the shared pointer on, which then moves behind the last of them.
Status Transfer::place_in_order(mpi::Team& team) {
  Base base{0, 0, 0, 0};
  // A rank with more than this exceeds what a file can hold; the limit keeps the sum within 64 bits.
  const int64_t most = INT64_MAX / shown_.etype_bytes / team.size();
  int64_t total = 0;
  const int64_t below = team.sum_below(std::min(etypes_, most), total);
  if (auto whole = team.failure(); !whole) return whole;
  if (team.rank() == 0) {
    const auto move = [&](int64_t etypes) {
      return without_exceptions([&] { return file_.shared_pointer().add(etypes); });
    };
    base.bytes = total * shown_.etype_bytes;
    auto before = move(total);
    base.there = before.ok();
    base.etypes = before ? *before : 0;
    base.holds = before && without_exceptions([&] { return position_of(base.etypes, base.bytes); });
    if (before && !base.holds) (void)move(-total);
  }
  if (!team.allreduce(base)) return team.failure();
  return without_exceptions([&]() -> Status {
    if (!base.there) return Error{ErrorKind::communication, 0, "the shared file pointer cannot be moved"};
    if (!base.holds || etypes_ > most) return beyond(base.bytes, base.etypes);
    return place(base.etypes + below);
  });
}

std::optional<exec::Outcome> Transfer::settle() {
  if (call_.pointer == Pointer::ordered || file_.collective().holds_back()) return std::nullopt;
  Stopwatch time(file_.counters(), Counter::call_ns);
  const Opened kept = file_.opened();
  staged_.reset();  // of an attempt to which other ranks have not come
  exec::Outcome outcome = without_exceptions([&] { return run_alone(kept); });
  if (outcome) count(file_.counters(), call_, *outcome, static_cast<bool>(device_));
  ++file_.counters()[Counter::calls_apart];
  record({time.start_ns(), time.stop(), 0}, outcome);
  settled_ = true;
  staged_.reset();
  request_.bytes = etypes_ = 0;
  trouble_ = outcome ? Status() : Status(outcome.error());  // which the others learn when they come
  return outcome;
}

exec::Outcome Transfer::run() {
  Stopwatch time(file_.counters(), Counter::call_ns);
  const int64_t exchange_before_ns = file_.counters()[Counter::exchange_ns];
  const bool reads = call_.direction == Direction::read;
  const Recording::Call call(file_.recording(),
                             call_.collective
                                 ? (reads ? LiveCall::collective_read : LiveCall::collective_write)
                                 : (reads ? LiveCall::read : LiveCall::write),
                             time.start_ns());
  const Opened kept = file_.opened();
  const exec::OpenFile& opened = *kept;
  if (call_.pointer == Pointer::ordered) {
    const exec::CallKind kind = reads ? exec::CallKind::read_ordered : exec::CallKind::write_ordered;
    if (auto same = enter(opened.team, kind, file_.collective().apart()); !same) return same.error();
    auto status = place_in_order(opened.team);
    if (trouble_) trouble_ = std::move(status);
  }
  const bool ordered = call_.pointer == Pointer::ordered;
  const bool apart = ordered ? file_.collective().apart().goes_on(request_.operation) : is_apart();
  const auto alone = [&] { return without_exceptions([&] { return run_alone(kept); }); };
  exec::Outcome outcome = !call_.collective ? alone() : apart ? run_apart(kept) : run_collective(opened);
  if (settled_) return outcome;  // it has been counted
  if (outcome) count(file_.counters(), call_, *outcome, static_cast<bool>(device_));
  const int64_t exchange_ns = file_.counters()[Counter::exchange_ns] - exchange_before_ns;
  record({time.start_ns(), time.stop(), call_.collective ? exchange_ns : 0}, outcome);
  return outcome;
}

void Transfer::record(const Times& times, const exec::Outcome& outcome) {
  Activity* const activity = file_.recording().activity();
  if (!activity) return;
  // Bytes of the file, of which a representation makes another number in memory.
  const int64_t bytes = outcome ? std::min(*outcome, request_.bytes) : 0;
  if (activity->leaves_out(request_.operation, times.start_ns, times.end_ns, times.exchange_ns, bytes))
    return;
  const pattern::Interval where =
      bytes > 0 ? request_.file->bounds(request_.position, request_.position + bytes) : pattern::Interval{};
  activity->called(
      {request_.operation, times.start_ns, times.end_ns, times.exchange_ns, where.begin, where.end, bytes});
}

// What data pass through takes at most half of the memory limit, or a quarter where nothing is converted; the
// plan has the rest. In atomic mode a call that is converted is one request, whatever its size.
Status Transfer::stage(const exec::OpenFile& opened, const plan::Wishes& wishes) {
  if (staged_ || !needs_staging()) return {};
  constexpr int64_t most_bytes = 4 << 20, most_on_the_way_bytes = 2 << 20;
  if (!shown_.representation) {
    request_.staging_bytes = std::min(most_on_the_way_bytes, wishes.memory_limit_bytes / 4);
    return device_.make_room(opened.budget, request_.staging_bytes, request_.bytes, opened.gpu_kernel);
  }
  request_.staging_bytes = std::min(most_bytes, wishes.memory_limit_bytes / 2);
  staged_.emplace(request_, conversion_, opened.atomic);
  return {};
}

bool Transfer::is_brief() const {
  // So much takes some 20 us, and another thread begins 30 to 60 us after it was asked to. A piece takes as
  // long as so many bytes more.
  constexpr int64_t most_bytes = 128 << 10, bytes_of_piece = 1 << 10;
  if (request_.bytes > most_bytes || needs_staging()) return false;
  const int64_t most_pieces = (most_bytes - request_.bytes) / bytes_of_piece;
  return request_.file->pieces(request_.position, request_.position + request_.bytes) <= most_pieces &&
         file_.opened()->prices().from_memory;
}

// A collective call that the ranks make without meeting is carried out like an independent one; so is an
// ordered one when they have found their places.
exec::Outcome Transfer::run_apart(const Opened& opened) {
  exec::Outcome outcome = without_exceptions([&] { return run_alone(opened); });
  if (!settled_ && call_.pointer != Pointer::ordered) ++file_.counters()[Counter::calls_apart];
  file_.collective().made_apart(outcome ? Status() : Status(outcome.error()));
  return outcome;
}

// The plan of a request that this rank makes alone, and looks so.
std::shared_ptr<const plan::Plan> Transfer::plan_alone(const Opened& opened, const exec::Request& request,
                                                       const exec::RequestLooks& looks) {
  exec::PlansAlone& kept = file_.plans_alone(request.operation);
  std::shared_ptr<const plan::Plan> plan = kept.find(opened, looks);
  if (plan) return plan;
  const plan::Wishes wishes = file_.wishes(request.operation);
  if (wishes.forced_method < 0 && needs_no_plan(request)) {
    plan = {std::shared_ptr<void>(), &plan::plan_of_one_stretch()};  // which has no owner
  } else {
    plan::Facts facts = facts_alone(*opened, request, looks.may_rewrite, wishes);
    facts.experience = kept.experience(opened, looks);
    plan = std::make_shared<const plan::Plan>(plan::plan(facts));
  }
  kept.keep(opened, looks, plan);
  return plan;
}

exec::Outcome Transfer::run_alone(const Opened& opened) {
  if (!trouble_) return trouble_.error();
  if (request_.bytes == 0) return 0;
  if (file_.collective().holds_back()) {
    return Error{ErrorKind::unsupported, 0,
                 "an independent access while aggregators hold writes back (concilio_write_behind); "
                 "romio_no_indep_rw=true has promised that there is none; call MPI_File_sync before it"};
  }
  std::shared_ptr<const plan::Plan> plan;
  if (call_.collective && !needs_staging()) plan = file_.collective().plan_alone(request_);
  const bool known = plan != nullptr;
  auto run = [&](const exec::Request& request) {
    exec::RequestLooks looks;
    if (!known) {
      looks = looks_of(*opened, request);
      plan = plan_alone(opened, request, looks);
    }
    const bool measured = !known && exec::PlansAlone::is_measured(*plan);
    const int64_t begin_ns = measured ? now_ns() : 0;
    exec::Outcome moved = exec::run_alone({*opened}, request, *plan);
    if (measured) {
      const bool whole = moved && *moved == request.bytes;
      file_.plans_alone(request.operation)
          .learn(opened, looks, *plan, 1e-9 * static_cast<double>(now_ns() - begin_ns), whole);
    }
    if (moved && !call_.collective) count_gaps(file_.counters(), request, *plan);
    return moved;
  };
  if (needs_staging()) {
    if (auto status = stage(*opened, file_.wishes(request_.operation)); !status) return status.error();
  }
  auto outcome = staged_ ? staged_->run_alone(*opened, run) : run(request_);
  if (outcome) if_there_is_memory([&] { file_.remember(request_.operation, call_.collective, *plan, plan); });
  return outcome;
}

exec::Outcome Transfer::run_collective(const exec::OpenFile& opened) {
  plan::Wishes wishes;
  Status read = without_exceptions([&]() -> Status {
    wishes = file_.wishes(request_.operation);
    return {};
  });
  if (trouble_) trouble_ = std::move(read);
  exec::Collective& collective = file_.collective();
  const plan::Plan* plan = nullptr;
  if (trouble_) trouble_ = without_exceptions([&] { return stage(opened, wishes); });
  exec::Request request = request_;
  Status trouble = trouble_;
  int64_t moved_bytes = 0;
  do {
    if (staged_ && trouble) {
      auto round = staged_->next(opened);
      if (round)
        request = *round;
      else
        trouble = round.error();
    }
    auto moved = collective.run(opened, request, wishes, trouble);
    if (!moved) return moved;
    if (collective.last_plan()) plan = collective.last_plan();
    moved_bytes += *moved;
    if (staged_) trouble = staged_->take(opened, *moved);
    // In what other ranks still have to do, this rank takes part without data.
    request.bytes = 0;
  } while (collective.more());
  // Data that were read may not have reached a buffer. All ranks know that some had to copy to theirs, so all
  // of them agree on the outcome.
  if (collective.staged() && request_.operation == Operation::read) trouble = file_.agree(trouble);
  if (!trouble) return trouble.error();
  // If there is no memory to remember the call, it has still moved its data and does not fail.
  if (plan) if_there_is_memory([&] { file_.remember(request_.operation, true, *plan); });
  return staged_ ? staged_->moved_bytes() : moved_bytes;
}

void Transfer::give_back() {
  if (call_.pointer != Pointer::individual || etypes_ == 0) return;  // what cannot be placed has no etypes
  const int64_t before = position_ / shown_.etype_bytes;
  file_.retreat(before + etypes_, before);
}

void set_status(MPI_Status* status, int64_t bytes) {
  if (status == MPI_STATUS_IGNORE) return;
  // Many calls in a row transfer equally much, and to copy a status is faster than to have MPI make one.
  struct Made {
    int64_t bytes;
    MPI_Status status;
  };
  constinit thread_local Made last{-1, {}};
  if (last.bytes != bytes) {
    PMPI_Status_set_elements_x(&last.status, MPI_BYTE, bytes);
    PMPI_Status_set_cancelled(&last.status, 0);
    last.bytes = bytes;
  }
  // These say nothing of a file access, and stay what they were.
  MPI_Status made = last.status;
  made.MPI_SOURCE = status->MPI_SOURCE;
  made.MPI_TAG = status->MPI_TAG;
  made.MPI_ERROR = status->MPI_ERROR;
  *status = made;
}

namespace {

// `then` gets the transfer when it has run, and whether it failed.
template <typename Then>
[[gnu::always_inline]] inline exec::Outcome by_the_general_way(File& file, const Call& call, const Data& data,
                                                               const Then& then) {
  Transfer transfer(file, call, data);
  const auto run = [&] { return transfer.run(); };
  exec::Outcome outcome =
      call.collective ? file.run_collective(run, [&] { return transfer.is_apart(); }) : transfer.run();
  then(transfer, !outcome);
  if (!outcome) transfer.give_back();
  return outcome;
}

exec::Outcome by_the_general_way(File& file, const Call& call, const Data& data) {
  return by_the_general_way(file, call, data, [](const Transfer&, bool) {});
}

// It stays apart from the way without a record, which is shorter.
[[gnu::noinline]] exec::Outcome recorded(File& file, const Call& call, const Data& data) {
  const CallRecord::Timing timing(file.record());
  return by_the_general_way(file, call, data, [&](const Transfer& transfer, bool failed) {
    file.record()->moved(file, CallRecord::Kind::blocking, call, transfer.moved(failed), timing);
  });
}

}  // namespace

int transfer(File& file, const Call& call, const Data& data, MPI_Status* status) {
  const auto shortcut = [&] { return by_shortcut(file, call, data); };
  std::optional<exec::Outcome> outcome =
      call.collective ? file.in_turn_apart(operation_of(call), shortcut) : shortcut();
  if (!outcome) outcome = file.record() ? recorded(file, call, data) : by_the_general_way(file, call, data);
  set_status(status, *outcome ? **outcome : 0);
  return *outcome ? MPI_SUCCESS : raise(file, call.name, outcome->error());
}

}  // namespace concilio::mpiio
