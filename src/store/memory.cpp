#include "store/memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <list>
#include <map>
#include <mutex>
#include <new>
#include <stdexcept>
#include <vector>

#include "store/operation.h"

namespace concilio::store {

namespace {

struct HeldLock {
  const void* owner;
  int64_t first, end;
  LockMode mode;

  bool overlaps(int64_t other_first, int64_t other_end) const {
    return first < other_end && other_first < end;
  }
  bool conflicts(const HeldLock& other) const {
    return owner != other.owner && overlaps(other.first, other.end) &&
           (mode == LockMode::exclusive || other.mode == LockMode::exclusive);
  }
};

// What all opens of one path share.
struct Contents {
  std::mutex mutex;
  std::condition_variable unlocked;
  std::vector<std::byte> bytes;
  std::vector<HeldLock> locks;
  std::list<HeldLock> waiting;  // in the order in which they came

  int64_t size() const { return static_cast<int64_t>(bytes.size()); }

  // Bytes that are added are zero.
  Status resize(const StoreEvent& event, int64_t size) {
    try {
      bytes.resize(static_cast<size_t>(size));
    } catch (const std::bad_alloc&) {
      return Error::from_errno(ENOSPC, failure_text(event));
    } catch (const std::length_error&) {
      return Error::from_errno(EFBIG, failure_text(event));
    }
    return {};
  }

  // Whether no conflicting lock is held, and nobody who came before waits for one.
  bool is_next(std::list<HeldLock>::const_iterator wanted) const {
    const auto in_the_way = [&wanted](const HeldLock& other) { return other.conflicts(*wanted); };
    return std::none_of(locks.begin(), locks.end(), in_the_way) &&
           std::none_of(waiting.begin(), wanted, in_the_way);
  }

  // Takes [first, end) out of the locks that `owner` holds.
  void release(const void* owner, int64_t first, int64_t end) {
    std::vector<HeldLock> kept;
    for (const HeldLock& held : locks) {
      if (held.owner != owner || !held.overlaps(first, end)) {
        kept.push_back(held);
        continue;
      }
      if (held.first < first) kept.push_back({owner, held.first, first, held.mode});
      if (end < held.end) kept.push_back({owner, end, held.end, held.mode});
    }
    locks = std::move(kept);
    unlocked.notify_all();
  }
};

class MemoryFile : public StoreFile {
 public:
  MemoryFile(std::shared_ptr<Contents> contents, std::string path, const OpenMode& mode)
      : contents_(std::move(contents)), path_(std::move(path)), mode_(mode) {}

  ~MemoryFile() override {
    const std::lock_guard guard(contents_->mutex);
    contents_->release(this, 0, INT64_MAX);
  }

  Result<int64_t> read(std::span<const Transfer> transfers) override {
    if (!mode_.read) return mode_error(event_of(StoreOperation::read, path_, transfers));
    if (Status status = check_transfers(transfers); !status) return status.error();
    const std::lock_guard guard(contents_->mutex);
    int64_t done_bytes = 0;
    for (const Transfer& transfer : transfers) {
      const int64_t bytes = std::clamp<int64_t>(contents_->size() - transfer.offset, 0, transfer.length);
      if (bytes > 0) {
        std::memcpy(transfer.data, contents_->bytes.data() + transfer.offset, static_cast<size_t>(bytes));
      }
      done_bytes += bytes;
      if (bytes < transfer.length) break;
    }
    return done_bytes;
  }

  Status write(std::span<const Transfer> transfers) override {
    const StoreEvent event = event_of(StoreOperation::write, path_, transfers);
    if (!mode_.write) return mode_error(event);
    if (Status status = check_transfers(transfers); !status) return status;
    const std::lock_guard guard(contents_->mutex);
    for (const Transfer& transfer : transfers) {
      if (transfer.length == 0) continue;
      const int64_t end = transfer.offset + transfer.length;
      if (end > contents_->size()) {
        if (Status status = contents_->resize(event, end); !status) return status;
      }
      std::memcpy(contents_->bytes.data() + transfer.offset, transfer.data,
                  static_cast<size_t>(transfer.length));
    }
    return {};
  }

