// One rank's way to its file: opened at the first use, every request counted and timed.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "base/counters.h"
#include "pattern/access.h"
#include "store/store.h"

namespace concilio {

// Which ranges of a file one process has locked: shared ones may overlap. Thread-safe.
class HeldRanges {
 public:
  // Waits until no other holder is in the way.
  void enter(Interval range, LockMode mode);
  // Calls unlock(part) for what of the range nobody else holds. Nobody enters meanwhile, who would lose what
  // he locks.
  void leave(Interval range, const std::function<void(Interval)>& unlock);

 private:
  struct Held {
    Interval range;
    LockMode mode;
  };
  std::mutex mutex_;
  std::condition_variable left_;
  std::vector<Held> held_;
};

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
  // at_once: as StoreFile's read_at_once and write_at_once.
  Result<int64_t> read(std::span<const Transfer> transfers, bool at_once = false);
  Status write(std::span<const Transfer> transfers, bool at_once = false);
  Status lock(int64_t offset, int64_t length, LockMode mode, int64_t timeout_ms);
  Status unlock(int64_t offset, int64_t length);
  Status sync();  // what this rank wrote; costs nothing where it wrote nothing since the last time
  Result<int64_t> size();
  Status resize(int64_t size);
  Status preallocate(int64_t size);
  Result<StorageLayout> layout();
  bool can_map(bool write);  // false where the file cannot be opened
  Status make_space(int64_t offset, int64_t length);
  Result<Mapping> map(int64_t offset, int64_t length, bool write);
  // Ranges that this rank's threads have locked: a lock on the file belongs to the process, and so does not
  // keep them apart.
  HeldRanges& held() { return held_; }

 private:
  Store& store_;
  std::string path_;
  OpenMode mode_;
  Counters& counters_;
  std::mutex opening_;
  HeldRanges held_;
  std::atomic<bool> unsynced_ = false;
  std::atomic<bool> is_open_ = false;
  std::unique_ptr<StoreFile> file_;
};

// A lock on a range of the file for as long as it lives, against this rank's other threads and, with
// `file_too`, against other ranks and other opens. Must not overlap one that the same thread holds.
class RangeLock {
 public:
  RangeLock(Storage& storage, int64_t offset, int64_t length)
      : storage_(storage), range_{offset, offset + length} {}
  ~RangeLock();
  RangeLock(const RangeLock&) = delete;
  RangeLock& operator=(const RangeLock&) = delete;
  // Waits for whoever holds the range: they are at work, and what a process held is free when it ends. Only
  // to learn whether locks work at all (Key::lock_timeout_ms) is it right to lose patience soon.
  Status acquire(LockMode mode, bool file_too = true);

 private:
  Storage& storage_;
  Interval range_;
  bool held_ = false, file_held_ = false;
};

}  // namespace concilio
