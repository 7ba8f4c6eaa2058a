#include "store/devices/device_state.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

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
constexpr uint64_t page_mark = 0x315443414f4c4943;

struct Page {
  uint64_t mark;       // page_mark, once the page is complete
  int64_t words_used;  // this and `streams` identify the devices
  int64_t streams;
  std::atomic<int64_t> words[DeviceClock::most_words];
};
static_assert(sizeof(Page) <= page_bytes);

class OwnState : public DeviceState {
 public:
  explicit OwnState(int64_t words) : own_(static_cast<size_t>(words)) { words_ = own_; }

 private:
  std::vector<std::atomic<int64_t>> own_;
};

// A process that uses the page has a shared lock (flock) on its file, which the system releases however the
// process ends. A process that gets the exclusive lock is the only one, and so may initialise the page, or
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
    if (page_) munmap(page_, page_bytes);
    // After fork, a child has the same lock, and its parent may still use the page.
    if (page_ && process_ == getpid() && flock(fd_, LOCK_EX | LOCK_NB) == 0) unlink(path_.c_str());
    close(fd_);
  }

  // Returns false with errno if the page cannot be used. ESTALE means that its file was deleted meanwhile, so
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
    if (status.st_nlink == 0 || status.st_size != page_bytes) {
      errno = status.st_nlink == 0 ? ESTALE : EEXIST;
      return false;
    }
    Page* page = map();
    if (!page) return false;
    if (page->mark != page_mark || page->words_used != words_used_ || page->streams != streams_) {
      munmap(page, page_bytes);
      errno = EBUSY;
      return false;
    }
    page_ = page;
    words_ = std::span(page->words, static_cast<size_t>(words_used_));
    return true;
  }

  bool is_shared() const override { return true; }

 private:
  Page* map() {
    void* at = mmap(nullptr, page_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd_, 0);
    return at == MAP_FAILED ? nullptr : static_cast<Page*>(at);
  }

  // Whether the file holds nothing of value: it is empty, or a page that was left over.
  bool is_free_to_make() const {
    struct stat status;
    if (fstat(fd_, &status) != 0) return false;
    if (status.st_nlink == 0) errno = ESTALE;
    if (status.st_nlink == 0 || status.st_size == 0) return status.st_nlink != 0;
    uint64_t mark = 0;
    if (status.st_size == page_bytes && pread(fd_, &mark, sizeof(mark), 0) == sizeof(mark) &&
        (mark == page_mark || mark == 0)) {
      return true;
    }
    errno = EEXIST;
    return false;
  }

  bool make() {
    // ftruncate would not do: where memory is short, the first touch of the page would then kill the process.
    const auto reserve = [this](int64_t offset, int64_t bytes) {
      return posix_fallocate(fd_, offset, bytes);
    };
    if (const int failure = reserve_in_steps(0, page_bytes, reserve)) {
      unlink(path_.c_str());
      errno = failure;
      return false;
    }
    Page* page = map();
    if (!page) return false;
    for (auto& word : page->words) word.store(0, std::memory_order_relaxed);
    page->words_used = words_used_;
    page->streams = streams_;
    page->mark = page_mark;
    munmap(page, page_bytes);
    return true;
  }

  const int fd_;
  const std::string path_;
  const pid_t process_;
  const int64_t words_used_, streams_;
  Page* page_ = nullptr;
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
