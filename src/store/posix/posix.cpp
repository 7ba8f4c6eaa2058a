#include "store/posix/posix.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <filesystem>
#include <mutex>
#include <optional>

#include "base/checked.h"
#include "base/log.h"
#include "base/system/cached_file.h"
#include "base/system/descriptor.h"
#include "base/system/looks.h"
#include "base/system/reserve_in_steps.h"
#include "base/waiting.h"
#include "store/place/filesystem.h"
#include "store/place/lustre_layout.h"
#include "store/posix/at_once.h"
#include "store/posix/direct_file.h"
#include "store/progress.h"

namespace concilio::store {

namespace {

static_assert(sizeof(off_t) == 8, "files are larger than 2 GiB");

constexpr int64_t first_lock_pause_ns = 50'000, longest_lock_pause_ns = 2'000'000;

// Bytes far behind the end of any file, which are used for locks alone. A process that must wait for a range
// holds a lock on the turnstile meanwhile, and later ones wait for that first. Without it, shared locks that
// follow each other without a gap would keep out an exclusive lock for ever.
constexpr int64_t turnstile = (int64_t{1} << 62) - 1, refreshed = turnstile - 1;
constexpr int64_t to_the_end = 0;  // as the length of a lock
// To look at the turnstile takes as long as to lock, so a process that has found nobody there does not look
// again for so long. A process that waits tries no more often.
constexpr int64_t turnstile_look_ns = 1'000'000;

// Makes a system call that moves no data.
template <typename Call>
int made_once(const SyscallHook& hook, StoreOperation operation, Call call) {
  const int injected = hook ? hook(operation, 0).system_errno : 0;
  if (injected) errno = injected;
  return injected ? -1 : call();
}

// The same, repeated if a signal interrupts it.
template <typename Call>
int retried(const SyscallHook& hook, StoreOperation operation, Call call) {
  for (;;) {
    const int result = made_once(hook, operation, call);
    if (result >= 0 || errno != EINTR) return result;
  }
}

// By this name a file can be opened again that a process has open; 0: this one.
std::string name_of(int fd, int64_t process = 0) {
  return process == 0 ? fmt::format("/proc/self/fd/{}", fd) : fmt::format("/proc/{}/fd/{}", process, fd);
}

class PosixFile : public StoreFile {
 public:
  // What never changes of an open file.
  struct Nature {
    FileIdentity identity;
    bool regular = false;
  };
  // `shares`: others lock through the same open file description.
  PosixFile(Descriptor descriptor, const Nature& nature, bool shares, std::string path, const OpenMode& mode,
            SyscallHook hook)
      : descriptor_(std::move(descriptor)),
        fd_(descriptor_.number()),
        nature_(nature),
        shares_(shares),
        path_(std::move(path)),
        mode_(mode),
        hook_(std::move(hook)) {}

  ~PosixFile() override {
    if (auto status = close(); !status) log(LogLevel::error, "{}", status.error().message);
  }

  // A network file system may report only at the close that it could not keep what was written.
  Status close() override {
    if (!descriptor_) return {};
    // Locks end with the last descriptor of the open file description, and child processes may have one.
    if (took_locks_) (void)set_lock({StoreOperation::unlock, path_, 0, to_the_end}, F_UNLCK);
    direct_.close();
    const int injected = hook_ ? hook_(StoreOperation::close, 0).system_errno : 0;
    const int found = descriptor_.close();
    const int failed = injected != 0 && injected != EINTR ? injected : found;
    return failed ? Status(failure({StoreOperation::close, path_}, failed)) : Status();
  }

