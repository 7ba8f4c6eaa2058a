// One rank's way to its file: opened at the first use, every request counted and timed.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <span>
#include <string>

#include "base/counters.h"
#include "base/descriptor.h"
#include "exec/locks/held_ranges.h"
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
  // From now on no other file is opened than this one, which others have open. descriptor: of it, if there is
  // one, kept until it is opened or closed.
  void expect(FileIdentity same_as, Descriptor descriptor);
  // Of the open file; nothing where it is not open.
  FileIdentity identity() { return file_ ? file_->identity() : FileIdentity{}; }
  int descriptor() { return file_ ? file_->descriptor() : -1; }
  // Closed it is either way; an error: what was written may be lost. write_back: syncs first, for storage
  // that tells of lost data only then (NFS).
  Status close(bool write_back);

  // As in StoreFile; each opens the file first.
  // at_once: as StoreFile's read_at_once and write_at_once.
  Result<int64_t> read(std::span<const Transfer> transfers, bool at_once = false);
  Status write(std::span<const Transfer> transfers, bool at_once = false);
  Status lock(int64_t offset, int64_t length, LockMode mode, int64_t timeout_ms);
  Status unlock(int64_t offset, int64_t length);
  // How long a call waits for a lock that somebody else holds.
  int64_t lock_patience_ms() const { return lock_patience_ms_; }
  void set_lock_patience_ms(int64_t patience_ms) { lock_patience_ms_ = patience_ms; }
  Status sync();     // what this rank wrote; costs nothing where it wrote nothing since the last time
  Status refresh();  // as StoreFile's
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
  Status let_go();
  Store& store_;
  std::string path_;
  OpenMode mode_;
  Descriptor passed_;
  Counters& counters_;
  std::mutex opening_;
  HeldRanges held_;
  int64_t lock_patience_ms_ = 600'000;
  std::atomic<bool> unsynced_ = false;
  std::atomic<bool> is_open_ = false;
  std::unique_ptr<StoreFile> file_;
};

}  // namespace concilio