  Status lock(int64_t offset, int64_t length, LockMode mode, int64_t timeout_ms) override {
    const StoreEvent event{StoreOperation::lock, path_, offset, length};
    if (Status status = check_range(offset, length); !status) return status;
    if (mode == LockMode::exclusive && !mode_.write) return mode_error(event);
    if (length == 0) return {};
    const HeldLock wanted{this, offset, offset + length, mode_.read ? mode : LockMode::exclusive};
    std::unique_lock guard(contents_->mutex);
    const auto timeout = std::chrono::milliseconds(std::clamp<int64_t>(timeout_ms, 0, 1'000'000'000));
    const auto place = contents_->waiting.insert(contents_->waiting.end(), wanted);
    const bool had = contents_->unlocked.wait_for(guard, timeout, [&] { return contents_->is_next(place); });
    contents_->waiting.erase(place);
    contents_->unlocked.notify_all();
    if (!had) {
      return Error{ErrorKind::file_in_use, EAGAIN,
                   fmt::format("{}: another file held a lock for {} ms", failure_text(event), timeout_ms)};
    }
    contents_->release(this, wanted.first, wanted.end);
    contents_->locks.push_back(wanted);
    return {};
  }

  Status unlock(int64_t offset, int64_t length) override {
    if (Status status = check_range(offset, length); !status) return status;
    if (length == 0) return {};
    const std::lock_guard guard(contents_->mutex);
    contents_->release(this, offset, offset + length);
    return {};
  }

  Status sync() override { return {}; }

  Result<int64_t> size() override {
    const std::lock_guard guard(contents_->mutex);
    return contents_->size();
  }

  Status resize(int64_t size) override { return set_size({StoreOperation::resize, path_, 0, size}, true); }

  Status preallocate(int64_t size) override {
    return set_size({StoreOperation::preallocate, path_, 0, size}, false);
  }

  Result<StorageLayout> layout() override {
    StorageLayout layout;
    layout.kind = StorageLayout::Kind::memory;
    layout.name = "memory";
    layout.block_bytes = 4096;
    return layout;
  }

 private:
  Status set_size(const StoreEvent& event, bool may_shrink) {
    if (Status status = check_range(0, event.bytes); !status) return status;
    if (!mode_.write) return mode_error(event);
    const std::lock_guard guard(contents_->mutex);
    if (event.bytes < contents_->size() && !may_shrink) return {};
    return contents_->resize(event, event.bytes);
  }

  const std::shared_ptr<Contents> contents_;
  const std::string path_;
  const OpenMode mode_;
};

class MemoryStore : public Store {
 public:
  Result<std::unique_ptr<StoreFile>> open(const std::string& path, const OpenMode& mode) override {
    const std::lock_guard guard(mutex_);
    const StoreEvent event{StoreOperation::open, path};
    auto found = files_.find(path);
    if (found == files_.end()) {
      if (!mode.create) return Error::from_errno(ENOENT, failure_text(event));
      found = files_.emplace(path, std::make_shared<Contents>()).first;
    } else if (mode.create && mode.exclusive) {
      return Error::from_errno(EEXIST, failure_text(event));
    }
    return std::unique_ptr<StoreFile>(std::make_unique<MemoryFile>(found->second, path, mode));
  }

  Status remove(const std::string& path, const FileIdentity&) override {
    const std::lock_guard guard(mutex_);
    if (files_.erase(path) == 1) return {};
    return Error::from_errno(ENOENT, failure_text({StoreOperation::remove, path}));
  }

 private:
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<Contents>> files_;
};

}  // namespace

std::unique_ptr<Store> make_memory_store() {
  return std::make_unique<MemoryStore>();
}

}  // namespace concilio::store