  FileIdentity identity() override { return nature_.identity; }
  int descriptor() override { return fd_; }
  int descriptor_of_plain(Operation operation) override {
    const bool may = operation == Operation::read ? mode_.read : mode_.write;
    return may && !hook_ ? fd_ : -1;
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

  Result<int64_t> read_at_once(std::span<const Transfer> transfers) override {
    if (!mode_.read) return mode_error(event_of(StoreOperation::read, path_, transfers));
    return transfer_at_once(StoreOperation::read, transfers);
  }

  Status write_at_once(std::span<const Transfer> transfers) override {
    if (!mode_.write) return mode_error(event_of(StoreOperation::write, path_, transfers));
    const Result<int64_t> written = transfer_at_once(StoreOperation::write, transfers);
    if (!written) return written.error();
    return {};
  }

  Status lock(int64_t offset, int64_t length, LockMode mode, int64_t timeout_ms) override {
    const StoreEvent event{StoreOperation::lock, path_, offset, length};
    if (Status status = check_range(offset, length); !status) return status;
    if (mode == LockMode::exclusive && !mode_.write) return mode_error(event);
    if (length == 0) return {};  // and not to_the_end
    const bool exclusive = mode == LockMode::exclusive || !mode_.read;
    const int type = exclusive ? F_WRLCK : F_RDLCK;
    const int64_t now = now_ns();
    const int64_t deadline_ns = now + std::clamp<int64_t>(timeout_ms, 0, 1'000'000'000'000) * 1'000'000;
    if (timeout_ms <= 0 || !somebody_waits()) {
      Status status = wait_for_lock(event, type, std::min(deadline_ns, now + Looks::without_sleep_ns()));
      if (status || status.error().kind != ErrorKind::file_in_use) return status;
    }
    // The turnstile needs write access. Every process has it that waits for anything but readers.
    const StoreEvent at_turnstile{StoreOperation::lock, path_, turnstile, 1};
    const bool queues = timeout_ms > 0 && mode_.write;
    Status status = queues ? wait_for_lock(at_turnstile, F_WRLCK, deadline_ns) : Status();
    if (status) status = wait_for_lock(event, type, deadline_ns);
    if (queues) (void)set_lock(at_turnstile, F_UNLCK);
    if (!status && status.error().kind == ErrorKind::file_in_use) {
      return Error{ErrorKind::file_in_use, EAGAIN,
                   fmt::format("{}: another process held a lock for {} ms", failure_text(event), timeout_ms)};
    }
    return status;
  }

  Status unlock(int64_t offset, int64_t length) override {
    const StoreEvent event{StoreOperation::unlock, path_, offset, length};
    if (Status status = check_range(offset, length); !status) return status;
    if (length == 0 || set_lock(event, F_UNLCK) == 0) return {};
    return lock_error(event, errno);
  }

  Status sync() override {
    // EINVAL: a device that keeps nothing back from storage.
    const int result = retried(hook_, StoreOperation::sync, [this] { return fsync(fd_); });
    if (result == 0 || errno == EINVAL) return {};
    return failure({StoreOperation::sync, path_}, errno);
  }

  Status flush() override {
    switch (client_cache()) {
      case ClientCache::coherent:
        return {};
      case ClientCache::old_reads:
        // Writes go through the kernel to the file system's process. This one may still be sending them, and
        // can tell the size only when it has.
        ask_server();
        return {};
      case ClientCache::whole_pages:
        return sync();
    }
    return {};
  }

  Status refresh(int64_t offset, int64_t length) override {
    if (client_cache() == ClientCache::old_reads) {
      look_at_server();
    } else {
      // A client of network storage validates its cache when it gets a lock, or when the file is opened
      // ("close-to-open"). To close a descriptor would end the locks of a process.
      const StoreEvent event{StoreOperation::lock, path_, refreshed, 1};
      if (set_lock(event, mode_.read ? F_RDLCK : F_WRLCK) == 0)
        (void)set_lock(event, F_UNLCK);
      else if (!shares_)
        (void)Descriptor(::open(name_of(fd_).c_str(), (mode_.read ? O_RDONLY : O_WRONLY) | O_CLOEXEC));
    }
    drop_pages(offset, length);
    return {};
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
    const int failed = reserve(0, size);
    if (failed == 0) return {};
    if (failed != EOPNOTSUPP && failed != ENOSYS) return failure(event, failed);
    return lengthen(event);
  }

  bool can_map(bool write) override {
    if (!mode_.read || (write && !mode_.write) || !nature_.regular || !pages_can_be_made_present())
      return false;
    const auto file_system = known_file_system();
    return file_system && may_be_mapped(*file_system, write);
  }

  Status make_space(int64_t offset, int64_t length) override {
    const StoreEvent event{StoreOperation::preallocate, path_, offset, length};
    if (Status status = check_range(offset, length); !status) return status;
    if (!mode_.write) return mode_error(event);
    const int failed = reserve(offset, length);
    return failed ? unsupported_if({EINVAL, ENODEV, ENOSYS, EOPNOTSUPP}, event, failed) : Status();
  }

  Result<Mapping> map(int64_t offset, int64_t length, bool write) override {
    const StoreEvent event{StoreOperation::map, path_, offset, length};
    if (Status status = check_range(offset, length); !status) return status.error();
    if (!mode_.read || (write && !mode_.write)) return mode_error(event);
    Mapping mapping;
    const int refused = retried(hook_, event.operation, [&] {
      errno = map_file(fd_, offset, length, write, mapping);
      return errno == 0 ? 0 : -1;
    });
    if (!refused) return mapping;
    // EACCES and EPERM: a rule of the system against mapping, as the descriptor allows the access. EOVERFLOW:
    // the page ends behind the last byte that a file can have.
    return unsupported_if(
        {EACCES, EAGAIN, EFAULT, EINVAL, ENODEV, ENOMEM, ENOSYS, EOPNOTSUPP, EOVERFLOW, EPERM}, event, errno);
  }

  // Files in memory are pages of the host. Where the node keeps pages of its own of a file that other nodes
  // write, these are in the way. A descriptor more would end the locks of a process when it is closed.
  bool reaches(const DeviceStream& stream) override {
    const auto file_system = known_file_system();
    return stream.cufile() && nature_.regular && !shares_ && file_system &&
           client_cache_of(*file_system) == ClientCache::coherent &&
           kind_of_magic(*file_system) != StorageLayout::Kind::memory &&
           direct_.open(fd_, mode_, stream, hook_);
  }

  Result<int64_t> move_directly(Operation operation, const DeviceStream& stream,
                                const Transfer& transfer) override {
    if (Status status = check_range(transfer.offset, transfer.length); !status) return status.error();
    return direct_.move(operation, stream, transfer, path_, hook_);
  }

  Result<StorageLayout> layout() override {
    struct statfs status;
    if (retried(hook_, StoreOperation::layout, [&] { return fstatfs(fd_, &status); }) != 0) {
      return failure({StoreOperation::layout, path_}, errno);
    }
    file_system_ = static_cast<uint32_t>(status.f_type);
    StorageLayout layout = layout_of_magic(static_cast<uint32_t>(status.f_type), status.f_bsize);
    refine_layout(fd_, nature_.identity.device, layout);
    layout.common_inodes = layout.common_inodes && nature_.regular;  // a host has devices of its own
    return layout;
  }

 private:
  // f_type of statfs(2), which is asked for once.
  std::optional<uint32_t> known_file_system() {
    if (file_system_ == unknown_file_system) {
      struct statfs status;
      if (fstatfs(fd_, &status) != 0) return {};
      file_system_ = static_cast<uint32_t>(status.f_type);
    }
    return static_cast<uint32_t>(file_system_);
  }
  ClientCache client_cache() {
    const auto file_system = known_file_system();
    return file_system ? client_cache_of(*file_system) : ClientCache::coherent;
  }
  // The kernel forgets the pages with these bytes; of those that are not wholly in the range that it is told
  // of it would keep the old. A length of 0: to the end.
  void drop_pages(int64_t offset, int64_t length) {
    constexpr int64_t page_bytes = 64 << 10;  // the largest that there are
    const int64_t begin = align_down(offset, page_bytes), end = saturating_add(offset, length);
    const int64_t to = length > 0 && end < INT64_MAX - page_bytes ? align_up(end, page_bytes) : begin;
    (void)posix_fadvise(fd_, begin, to - begin, POSIX_FADV_DONTNEED);
  }
  // The size and times of the file come from the file system's process now, whatever the kernel has kept.
  void ask_server() {
    struct statx status;
    (void)statx(fd_, "", AT_EMPTY_PATH | AT_STATX_FORCE_SYNC, STATX_SIZE | STATX_MTIME, &status);
  }
  // They come from the server. The file system's process may keep them too (GlusterFS for a second), until an
  // answer of the server brings others: that to a sync, or, sooner, that to a read. But the kernel does not
  // read what it takes to lie behind the end, and the process reads no small file again that it has kept as a
  // whole.
  void look_at_server() {
    constexpr int64_t least_read_bytes = 1 << 20;
    struct stat kept;
    const int64_t size = fstat(fd_, &kept) == 0 ? kept.st_size : 0;
    std::byte last{};
    drop_pages(std::max<int64_t>(size - 1, 0), 1);
    if (size < least_read_bytes || pread(fd_, &last, 1, size - 1) < 0) (void)fsync(fd_);
    ask_server();
  }

  static Error failure(const StoreEvent& event, int system_errno) {
    return Error::from_errno(system_errno, failure_text(event));
  }

  // With these errnos the error is of kind unsupported: other operations can do the work instead, or report
  // better what is wrong.
  static Error unsupported_if(std::initializer_list<int> these, const StoreEvent& event, int system_errno) {
    Error error = failure(event, system_errno);
    if (std::find(these.begin(), these.end(), system_errno) != these.end())
      error.kind = ErrorKind::unsupported;
    return error;
  }

  static Error lock_error(const StoreEvent& event, int system_errno) {
    Error error = failure(event, system_errno);
    // EINVAL: the kernel or the file system does not know this kind of lock.
    if (system_errno == EINVAL) error.kind = ErrorKind::unsupported;
    return error;
  }

  // Returns 0 or an errno.
  int reserve(int64_t offset, int64_t length) {
    return reserve_in_steps(offset, length, [this](int64_t begin, int64_t bytes) {
      const auto call = [&] { return fallocate(fd_, 0, begin, bytes); };
      return made_once(hook_, StoreOperation::preallocate, call) == 0 ? 0 : errno;
    });
  }

  // Makes the file at least as long as `event` says, by writing its last byte if the file ends before that.
  // ftruncate would cut off what other opens append after this has looked at the size. posix_fallocate writes
  // a byte of every block where the file system cannot reserve space, and so races with other writers.
  Status lengthen(const StoreEvent& event) {
    const int64_t last = event.offset + event.bytes - 1;
    const auto write_last = [&]() -> int {
      const Result<int64_t> current = size();
      if (!current) {
        errno = current.error().system_errno;
        return -1;
      }
      return *current > last ? 0 : static_cast<int>(pwrite(fd_, "", 1, last));
    };
    return retried(hook_, event.operation, write_last) < 0 ? Status(failure(event, errno)) : Status();
  }

  static struct flock lock_of(const StoreEvent& event, int type) {
    struct flock range {};
    range.l_type = static_cast<short>(type);
    range.l_whence = SEEK_SET;
    range.l_start = event.offset;
    range.l_len = event.bytes;
    return range;
  }

  int set_lock(const StoreEvent& event, int type) {
    struct flock range = lock_of(event, type);
    const int command = shares_ ? F_SETLK : F_OFD_SETLK;
    const int result = retried(hook_, event.operation, [&] { return fcntl(fd_, command, &range); });
    if (result == 0 && type != F_UNLCK) took_locks_.store(true, std::memory_order_relaxed);
    return result;
  }

  // Fails with kind file_in_use, without allocating, if the lock was not free by the deadline.
  Status wait_for_lock(const StoreEvent& event, int type, int64_t deadline_ns) {
    Looks looks(first_lock_pause_ns, longest_lock_pause_ns);
    for (;;) {
      if (set_lock(event, type) == 0) return {};
      if (errno != EAGAIN && errno != EACCES) return lock_error(event, errno);
      const int64_t left_ns = deadline_ns - now_ns();
      if (left_ns <= 0) return Error{ErrorKind::file_in_use, EAGAIN, "in use"};
      looks.pause(left_ns);
    }
  }

  // Whether another open of the file is at the turnstile, as far as this one knows.
  bool somebody_waits() {
    const int64_t now = now_ns();
    if (now < next_look_ns_.load(std::memory_order_relaxed)) return false;
    struct flock range = lock_of({StoreOperation::lock, path_, turnstile, 1}, F_RDLCK);
    const bool found = fcntl(fd_, shares_ ? F_GETLK : F_OFD_GETLK, &range) == 0 && range.l_type != F_UNLCK;
    if (!found) next_look_ns_.store(now + turnstile_look_ns, std::memory_order_relaxed);
    return found;
  }

  // The same as below for one piece of memory, for which pread and pwrite are faster than their vector forms.
  Result<int64_t> transfer_one(StoreOperation operation, const Transfer& whole) {
    if (!is_range(whole.offset, whole.length)) return check_range(whole.offset, whole.length).error();
    for (int64_t done_bytes = 0;;) {
      const Transfer rest{whole.offset + done_bytes, whole.data + done_bytes,
                          std::min(whole.length - done_bytes, most_call_bytes)};
      if (rest.length == 0) return done_bytes;
      const ssize_t moved = move_one(operation, rest);
      if (moved < 0 && errno == EINTR) continue;
      if (moved == 0 && operation == StoreOperation::read) return done_bytes;
      if (moved <= 0) return move_error(operation, rest.offset, rest.length, moved);
      done_bytes += moved;
    }
  }

  ssize_t move_one(StoreOperation operation, const Transfer& piece) {
    const auto way = is_slow(operation, piece) ? move_in_pieces : move_plainly;
    return way(fd_, direction_of(operation), piece.data, piece.length, piece.offset);
  }
  bool is_slow(StoreOperation operation, const Transfer& piece) {
    return is_slow_request(direction_of(operation), piece.data, piece.length, piece.offset) &&
           is_in_page_cache() && has_slow_distances();
  }
  static Operation direction_of(StoreOperation operation) {
    return operation == StoreOperation::read ? Operation::read : Operation::write;
  }
  // Whether a request in pieces costs no more than a few system calls: the file's bytes are in the page cache
  // of this node, or come there from its own disk, which reads ahead.
  bool is_in_page_cache() {
    if (!nature_.regular) return false;
    const auto file_system = known_file_system();
    const auto kind = file_system ? kind_of_magic(*file_system) : StorageLayout::Kind::unknown;
    return kind == StorageLayout::Kind::memory || kind == StorageLayout::Kind::local;
  }

  // No disk answers a write with 0 bytes. Repeating such a write might never end.
  Error move_error(StoreOperation operation, int64_t offset, int64_t bytes, ssize_t moved) const {
    return failure({operation, path_, offset, bytes}, moved < 0 ? errno : EIO);
  }

  Result<int64_t> transfer(StoreOperation operation, std::span<const Transfer> transfers) {
    if (transfers.size() == 1 && !hook_) return transfer_one(operation, transfers.front());
    if (Status status = check_transfers(transfers); !status) return status.error();
    Progress progress(transfers);
    Pieces pieces;
    int64_t done_bytes = 0;
    for (;;) {
      Gathered batch = progress.gather(pieces, most_call_bytes);
      if (batch.bytes == 0) return done_bytes;
      const ssize_t moved = move(operation, progress, pieces, batch);
      if (moved < 0 && errno == EINTR) continue;
      if (moved == 0 && operation == StoreOperation::read) return done_bytes;
      if (moved <= 0) return move_error(operation, batch.offset, batch.bytes, moved);
      done_bytes += moved;
      progress.advance(moved);
    }
  }

  ssize_t move(StoreOperation operation, const Progress& progress, Pieces& pieces, Gathered& batch) {
    if (hook_) {
      const SyscallOutcome outcome = hook_(operation, batch.bytes);
      if (outcome.system_errno) {
        errno = outcome.system_errno;
        return -1;
      }
      if (outcome.most_bytes < batch.bytes) {
        batch = progress.gather(pieces, std::max<int64_t>(outcome.most_bytes, 1));
      }
    }
    const Transfer first{batch.offset, static_cast<std::byte*>(pieces[0].iov_base),
                         static_cast<int64_t>(pieces[0].iov_len)};
    if (batch.count == 1 || is_slow(operation, first)) return move_one(operation, first);
    const auto call = operation == StoreOperation::read ? preadv : pwritev;
    return call(fd_, pieces.data(), static_cast<int>(batch.count), batch.offset);
  }

  Result<int64_t> transfer_at_once(StoreOperation operation, std::span<const Transfer> transfers) {
    const StoreEvent whole = event_of(operation, path_, transfers);
    if (whole.requests < 2 || !check_transfers(transfers)) return transfer(operation, transfers);
    {
      const std::lock_guard turn(ring_mutex_);
      if (Ring* ring = ring_of_file()) {
        const AtOnceOutcome outcome = move_at_once(*ring, fd_, operation, transfers, hook_);
        if (outcome.system_errno) {
          return failure({operation, path_, outcome.failed.offset, outcome.failed.bytes},
                         outcome.system_errno);
        }
        if (!outcome.ring_broke) return outcome.done_bytes;
        ring_.reset();
      }
    }
    return transfer(operation, transfers);
  }

  // The ring is made when it is first needed. Returns nullptr where there is none.
  Ring* ring_of_file() {
    if (ring_was_tried_) return ring_.get();
    ring_was_tried_ = true;
    Result<std::unique_ptr<Ring>> made = Error{};
    const int refused = retried(hook_, StoreOperation::ring, [&made] {
      made = make_ring();
      if (!made) errno = made.error().system_errno;
      return made ? 0 : -1;
    });
    if (refused) {
      log(LogLevel::info, "{}: requests go in turn", failure({StoreOperation::ring, path_}, errno).message);
      return nullptr;
    }
    ring_ = std::move(*made);
    return ring_.get();
  }

  Descriptor descriptor_;
  const int fd_;
  const Nature nature_;
  static constexpr int64_t unknown_file_system = -1;
  std::atomic<int64_t> file_system_ = unknown_file_system;  // f_type of statfs(2), once it was asked for
  std::atomic<int64_t> next_look_ns_ = 0;                   // at the turnstile
  std::atomic<bool> took_locks_ = false;
  const bool shares_;
  const std::string path_;
  const OpenMode mode_;
  const SyscallHook hook_;
  std::mutex ring_mutex_;
  std::unique_ptr<Ring> ring_;
  bool ring_was_tried_ = false;
  DirectFile direct_;
};

// The rest of the path if it begins with the working folder; otherwise nothing.
std::string from_working_folder(const std::string& path) {
  std::error_code unknown;
  const std::string folder = std::filesystem::current_path(unknown).string() + '/';
  return !unknown && path.starts_with(folder) ? path.substr(folder.size()) : std::string();
}

// What attempt(name) returns for the path. The path may be longer than the system takes, or lead through a
// folder that this process may not search. If it leads through the working folder, the way from there may
// still be open to it, as it is to the program.
template <typename Attempt>
auto by_path(const std::string& path, Attempt attempt) -> decltype(attempt(path)) {
  auto outcome = attempt(path);
  if (outcome) return outcome;
  const int failed = outcome.error().system_errno;
  const std::string rest =
      failed == ENAMETOOLONG || failed == EACCES ? from_working_folder(path) : std::string();
  if (rest.empty()) return outcome;
  auto second = attempt(rest);
  return second ? std::move(second) : std::move(outcome);
}

// Leaves errno as it was.
bool is_regular(const std::string& name) {
  const int before = errno;
  struct stat status;
  const bool regular = stat(name.c_str(), &status) == 0 && S_ISREG(status.st_mode);
  errno = before;
  return regular;
}

// Whether the open of a pipe needs no O_NONBLOCK: with both ends open, there is nobody to wait for (fifo(7)).
bool waits_for_nobody(const OpenMode& mode) {
  return mode.read && mode.write;
}

Error another_file(StoreOperation operation, const std::string& path) {
  return {ErrorKind::no_such_file, ESTALE,
          failure_text({operation, path}) + ": another file has that name than the one that was opened"};
}

// Finds out what was opened. Refuses another file than the one that was to be opened again, and the kinds of
// file in which offsets have no meaning.
Result<PosixFile::Nature> nature_of(int fd, const std::string& path, const OpenMode& mode) {
  const StoreEvent event{StoreOperation::open, path};
  struct stat status;
  if (fstat(fd, &status) != 0) return Error::from_errno(errno, failure_text(event));
  if (!may_be_same({status.st_dev, status.st_ino}, mode.same_as)) return another_file(event.operation, path);
  if (S_ISDIR(status.st_mode)) return Error::from_errno(EISDIR, failure_text(event));
  if (S_ISFIFO(status.st_mode)) {
    return Error{ErrorKind::bad_file, ESPIPE, failure_text(event) + ": it is a pipe, which has no offsets"};
  }
  // O_NONBLOCK kept the open of a pipe from waiting. Requests to devices, and through a ring, would fail
  // where they have to wait.
  if (!waits_for_nobody(mode)) (void)fcntl(fd, F_SETFL, 0);  // the other flags that this clears were not set
  return PosixFile::Nature{{status.st_dev, status.st_ino}, S_ISREG(status.st_mode)};
}

class PosixStore : public Store {
 public:
  explicit PosixStore(SyscallHook hook) : hook_(std::move(hook)) {}

