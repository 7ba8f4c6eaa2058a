#include "store/posix.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <limits.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <thread>

#include "base/counters.h"
#include "base/log.h"
#include "store/filesystem.h"

namespace concilio {

namespace {

static_assert(sizeof(off_t) == 8, "files are larger than 2 GiB");

// Linux moves no more in one call, whatever is asked.
constexpr int64_t most_call_bytes = 0x7ffff000;
constexpr int64_t first_lock_pause_ns = 50'000, longest_lock_pause_ns = 20'000'000;

// What one preadv or pwritev moves.
struct Batch {
  std::array<iovec, IOV_MAX> pieces;
  size_t count = 0;
  int64_t offset = 0, bytes = 0;
};

// How far a sequence of transfers has come.
class Progress {
 public:
  explicit Progress(std::span<const Transfer> transfers) : transfers_(transfers) {}

  // The next transfers that are adjacent in the file, up to `most_bytes`; none at the end.
  void gather(Batch& batch, int64_t most_bytes) const {
    batch.count = 0;
    batch.bytes = 0;
    int64_t done = done_bytes_;
    for (size_t i = index_; i < transfers_.size() && batch.bytes < most_bytes; ++i, done = 0) {
      const Transfer& transfer = transfers_[i];
      if (transfer.length == done) continue;
      const int64_t offset = transfer.offset + done;
      if (batch.count == 0) batch.offset = offset;
      if (offset != batch.offset + batch.bytes) break;
      const int64_t bytes = std::min(transfer.length - done, most_bytes - batch.bytes);
      if (!append(batch, transfer.data + done, bytes)) break;
    }
  }

  void advance(int64_t bytes) {
    while (bytes > 0) {
      const int64_t step = std::min(bytes, transfers_[index_].length - done_bytes_);
      bytes -= step;
      done_bytes_ += step;
      if (done_bytes_ == transfers_[index_].length) {
        ++index_;
        done_bytes_ = 0;
      }
    }
  }

 private:
  static bool append(Batch& batch, std::byte* data, int64_t bytes) {
    if (batch.count > 0) {
      iovec& last = batch.pieces[batch.count - 1];
      if (static_cast<std::byte*>(last.iov_base) + last.iov_len == data) {
        last.iov_len += static_cast<size_t>(bytes);
        batch.bytes += bytes;
        return true;
      }
    }
    if (batch.count == batch.pieces.size()) return false;
    batch.pieces[batch.count++] = {data, static_cast<size_t>(bytes)};
    batch.bytes += bytes;
    return true;
  }

  std::span<const Transfer> transfers_;
  size_t index_ = 0;
  int64_t done_bytes_ = 0;  // of transfers_[index_]
};

// Makes a system call that moves no data, again where a signal interrupts it.
template <typename Call>
int retried(const SyscallHook& hook, StoreOperation operation, Call call) {
  for (;;) {
    const int injected = hook ? hook(operation, 0).system_errno : 0;
    if (injected) errno = injected;
    const int result = injected ? -1 : call();
    if (result >= 0 || errno != EINTR) return result;
  }
}

class PosixFile : public StoreFile {
 public:
  PosixFile(int fd, std::string path, const OpenMode& mode, SyscallHook hook)
      : fd_(fd), path_(std::move(path)), mode_(mode), hook_(std::move(hook)) {}

  ~PosixFile() override {
    // A network file system may only now say that it could not keep what was written.
    if (close(fd_) != 0 && errno != EINTR && mode_.write) {
      log(LogLevel::error, "{}", Error::from_errno(errno, fmt::format("closing {}", path_)).message);
    }
  }

  Result<int64_t> read(std::span<const Transfer> transfers) override {
    if (!mode_.read) return mode_error(event_of(StoreOperation::read, path_, transfers));
    return transfer(StoreOperation::read, transfers);
  }

  Status write(std::span<const Transfer> transfers) override {
    if (!mode_.write) return mode_error(event_of(StoreOperation::write, path_, transfers));
    const Result<int64_t> written = transfer(StoreOperation::write, transfers);
    if (!written) return written.error();
    return {};
  }

