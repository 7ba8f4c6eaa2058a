#include "mpiio/transfer/by_shortcut.h"

#include <cerrno>

#include "base/exceptions.h"
#include "mpi/types/contiguous_types.h"
#include "mpiio/transfer/transfer.h"

namespace concilio::mpiio {
namespace {

// A contiguous buffer.
struct Memory {
  std::byte* data = nullptr;
  int64_t bytes = 0;  // 0: the shortcut does not serve this buffer
};

Memory memory_of(const Data& data) {
  Memory memory{static_cast<std::byte*>(data.buffer), 0};
  if (data.count <= 0 || __builtin_mul_overflow(mpi::contiguous_bytes(data.type), data.count, &memory.bytes))
    return {};
  // The address of memory that only a GPU can reach would be refused by the system. To ask the driver first
  // costs less.
  if (memory.bytes > 0 && DeviceMemory::at_known_driver(memory.data)) return {};
  return memory;
}

// Where a stretch of the file begins; negative if the bytes are not one stretch, or lie where no file has
// any.
int64_t begin_of(const Shortcut::View& view, int64_t etypes_before, int64_t bytes) {
  int64_t position = 0, begin = 0, end = 0;
  if (etypes_before < 0 || __builtin_mul_overflow(etypes_before, view.etype_bytes, &position)) return -1;
  if (view.piece_bytes > 0) {
    const int64_t piece = position / view.piece_bytes;
    position -= piece * view.piece_bytes;
    if (bytes > view.piece_bytes - position || __builtin_mul_overflow(piece, view.spacing, &begin)) return -1;
  }
  if (__builtin_add_overflow(begin, view.displacement, &begin) ||
      __builtin_add_overflow(begin, position, &begin) || __builtin_add_overflow(begin, bytes, &end))
    return -1;
  return begin;
}

// An announcement of a plain write. Without a board nobody has to know.
class Announcement {
 public:
  explicit Announcement(mpi::WritersBoard* board) : board_(board), made_(board && board->begin_write()) {}
  ~Announcement() {
    if (made_) board_->end_write();
  }
  Announcement(const Announcement&) = delete;
  bool may_write() const { return made_ || !board_; }