  Result<std::unique_ptr<StoreFile>> open(const std::string& path, const OpenMode& mode) override {
    Result<Opened> found = mode.descriptor >= 0 ? open_again(path, mode) : Error{};
    if (!found && mode.process != 0) return found.error();
    if (!found) found = open_path(path, mode);
    bool shares = false;
    if (!found && mode.descriptor >= 0) {
      found = duplicate(mode.descriptor, path, mode);
      shares = true;
    }
    // A program may have closed its standard streams. What it or a library prints must not go to the file.
    if (found && found->descriptor.number() <= STDERR_FILENO)
      found = duplicate(found->descriptor.number(), path, mode);
    if (!found) return found.error();
    std::unique_ptr<StoreFile> file =
        std::make_unique<PosixFile>(std::move(found->descriptor), found->nature, shares, path, mode, hook_);
    return file;
  }

  Status remove(const std::string& path, const FileIdentity& same_as) override {
    return by_path(path, [&](const std::string& name) -> Status {
      struct stat status;
      if (same_as.inode != 0 && stat(name.c_str(), &status) == 0 &&
          !may_be_same({status.st_dev, status.st_ino}, same_as)) {
        return another_file(StoreOperation::remove, path);
      }
      if (retried(hook_, StoreOperation::remove, [&] { return unlink(name.c_str()); }) == 0) return {};
      return Error::from_errno(errno, failure_text({StoreOperation::remove, path}));
    });
  }

