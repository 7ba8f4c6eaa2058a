#include "exec/storage.h"

namespace concilio {

Status Storage::open() {
  std::lock_guard lock(opening_);
  if (file_) return {};
  Stopwatch time(counters_, Counter::storage_ns);
  ++counters_[Counter::storage_opens];
  auto opened = store_.open(path_, mode_);
  if (!opened) return opened.error();
  file_ = std::move(*opened);
  return {};
}

Status Storage::close(bool write_back) {
  Status outcome = write_back ? sync() : Status();
  file_.reset();
  return outcome;
}

Result<int64_t> Storage::read(std::span<const Transfer> transfers) {
  if (auto status = open(); !status) return status.error();
  Stopwatch time(counters_, Counter::storage_ns);
  counters_[Counter::storage_reads] += static_cast<int64_t>(transfers.size());
  auto got = file_->read(transfers);
  if (got) counters_[Counter::storage_bytes_read] += *got;
  return got;
}

Status Storage::write(std::span<const Transfer> transfers) {
  if (auto status = open(); !status) return status;
  Stopwatch time(counters_, Counter::storage_ns);
  counters_[Counter::storage_writes] += static_cast<int64_t>(transfers.size());
  unsynced_ = true;
  auto status = file_->write(transfers);
  if (status) {
    for (const Transfer& transfer : transfers) counters_[Counter::storage_bytes_written] += transfer.length;
  }
  return status;
}

Status Storage::lock(int64_t offset, int64_t length, LockMode mode, int64_t timeout_ms) {
  if (auto status = open(); !status) return status;
  Stopwatch time(counters_, Counter::storage_ns);
  ++counters_[Counter::locks_taken];
  return file_->lock(offset, length, mode, timeout_ms);
}

Status Storage::unlock(int64_t offset, int64_t length) { return file_->unlock(offset, length); }

Status Storage::sync() {
  if (!unsynced_) return {};
  Stopwatch time(counters_, Counter::storage_ns);
  auto status = file_->sync();
  if (status) unsynced_ = false;
  return status;
}

Result<int64_t> Storage::size() {
  if (auto status = open(); !status) return status.error();
  return file_->size();
}

Status Storage::resize(int64_t size) {
  if (auto status = open(); !status) return status;
  unsynced_ = true;
  return file_->resize(size);
}

Status Storage::preallocate(int64_t size) {
  if (auto status = open(); !status) return status;
  Stopwatch time(counters_, Counter::storage_ns);
  unsynced_ = true;
  return file_->preallocate(size);
}

Result<StorageLayout> Storage::layout() {
  if (auto status = open(); !status) return status.error();
  return file_->layout();
}

}  // namespace concilio