 private:
  mpi::WritersBoard* board_;
  bool made_;
};

void count_request(File& file, const Call& call, const exec::Outcome& outcome) {
  const Operation operation = operation_of(call);
  const bool reads = operation == Operation::read;
  file.count(reads ? Counter::storage_reads : Counter::storage_writes, 1);
  if (!outcome) return;
  file.count(reads ? Counter::storage_bytes_read : Counter::storage_bytes_written, *outcome);
  file.count(counter_of(call), 1);
  file.count(reads ? Counter::bytes_read : Counter::bytes_written, *outcome);
  file.remember_one_stretch(operation, call.collective);
}

// A collective call has been made apart.
void end_apart(File& file, const Status& mine) {
  file.count(Counter::calls_apart, 1);
  file.collective().made_apart(mine);
}

[[gnu::always_inline]] inline exec::Outcome request(File& file, Operation operation,
                                                    const store::Transfer& transfer) {
  if (const int64_t moved = file.storage().request_plainly(operation, transfer); moved >= 0) return moved;
  return without_exceptions([&] { return file.storage().request(operation, transfer); });
}

void count_time(File& file, int64_t ns) {
  for (const Counter time : {Counter::storage_ns, Counter::call_ns}) file.count(time, ns);
}

exec::Outcome timed_request(File& file, Operation operation, const store::Transfer& transfer) {
  const int64_t calls = file.shortcut().sampling.next(transfer.length);
  const int64_t start_ns = calls > 0 ? now_ns() : 0;
  exec::Outcome outcome = request(file, operation, transfer);
  Activity* const activity = file.recording().activity();
  if (calls == 0) {
    if (activity && outcome) activity->passed_on(operation, transfer.offset, *outcome);
    return outcome;
  }
  const int64_t end_ns = now_ns(), ns = end_ns - start_ns;
  file.shortcut().sampling.took(transfer.length, ns);
  count_time(file, calls * ns);
  if (activity) {
    const int64_t bytes = outcome ? *outcome : 0;
    activity->passed_on({operation, start_ns, end_ns, 0, transfer.offset, transfer.offset + bytes, bytes},
                        calls);
  }
  return outcome;
}

// A call whose buffer the way of all others does not serve: it moves nothing, or is none for the shortcut.
[[gnu::noinline]] std::optional<exec::Outcome> without_data(File& file, const Call& call, const Data& data,
                                                            const Shortcut::View& view) {
  if (data.count != 0 || mpi::contiguous_bytes(data.type) == 0 || file.recording().activity())
    return std::nullopt;
  if (call.pointer == Pointer::explicit_offset && begin_of(view, data.offset, 0) < 0) return std::nullopt;
  file.count(counter_of(call), 1);
  if (call.collective) end_apart(file, {});
  return 0;
}

// Only a GPU can reach the memory of the buffer, and its driver was not known. The general way looks for it.
bool needs_a_driver(const exec::Outcome& outcome) {
  return !outcome && outcome.error().system_errno == EFAULT;
}

}  // namespace

std::optional<exec::Outcome> by_shortcut(File& file, const Call& call, const Data& data) {
  const bool individual = call.pointer == Pointer::individual, shared = call.pointer == Pointer::shared;
  if (call.pointer == Pointer::ordered || (shared && !file.shared_pointer().is_here())) return std::nullopt;
  const Operation operation = operation_of(call);
  const Shortcut::View view = file.shortcut().view(operation);
  if (view.etype_bytes == 0 || file.collective().holds_back()) return std::nullopt;
  if (call.collective && !file.collective().passed_on(operation)) return std::nullopt;
  // A place that is claimed by the shared pointer cannot be given back, since others may have claimed those
  // behind it. So this call must be sure to need no other way.
  if (shared && view.piece_bytes > 0) return std::nullopt;
  const Memory memory = memory_of(data);
  if (memory.bytes == 0) return without_data(file, call, data, view);
  // Most etypes are bytes, or as long as what is moved; a division takes as long as all the rest.
  const bool one = memory.bytes == view.etype_bytes, bytes = view.etype_bytes == 1;
  if (!(one || bytes || memory.bytes % view.etype_bytes == 0)) return std::nullopt;
  const int64_t etypes = one ? 1 : bytes ? memory.bytes : memory.bytes / view.etype_bytes;

  int64_t before = 0, place = -1;
  const auto find_place = [&](int64_t etypes_before) {
    before = etypes_before;
    place = begin_of(view, etypes_before, memory.bytes);
    return place >= 0;
  };
  const auto claim_place = [&] {
    if (individual) return file.advance(etypes, find_place);
    if (!shared) return find_place(data.offset);
    mpi::SharedCounter& pointer = file.shared_pointer();
    if (find_place(*pointer.add(etypes))) return true;
    (void)pointer.add(-etypes);  // no file has such a place, nor one behind it
    return false;
  };
  const auto request = [&]() -> std::optional<exec::Outcome> {
    const Announcement announcement(operation == Operation::write ? file.board() : nullptr);
    if (!announcement.may_write() || !claim_place()) return std::nullopt;
    return timed_request(file, operation, {place, memory.data, memory.bytes});
  };
  std::optional<exec::Outcome> outcome = request();
  if (!outcome) return outcome;
  if (needs_a_driver(*outcome)) {
    const Data there{before, data.buffer, data.count, data.type};
    const Call again{call.direction, Pointer::explicit_offset, call.collective, call.name};
    outcome = Transfer(file, again, there).run();
  } else {
    count_request(file, call, *outcome);
    if (call.collective) end_apart(file, *outcome ? Status() : Status(outcome->error()));
  }
  if (!*outcome && individual) file.retreat(before + etypes, before);
  return outcome;
}

}  // namespace concilio::mpiio
