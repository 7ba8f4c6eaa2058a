#include "exec/storage/storage.h"

#include "store/operation.h"

namespace concilio::exec {

Status Storage::open_now() {
  std::lock_guard lock(opening_);
  if (file_) return {};
  Stopwatch time(counters_, Counter::storage_ns);
  ++counters_[Counter::storage_opens];
  auto opened = store_.open(path_, mode_);
  if (!opened) return opened.error();
  file_ = std::move(*opened);
  plain_ = store::PlainRequests(*file_);
  is_open_.store(true, std::memory_order_release);
  return let_go();
}

void Storage::expect(store::FileIdentity same_as, Descriptor descriptor) {
  passed_ = std::move(descriptor);
  mode_.same_as = same_as;
  mode_.descriptor = passed_.number();
  mode_.process = 0;
}

void Storage::expect(store::FileIdentity same_as, int64_t process, int descriptor) {
  mode_.same_as = same_as;
  mode_.descriptor = descriptor;
  mode_.process = process;
}

// The closing of any descriptor may be what reports lost data.
Status Storage::let_go() {
  const int failed = passed_.close();
  mode_.descriptor = -1;
  mode_.process = 0;
  if (failed == 0) return {};
  return Error::from_errno(failed, store::failure_text({store::StoreOperation::close, path_}));
}

Status Storage::close(bool write_back) {
  Status outcome = write_back ? sync() : Status();
  is_open_ = false;
  plain_ = {};
  Stopwatch time(counters_, Counter::storage_other_ns);
  for (const Status& closed : {file_ ? file_->close() : Status(), let_go()}) {
    if (outcome) outcome = closed;
  }
  file_.reset();
  return outcome;
}

// What others write while this looks is noted by a higher number.
Status Storage::look_anew() {
  const int64_t wrote = others_wrote_.load(std::memory_order_acquire);
  if (seen_of_others_.load(std::memory_order_relaxed) == wrote) return {};
  if (Status fresh = refresh(); !fresh) return fresh;
  seen_of_others_.store(wrote, std::memory_order_relaxed);
  return {};
}

Result<int64_t> Storage::read(std::span<const store::Transfer> transfers, bool at_once) {
  if (auto status = open(); !status) return status.error();
  if (auto status = look_anew(); !status) return status.error();
  Stopwatch time(counters_, Counter::storage_ns);
  counters_[Counter::storage_reads] += static_cast<int64_t>(transfers.size());
  auto got = at_once ? file_->read_at_once(transfers) : file_->read(transfers);
  if (!got) return got;
  counters_[Counter::storage_bytes_read] += *got;
  record(Operation::read, time, transfers, *got);
  return got;
}

Status Storage::write(std::span<const store::Transfer> transfers, bool at_once) {
  if (auto status = open(); !status) return status;
  Stopwatch time(counters_, Counter::storage_ns);
  counters_[Counter::storage_writes] += static_cast<int64_t>(transfers.size());
  auto status = at_once ? file_->write_at_once(transfers) : file_->write(transfers);
  note_written();
  if (!status) return status;
  int64_t bytes = 0;
  for (const store::Transfer& transfer : transfers) bytes += transfer.length;
  counters_[Counter::storage_bytes_written] += bytes;
  record(Operation::write, time, transfers, bytes);
  return status;
}

Result<int64_t> Storage::move_directly(Operation operation, const DeviceStream& stream,
                                       const store::Transfer& transfer) {
  if (auto status = open(); !status) return status.error();
  const bool writes = operation == Operation::write;
  if (!writes) {
    if (auto status = look_anew(); !status) return status.error();
  }
  Stopwatch time(counters_, Counter::storage_ns);
  ++counters_[writes ? Counter::storage_writes : Counter::storage_reads];
  auto moved = file_->move_directly(operation, stream, transfer);
  if (writes) note_written();
  if (!moved) return moved;
  counters_[writes ? Counter::storage_bytes_written : Counter::storage_bytes_read] += *moved;
  counters_[Counter::device_direct_bytes] += *moved;
  record(operation, time, {&transfer, 1}, *moved);
  return moved;
}

// A small request takes little longer than the checks before it. So no outcome is made where all is well.
Result<int64_t> Storage::request(Operation operation, const store::Transfer& transfer) {
  if (!is_open_.load(std::memory_order_acquire)) {
    if (auto status = open_now(); !status) return status.error();
  }
  if (operation == Operation::read) {
    if (seen_of_others_.load(std::memory_order_relaxed) != others_wrote_.load(std::memory_order_acquire)) {
      if (auto fresh = look_anew(); !fresh) return fresh.error();
    }
    return file_->read(transfer);
  }
  auto status = file_->write(transfer);
  note_written();
  if (!status) return status.error();
  return transfer.length;
}

Status Storage::lock(int64_t offset, int64_t length, store::LockMode mode, int64_t timeout_ms) {
  if (auto status = open(); !status) return status;
  Stopwatch time(counters_, Counter::storage_ns);
  ++counters_[Counter::locks_taken];
  return file_->lock(offset, length, mode, timeout_ms);
}

Status Storage::unlock(int64_t offset, int64_t length) {
  if (!is_open_.load(std::memory_order_acquire)) return {};  // the open failed for which it was to be locked
  return file_->unlock(offset, length);
}

Status Storage::sync() {
  if (!unsynced_.exchange(false)) return {};
  std::lock_guard turn(flushing_);
  unflushed_ = false;
  Stopwatch time(counters_, Counter::storage_other_ns);
  auto status = file_->sync();
  if (!status) unsynced_ = unflushed_ = true;
  return status;
}

// What another thread is flushing may be this one's.
Status Storage::flush() {
  std::lock_guard turn(flushing_);
  if (!unflushed_.exchange(false)) return {};
  Stopwatch time(counters_, Counter::storage_ns);
  auto status = file_->flush();
  if (!status) unflushed_ = true;
  return status;
}

Status Storage::refresh(int64_t offset, int64_t length) {
  if (!is_open_.load(std::memory_order_acquire)) return {};
  Stopwatch time(counters_, Counter::storage_ns);
  return file_->refresh(offset, length);
}

Result<int64_t> Storage::size() {
  if (auto status = open(); !status) return status.error();
  if (auto status = look_anew(); !status) return status.error();
  return file_->size();
}

Status Storage::resize(int64_t size) {
  if (auto status = open(); !status) return status;
  note_written();
  return file_->resize(size);
}

Status Storage::preallocate(int64_t size) {
  if (auto status = open(); !status) return status;
  Stopwatch time(counters_, Counter::storage_other_ns);
  note_written();
  return file_->preallocate(size);
}

bool Storage::can_map(bool write) {
  return open().ok() && file_->can_map(write);
}

Status Storage::make_space(int64_t offset, int64_t length) {
  if (auto status = open(); !status) return status;
  Stopwatch time(counters_, Counter::storage_ns);
  note_written();
  return file_->make_space(offset, length);
}

Result<store::Mapping> Storage::map(int64_t offset, int64_t length, bool write) {
  if (auto status = open(); !status) return status.error();
  Stopwatch time(counters_, Counter::storage_ns);
  if (write) note_written();
  if (auto status = look_anew(); !status) return status.error();
  return file_->map(offset, length, write);
}

Result<store::StorageLayout> Storage::layout() {
  if (auto status = open(); !status) return status.error();
  return file_->layout();
}

}  // namespace concilio::exec