  Status lock(int64_t offset, int64_t length, LockMode mode, int64_t timeout_ms) override {
    const StoreEvent event{StoreOperation::lock, path_, offset, length};
    if (Status status = check_range(offset, length); !status) return status;
    if (mode == LockMode::exclusive && !mode_.write) return mode_error(event);
    if (length == 0) return {};  // to fcntl it would mean: to the end of the file
    const bool exclusive = mode == LockMode::exclusive || !mode_.read;
    const int64_t deadline_ns = now_ns() + std::clamp<int64_t>(timeout_ms, 0, 1'000'000'000'000) * 1'000'000;
    for (int64_t pause_ns = first_lock_pause_ns;; pause_ns = std::min(2 * pause_ns, longest_lock_pause_ns)) {
      if (set_lock(event, exclusive ? F_WRLCK : F_RDLCK) == 0) return {};
      if (errno != EAGAIN && errno != EACCES) return lock_error(event, errno);
      const int64_t left_ns = deadline_ns - now_ns();
      if (left_ns <= 0) {
        return Error{
            ErrorKind::file_in_use, EAGAIN,
            fmt::format("{}: another process held a lock for {} ms", failure_text(event), timeout_ms)};
      }
      std::this_thread::sleep_for(std::chrono::nanoseconds(std::min(pause_ns, left_ns)));
    }
  }

  Status unlock(int64_t offset, int64_t length) override {
    const StoreEvent event{StoreOperation::unlock, path_, offset, length};
    if (Status status = check_range(offset, length); !status) return status;
    if (length == 0 || set_lock(event, F_UNLCK) == 0) return {};
    return lock_error(event, errno);
  }

  Status sync() override {
    // EINVAL: a device that has nothing to bring to storage.
    const int result = retried(hook_, StoreOperation::sync, [this] { return fsync(fd_); });
    if (result == 0 || errno == EINVAL) return {};
    return failure({StoreOperation::sync, path_}, errno);
  }

  Result<int64_t> size() override {
    struct stat status;
    if (retried(hook_, StoreOperation::size, [&] { return fstat(fd_, &status); }) != 0) {
      return failure({StoreOperation::size, path_}, errno);
    }
    if (!S_ISBLK(status.st_mode)) return static_cast<int64_t>(status.st_size);
    const off_t end = lseek(fd_, 0, SEEK_END);
    if (end < 0) return failure({StoreOperation::size, path_}, errno);
    return static_cast<int64_t>(end);
  }

  Status resize(int64_t size) override {
    const StoreEvent event{StoreOperation::resize, path_, 0, size};
    if (Status status = check_range(0, size); !status) return status;
    if (!mode_.write) return mode_error(event);
    if (retried(hook_, StoreOperation::resize, [&] { return ftruncate(fd_, size); }) != 0) {
      return failure(event, errno);
    }
    return {};
  }

  Status preallocate(int64_t size) override {
    const StoreEvent event{StoreOperation::preallocate, path_, 0, size};
    if (Status status = check_range(0, size); !status) return status;
    if (!mode_.write) return mode_error(event);
    if (size == 0) return {};
    if (retried(hook_, event.operation, [&] { return fallocate(fd_, 0, 0, size); }) == 0) return {};
    if (errno != EOPNOTSUPP && errno != ENOSYS) return failure(event, errno);
    // Not posix_fallocate, which then rewrites a byte of every block and so races with other writers.
    const Result<int64_t> current = this->size();
    if (!current) return current.error();
    if (*current >= size) return {};
    if (retried(hook_, event.operation, [&] { return ftruncate(fd_, size); }) != 0)
      return failure(event, errno);
    return {};
  }

  Result<StorageLayout> layout() override {
    struct statfs status;
    if (retried(hook_, StoreOperation::layout, [&] { return fstatfs(fd_, &status); }) != 0) {
      return failure({StoreOperation::layout, path_}, errno);
    }
    return layout_of_magic(static_cast<uint32_t>(status.f_type), status.f_bsize);
  }

 private:
  static Error failure(const StoreEvent& event, int system_errno) {
    return Error::from_errno(system_errno, failure_text(event));
  }

  static Error lock_error(const StoreEvent& event, int system_errno) {
    Error error = failure(event, system_errno);
    // EINVAL: a kernel or a file system that does not know this kind of lock.
    if (system_errno == EINVAL) error.kind = ErrorKind::unsupported;
    return error;
  }

