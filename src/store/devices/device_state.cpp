#include "store/devices/device_state.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <new>
#include <vector>

#include "base/log.h"
#include "base/system/reserve_in_steps.h"
#include "base/text/name_hash.h"
#include "store/devices/device_clock.h"

namespace concilio::store {

namespace {

static_assert(std::atomic<int64_t>::is_always_lock_free);

constexpr int64_t page_bytes = 4096;
constexpr uint64_t file_mark = 0x325443414f4c4943;

// What the file begins with; the words follow. Hardly any devices need more than one page.
struct Header {
  uint64_t mark;       // file_mark, once the file is complete
  int64_t words_used;  // this and `streams` identify the devices
  int64_t streams;
};

int64_t bytes_of(int64_t words) {
  const auto bytes = static_cast<int64_t>(sizeof(Header) + sizeof(std::atomic<int64_t>) * words);
  return (bytes + page_bytes - 1) / page_bytes * page_bytes;
}

class OwnState : public DeviceState {
 public:
  explicit OwnState(int64_t words) : own_(static_cast<size_t>(words)) { words_ = own_; }

 private:
  std::vector<std::atomic<int64_t>> own_;
};

// A process that uses the file has a shared lock (flock) on its file, which the system releases however the
// process ends. A process that gets the exclusive lock is the only one, and so may initialise it, or
// delete it.
class SharedState : public DeviceState {
 public:
  SharedState(int fd, std::string path, const ThrottleCosts& costs)
      : fd_(fd),
        path_(std::move(path)),
        process_(getpid()),
        words_used_(DeviceClock::words_of(costs)),
        streams_(costs.streams) {}

  ~SharedState() override {
    if (header_) munmap(header_, size());
    // After fork, a child has the same lock, and its parent may still use the file.
    if (header_ && process_ == getpid() && flock(fd_, LOCK_EX | LOCK_NB) == 0) unlink(path_.c_str());
    close(fd_);
  }

  // Returns false with errno if the file cannot be used. ESTALE means that its file was deleted meanwhile, so
  // that another try is worthwhile.
  bool begin() {
    if (flock(fd_, LOCK_EX | LOCK_NB) == 0) {
      if (!is_free_to_make() || !make()) return false;
    } else if (errno != EWOULDBLOCK && errno != EINTR) {
      return false;
    }
    int locked;
    while ((locked = flock(fd_, LOCK_SH)) != 0 && errno == EINTR) continue;
    struct stat status;
    if (locked != 0 || fstat(fd_, &status) != 0) return false;
    if (status.st_nlink == 0 || status.st_size != bytes_) {
      errno = status.st_nlink == 0 ? ESTALE : EEXIST;
      return false;
    }
    Header* header = map();
    if (!header) return false;
    if (header->mark != file_mark || header->words_used != words_used_ || header->streams != streams_) {
      munmap(header, size());
      errno = EBUSY;
      return false;
    }
    header_ = header;
    words_ = words_behind(header);
    return true;
  }

  bool is_shared() const override { return true; }

 private:
  size_t size() const { return static_cast<size_t>(bytes_); }

  Header* map() {
    void* at = mmap(nullptr, size(), PROT_READ | PROT_WRITE, MAP_SHARED, fd_, 0);
    return at == MAP_FAILED ? nullptr : static_cast<Header*>(at);
  }
  std::span<std::atomic<int64_t>> words_behind(Header* header) const {
    return {reinterpret_cast<std::atomic<int64_t>*>(header + 1), static_cast<size_t>(words_used_)};
  }

  // Whether the file holds nothing of value: it is empty, or was left over.
  bool is_free_to_make() const {
    struct stat status;
    if (fstat(fd_, &status) != 0) return false;
    if (status.st_nlink == 0) errno = ESTALE;
    if (status.st_nlink == 0 || status.st_size == 0) return status.st_nlink != 0;
    uint64_t mark = 0;
    if (status.st_size % page_bytes == 0 && pread(fd_, &mark, sizeof(mark), 0) == sizeof(mark) &&
        (mark == file_mark || is_blank(status.st_size))) {
      return true;
    }
    errno = EEXIST;
    return false;
  }
  // As one whose process was killed while it made the file.
  bool is_blank(int64_t file_bytes) const {
    constexpr int64_t most_bytes = 4 << 20;
    std::array<char, page_bytes> page;
    int64_t offset = 0;
    for (; file_bytes <= most_bytes && offset < file_bytes; offset += page_bytes) {
      if (pread(fd_, page.data(), page.size(), offset) != page_bytes ||
          std::ranges::any_of(page, [](char c) { return c != 0; }))
        return false;
    }
    return offset == file_bytes;
  }

  bool make() {
    // To lengthen it by ftruncate would not do: where memory is short, the first touch of a page would then
    // kill the process.
    const auto reserve = [this](int64_t offset, int64_t bytes) {
      return posix_fallocate(fd_, offset, bytes);
    };
    if (ftruncate(fd_, 0) != 0) return false;
    if (const int failure = reserve_in_steps(0, bytes_, reserve)) {
      unlink(path_.c_str());
      errno = failure;
      return false;
    }
    Header* header = map();
    if (!header) return false;
    for (auto& word : words_behind(header)) word.store(0, std::memory_order_relaxed);
    header->words_used = words_used_;
    header->streams = streams_;
    header->mark = file_mark;
    munmap(header, size());
    return true;
  }

  const int fd_;
  const std::string path_;
  const pid_t process_;
  const int64_t words_used_, streams_, bytes_ = bytes_of(words_used_);
  Header* header_ = nullptr;
};

// Returns nullptr with errno if it fails.
std::shared_ptr<DeviceState> open_shared(const std::string& path, const ThrottleCosts& costs) {
  constexpr int most_tries = 100;
  for (int i = 0; i < most_tries; ++i) {
    const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
    if (fd < 0) return nullptr;
    auto state = std::make_shared<SharedState>(fd, path, costs);
    struct stat status;
    if (fstat(fd, &status) != 0) return nullptr;
    if (!S_ISREG(status.st_mode) || status.st_uid != geteuid()) {
      errno = EEXIST;
      return nullptr;
    }
    if (state->begin()) return state;
    if (errno != ESTALE) return nullptr;
  }
  return nullptr;
}

}  // namespace

std::string device_state_path(const ThrottleCosts& costs) {
  if (!costs.state.empty()) return costs.state;
  return fmt::format("/dev/shm/concilio-device-{}-{:016x}", geteuid(), name_hash(text_of(costs)));
}

std::shared_ptr<DeviceState> DeviceState::open(const ThrottleCosts& costs) {
  const std::string path = device_state_path(costs);
  if (auto shared = open_shared(path, costs)) return shared;
  const Error error = Error::from_errno(errno, path + " cannot hold the time of modelled storage");
  log_once(LogLevel::warning, error.message + "; this process shares it with no other");
  return std::make_shared<OwnState>(DeviceClock::words_of(costs));
}

}  // namespace concilio::store
