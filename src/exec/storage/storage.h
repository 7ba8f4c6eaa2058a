// One rank's access to its file. The file is opened at its first use; every request is counted and timed.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <span>
#include <string>

#include "base/activity/activity.h"
#include "base/counters.h"
#include "base/operation.h"
#include "base/system/descriptor.h"
#include "exec/storage/held_ranges.h"
#include "store/plain_requests.h"
#include "store/store.h"

namespace concilio::exec {

class Storage {
 public:
  // `store` must outlive this.
  Storage(store::Store& store, std::string path, store::OpenMode mode, Counters& counters)
      : store_(store), path_(std::move(path)), mode_(mode), counters_(counters) {}

  // Found out when the file is opened, before any call on it.
  void set_client_cache(store::ClientCache cache) { client_cache_ = cache; }
  store::ClientCache client_cache() const { return client_cache_; }
  // From now on requests are recorded here too; nullptr: nowhere.
  void record_in(Activity* activity) { activity_ = activity; }
  const std::string& path() const { return path_; }
  bool can_read() const { return mode_.read; }
  // Opens the file now; later calls cost nothing. Only the first rank of a file creates it: set_mode() serves
  // that.
  Status open() {
    if (is_open_.load(std::memory_order_acquire)) return {};
    return open_now();
  }
  void set_mode(store::OpenMode mode) { mode_ = mode; }
  // From now on open() accepts only this very file, which other ranks have open. `descriptor` is one of that
  // file, if there is any; it is kept until the file is opened or closed.
  void expect(store::FileIdentity same_as, Descriptor descriptor);
  // The same with a descriptor that another process of this host has.
  void expect(store::FileIdentity same_as, int64_t process, int descriptor);
  // The identity of the open file; empty if it is not open.
  store::FileIdentity identity() { return file_ ? file_->identity() : store::FileIdentity{}; }
  int descriptor() { return file_ ? file_->descriptor() : -1; }
  // The file is closed even if an error is returned; the error says that written data may be lost.
  // write_back: syncs first, for storage that reports lost data only then (NFS).
  Status close(bool write_back);

  // Where this node's client may have old contents, the file is brought up to date before it is next read.
  void note_others_wrote() { others_wrote_.fetch_add(1, std::memory_order_release); }

  // These work as in StoreFile; each opens the file first. at_once: as in read_at_once and write_at_once of
  // StoreFile.
  Result<int64_t> read(std::span<const store::Transfer> transfers, bool at_once = false);
  Status write(std::span<const store::Transfer> transfers, bool at_once = false);
  // Whether storage and the GPU that the stream is of exchange bytes without the host's memory.
  bool reaches(const DeviceStream& stream) { return open().ok() && file_->reaches(stream); }
  Result<int64_t> move_directly(Operation operation, const DeviceStream& stream,
                                const store::Transfer& transfer);
  // Makes one request, which the caller counts and times, and returns the bytes transferred.
  Result<int64_t> request(Operation operation, const store::Transfer& transfer);
  // The same by a system call and nothing else; returns a negative number if it is to be made by request().
  int64_t request_plainly(Operation operation, const store::Transfer& transfer) {
    if (!is_open_.load(std::memory_order_acquire)) return -1;
    const bool reads = operation == Operation::read;
    if (reads &&
        seen_of_others_.load(std::memory_order_relaxed) != others_wrote_.load(std::memory_order_acquire))
      return -1;
    const int64_t moved = plain_.move(operation, transfer);
    if (!reads && moved >= 0) note_written();
    return moved;
  }
  Status lock(int64_t offset, int64_t length, store::LockMode mode, int64_t timeout_ms);
  Status unlock(int64_t offset, int64_t length);
  // How long a call waits for a lock that somebody else holds.
  int64_t lock_patience_ms() const { return lock_patience_ms_; }
  void set_lock_patience_ms(int64_t patience_ms) { lock_patience_ms_ = patience_ms; }
  Status sync();   // of what this rank wrote; costs nothing if it wrote nothing since the last sync
  Status flush();  // likewise
  // Whether this rank has written since this was last asked.
  bool take_wrote() { return wrote_.exchange(false); }
  // As StoreFile's; nothing is done if this rank has not opened the file. The first rank of each node has.
  Status refresh(int64_t offset = 0, int64_t length = 0);
  Result<int64_t> size();
  Status resize(int64_t size);
  Status preallocate(int64_t size);
  Result<store::StorageLayout> layout();
  bool can_map(bool write);  // false where the file cannot be opened
  Status make_space(int64_t offset, int64_t length);
  Result<store::Mapping> map(int64_t offset, int64_t length, bool write);
  // The ranges that this rank's threads have locked. A lock on the file belongs to the process, and so does
  // not keep its threads apart.
  HeldRanges& held() { return held_; }

 private:
  Status open_now();
  Status let_go();
  Status look_anew();
  // The transfers of which so many bytes were moved, and the end of their time.
  void record(Operation operation, Stopwatch& time, std::span<const store::Transfer> transfers,
              int64_t bytes) {
    if (activity_) activity_->stored(operation, time.start_ns(), time.stop(), transfers, bytes);
  }
  // Notes that there is something to sync. The request has been made, so that a sync that this overlaps with
  // either finds the note or syncs the request's bytes.
  void note_written() {
    if (!unsynced_) unsynced_ = true;
    if (!unflushed_) unflushed_ = true;
    if (!wrote_) wrote_ = true;
  }
  store::Store& store_;
  std::string path_;
  store::OpenMode mode_;
  Descriptor passed_;
  Counters& counters_;
  Activity* activity_ = nullptr;
  std::mutex opening_, flushing_;
  HeldRanges held_;
  int64_t lock_patience_ms_ = 600'000;
  store::ClientCache client_cache_ = store::ClientCache::coherent;
  std::atomic<bool> unsynced_ = false, unflushed_ = false, wrote_ = false;
  std::atomic<int64_t> others_wrote_ = 0, seen_of_others_ = 0;  // how often they wrote
  std::atomic<bool> is_open_ = false;
  std::unique_ptr<store::StoreFile> file_;
  store::PlainRequests plain_;
};

}  // namespace concilio::exec