  int set_lock(const StoreEvent& event, int type) {
    struct flock range {};
    range.l_type = static_cast<short>(type);
    range.l_whence = SEEK_SET;
    range.l_start = event.offset;
    range.l_len = event.bytes;
    return retried(hook_, event.operation, [&] { return fcntl(fd_, F_OFD_SETLK, &range); });
  }

  Result<int64_t> transfer(StoreOperation operation, std::span<const Transfer> transfers) {
    if (Status status = check_transfers(transfers); !status) return status.error();
    Progress progress(transfers);
    Batch batch;
    int64_t done_bytes = 0;
    for (;;) {
      progress.gather(batch, most_call_bytes);
      if (batch.bytes == 0) return done_bytes;
      const ssize_t moved = move(operation, progress, batch);
      if (moved < 0 && errno == EINTR) continue;
      if (moved == 0 && operation == StoreOperation::read) return done_bytes;
      if (moved <= 0) {
        // No disk answers a write with 0 bytes; were it repeated, it might be for ever.
        return failure({operation, path_, batch.offset, batch.bytes}, moved < 0 ? errno : EIO);
      }
      done_bytes += moved;
      progress.advance(moved);
    }
  }

  ssize_t move(StoreOperation operation, const Progress& progress, Batch& batch) {
    if (hook_) {
      const SyscallOutcome outcome = hook_(operation, batch.bytes);
      if (outcome.system_errno) {
        errno = outcome.system_errno;
        return -1;
      }
      if (outcome.most_bytes < batch.bytes) progress.gather(batch, std::max<int64_t>(outcome.most_bytes, 1));
    }
    const auto call = operation == StoreOperation::read ? preadv : pwritev;
    return call(fd_, batch.pieces.data(), static_cast<int>(batch.count), batch.offset);
  }

  const int fd_;
  const std::string path_;
  const OpenMode mode_;
  const SyscallHook hook_;
};

// Not the kinds of file that offsets mean nothing in.
Status check_kind(int fd, const std::string& path) {
  const StoreEvent event{StoreOperation::open, path};
  struct stat status;
  if (fstat(fd, &status) != 0) return Error::from_errno(errno, failure_text(event));
  if (S_ISDIR(status.st_mode)) return Error::from_errno(EISDIR, failure_text(event));
  if (S_ISFIFO(status.st_mode)) {
    return Error{ErrorKind::bad_file, ESPIPE, failure_text(event) + ": it is a pipe, which has no offsets"};
  }
  // The flag that kept the open of a pipe from waiting; other files but devices ignore it.
  if (!S_ISREG(status.st_mode)) fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
  return {};
}

class PosixStore : public Store {
 public:
  explicit PosixStore(SyscallHook hook) : hook_(std::move(hook)) {}

  Result<std::unique_ptr<StoreFile>> open(const std::string& path, const OpenMode& mode) override {
    int flags = O_CLOEXEC | O_NONBLOCK;
    flags |= !mode.write ? O_RDONLY : mode.read ? O_RDWR : O_WRONLY;
    if (mode.create) flags |= O_CREAT;
    if (mode.create && mode.exclusive) flags |= O_EXCL;
    const int fd = retried(hook_, StoreOperation::open, [&] {
      return ::open(path.c_str(), flags, static_cast<mode_t>(mode.permissions));
    });
    if (fd < 0) return Error::from_errno(errno, failure_text({StoreOperation::open, path}));
    std::unique_ptr<StoreFile> file = std::make_unique<PosixFile>(fd, path, mode, hook_);
    if (Status status = check_kind(fd, path); !status) return status.error();
    return file;
  }

  Status remove(const std::string& path) override {
    if (retried(hook_, StoreOperation::remove, [&] { return unlink(path.c_str()); }) == 0) return {};
    return Error::from_errno(errno, failure_text({StoreOperation::remove, path}));
  }

 private:
  const SyscallHook hook_;
};

}  // namespace

std::unique_ptr<Store> make_posix_store(SyscallHook hook) {
  return std::make_unique<PosixStore>(std::move(hook));
}

}  // namespace concilio