 private:
  // An open file, and what it is.
  struct Opened {
    Descriptor descriptor;
    PosixFile::Nature nature;
  };
  static Result<Opened> opened(Result<Descriptor> made, const std::string& path, const OpenMode& mode) {
    if (!made) return made.error();
    const auto nature = nature_of(made->number(), path, mode);
    if (!nature) return nature.error();
    return Opened{std::move(*made), *nature};
  }

  Result<Descriptor> open_name(const std::string& name, const OpenMode& mode, const std::string& what) {
    int flags = O_CLOEXEC;
    flags |= !mode.write ? O_RDONLY : mode.read ? O_RDWR : O_WRONLY;
    bool created = false;
    if (mode.create && mode.write && mode.striping.asked() && lies_on_lustre(name)) {
      Descriptor made = create_on_lustre(name, flags, mode.permissions, mode.striping, created);
      if (made) return made;
    }
    if (mode.create) flags |= O_CREAT;
    if (mode.create && mode.exclusive && !created) flags |= O_EXCL;
    const auto open_with = [&](int more_flags) {
      return Descriptor(retried(hook_, StoreOperation::open, [&] {
        return ::open(name.c_str(), flags | more_flags, static_cast<mode_t>(mode.permissions));
      }));
    };
    // The open of a pipe must not wait for its other end. That of a regular file waits for another process or
    // client, which holds a lease on the file and is now told to give it up.
    Descriptor made = open_with(waits_for_nobody(mode) ? 0 : O_NONBLOCK);
    if (!made && errno == EWOULDBLOCK && is_regular(name)) made = open_with(0);
    if (!made) return Error::from_errno(errno, failure_text({StoreOperation::open, what}));
    return made;
  }

  Result<Opened> open_path(const std::string& path, const OpenMode& mode) {
    return opened(by_path(path, [&](const std::string& name) { return open_name(name, mode, path); }), path,
                  mode);
  }

  Result<Opened> open_again(const std::string& path, OpenMode mode) {
    mode.create = mode.exclusive = false;
    return opened(open_name(name_of(mode.descriptor, mode.process), mode, path), path, mode);
  }

  Result<Opened> duplicate(int descriptor, const std::string& path, const OpenMode& mode) {
    Descriptor made(retried(hook_, StoreOperation::open,
                            [&] { return fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1); }));
    if (!made) return Error::from_errno(errno, failure_text({StoreOperation::open, path}));
    return opened(std::move(made), path, mode);
  }

  const SyscallHook hook_;
};

}  // namespace

std::unique_ptr<Store> make_posix_store(SyscallHook hook) {
  return std::make_unique<PosixStore>(std::move(hook));
}

}  // namespace concilio::store
