// One rank's way to its file: opened at the first use, every request counted and timed.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <span>
#include <string>

#include "base/counters.h"
#include "store/store.h"

namespace concilio {

class Storage {
 public:
  // `store` must outlive this.
  Storage(Store& store, std::string path, OpenMode mode, Counters& counters)
      : store_(store), path_(std::move(path)), mode_(mode), counters_(counters) {}

  const std::string& path() const { return path_; }
  bool can_read() const { return mode_.read; }
  // Opens the file now; later calls cost nothing. Only the first rank of a file creates it: see set_mode.
  Status open();
  void set_mode(OpenMode mode) { mode_ = mode; }
  // write_back: syncs first, for storage that tells of lost data only then (NFS).
  Status close(bool write_back);

  // As in StoreFile; each opens the file first.
  Result<int64_t> read(std::span<const Transfer> transfers);
  Status write(std::span<const Transfer> transfers);
  Status lock(int64_t offset, int64_t length, LockMode mode, int64_t timeout_ms);
  Status unlock(int64_t offset, int64_t length);
  Status sync();  // what this rank wrote; costs nothing where it wrote nothing since the last time
  Result<int64_t> size();
  Status resize(int64_t size);
  Status preallocate(int64_t size);
  Result<StorageLayout> layout();
  // Held together with a lock on the file: that belongs to the process, and so does not keep its threads
  // apart.
  std::mutex& lock_holder() { return lock_holder_; }

 private:
  Store& store_;
  std::string path_;
  OpenMode mode_;
  Counters& counters_;
  std::mutex opening_, lock_holder_;
  std::atomic<bool> unsynced_ = false;
  std::atomic<bool> is_open_ = false;
  std::unique_ptr<StoreFile> file_;
};

// A lock on a range of the file for as long as it lives, against other ranks and against this rank's other
// threads. A thread holds one at a time.
class RangeLock {
 public:
  RangeLock(Storage& storage, int64_t offset, int64_t length)
      : storage_(storage), offset_(offset), length_(length) {}
  ~RangeLock() {
    if (held_) (void)storage_.unlock(offset_, length_);
  }
  RangeLock(const RangeLock&) = delete;
  RangeLock& operator=(const RangeLock&) = delete;
  // Waits for whoever holds the range: they are at work, and what a process held is free when it ends. Only
  // to learn whether locks work at all (Key::lock_timeout_ms) is it right to lose patience soon.
  Status acquire(LockMode mode) {
    constexpr int64_t patience_ms = 600'000;
    here_ = std::unique_lock(storage_.lock_holder());
    auto status = storage_.lock(offset_, length_, mode, patience_ms);
    held_ = status.ok();
    return status;
  }

 private:
  Storage& storage_;
  int64_t offset_, length_;
  std::unique_lock<std::mutex> here_;
  bool held_ = false;
};

}  // namespace concilio
