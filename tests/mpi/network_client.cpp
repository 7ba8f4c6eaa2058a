// Ranks that access their file as clients of network storage on different nodes do. Each process caches pages
// of its own and the file's size, and writes back whole pages, which overwrite what others have written into
// them meanwhile. It looks for what others have changed when it gets a lock, and when it opens the file. This
// models a kernel's NFS client as far as it matters here, by replacing the system calls that Concilio makes
// on the test's file. It cannot replace io_uring, so requests must be made one by one (concilio_flush=list).
// Run it with concilio_ranks_per_node=1: every rank is a node.
#include <dlfcn.h>
#include <fcntl.h>
#include <mpi.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/expect_mpi.h"
#include "common/interleaved_view.h"

namespace {

constexpr int64_t page_bytes = 4096;
constexpr int64_t marks = int64_t{1} << 61;  // locks of bytes from here on do not protect data

// Whom a lock keeps out: everybody; only who is on the same node; nobody, as there are no locks.
enum class Locks { everywhere, local, refused };

// The C library's functions behind the names that this program defines.
template <typename Function>
Function real(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

class Client {
 public:
  static Client& instance() {
    static auto* client = new Client;
    return *client;
  }

  void watch(const std::string& path, Locks locks) {
    std::lock_guard lock(mutex_);
    path_ = path;
    locks_ = locks;
    pages_.clear();
    size_.reset();
  }
  void watch_nothing() { watch("", Locks::everywhere); }
  bool watches(int fd) {
    if (path_.empty()) return false;
    char name[4096] = "";
    const std::string link = "/proc/self/fd/" + std::to_string(fd);
    return readlink(link.c_str(), name, sizeof name - 1) > 0 && path_ == name;
  }
  Locks locks() const { return locks_; }
  int64_t size(int fd) {
    std::lock_guard lock(mutex_);
    return size_of(fd);
  }

  ssize_t read(int fd, const iovec* parts, int count, off_t offset) {
    std::lock_guard lock(mutex_);
    const int64_t size = size_of(fd);
    ssize_t moved = 0;
    for_each_page(parts, count, offset, [&](int64_t number, int64_t begin, std::byte* data, int64_t bytes) {
      Page& page = load(fd, number);
      const int64_t end = std::max(size, number * page_bytes + page.end) - number * page_bytes;
      const int64_t there = std::clamp<int64_t>(end - begin, 0, bytes);
      std::memcpy(data, page.bytes.data() + begin, static_cast<size_t>(there));
      moved += there;
      return there == bytes;
    });
    return moved;
  }

  ssize_t write(int fd, const iovec* parts, int count, off_t offset) {
    std::lock_guard lock(mutex_);
    ssize_t moved = 0;
    for_each_page(parts, count, offset, [&](int64_t number, int64_t begin, std::byte* data, int64_t bytes) {
      const auto known = pages_.find(number);
      if (known != pages_.end()) {
        std::memcpy(known->second.bytes.data() + begin, data, static_cast<size_t>(bytes));
        known->second.end = std::max(known->second.end, begin + bytes);
      }
      // A cached page is written back as a whole, unless this process holds a lock on the file.
      if (known != pages_.end() && locks_held_ == 0) {
        known->second.dirty = true;
      } else {
        write_through(fd, data, bytes, number * page_bytes + begin);
      }
      size_ = std::max(size_of(fd), number * page_bytes + begin + bytes);
      moved += bytes;
      return true;
    });
    return moved;
  }

  void write_back(int fd) {
    std::lock_guard lock(mutex_);
    for (auto& [number, page] : pages_) {
      if (page.dirty) write_through(fd, page.bytes.data(), page.end, number * page_bytes);
      page.dirty = false;
    }
  }
  void forget_pages(int fd) {
    write_back(fd);
    std::lock_guard lock(mutex_);
    pages_.clear();
  }
  void look_anew(int fd) {
    forget_pages(fd);
    std::lock_guard lock(mutex_);
    size_.reset();
  }
  void count_lock(int change) { locks_held_ += change; }
  void count_no_locks() { locks_held_ = 0; }

 private:
  struct Page {
    std::array<std::byte, page_bytes> bytes{};
    int64_t end = 0;  // the bytes of it that the file has
    bool dirty = false;
  };

  int64_t size_of(int fd) {
    struct stat status {};
    if (!size_ && real<int (*)(int, struct stat*)>("fstat")(fd, &status) == 0) size_ = status.st_size;
    return size_.value_or(0);
  }

  Page& load(int fd, int64_t number) {
    auto [place, fresh] = pages_.try_emplace(number);
    if (fresh) {
      using Pread = ssize_t (*)(int, void*, size_t, off_t);
      const ssize_t got =
          real<Pread>("pread")(fd, place->second.bytes.data(), page_bytes, number * page_bytes);
      place->second.end = std::max<ssize_t>(got, 0);
    }
    return place->second;
  }

  static void write_through(int fd, const void* data, int64_t bytes, int64_t offset) {
    using Pwrite = ssize_t (*)(int, const void*, size_t, off_t);
    if (real<Pwrite>("pwrite")(fd, data, static_cast<size_t>(bytes), offset) != bytes) std::abort();
  }

  template <typename F>
  static void for_each_page(const iovec* parts, int count, int64_t offset, F&& f) {
    for (int i = 0; i < count; ++i) {
      auto* data = static_cast<std::byte*>(parts[i].iov_base);
      for (auto left = static_cast<int64_t>(parts[i].iov_len); left > 0;) {
        const int64_t begin = offset % page_bytes, bytes = std::min(left, page_bytes - begin);
        if (!f(offset / page_bytes, begin, data, bytes)) return;
        offset += bytes;
        data += bytes;
        left -= bytes;
      }
    }
  }

  std::mutex mutex_;
  std::string path_;
  Locks locks_ = Locks::everywhere;
  std::map<int64_t, Page> pages_;
  std::optional<int64_t> size_;
  int locks_held_ = 0;
};

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

ssize_t preadv(int fd, const iovec* parts, int count, off_t offset) {
  using Function = ssize_t (*)(int, const iovec*, int, off_t);
  static const auto next = real<Function>("preadv");
  Client& client = Client::instance();
  return client.watches(fd) ? client.read(fd, parts, count, offset) : next(fd, parts, count, offset);
}

ssize_t pwritev(int fd, const iovec* parts, int count, off_t offset) {
  using Function = ssize_t (*)(int, const iovec*, int, off_t);
  static const auto next = real<Function>("pwritev");
  Client& client = Client::instance();
  return client.watches(fd) ? client.write(fd, parts, count, offset) : next(fd, parts, count, offset);
}

ssize_t pread(int fd, void* data, size_t bytes, off_t offset) {
  const iovec part{data, bytes};
  return preadv(fd, &part, 1, offset);
}

ssize_t pwrite(int fd, const void* data, size_t bytes, off_t offset) {
  const iovec part{const_cast<void*>(data), bytes};
  return pwritev(fd, &part, 1, offset);
}

int open(const char* path, int flags, ...) {
  static const auto next = real<int (*)(const char*, int, mode_t)>("open");
  va_list arguments;
  va_start(arguments, flags);
  const bool makes = (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE;
  const mode_t mode = makes ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  const int fd = next(path, flags, mode);
  if (fd >= 0 && Client::instance().watches(fd)) Client::instance().look_anew(fd);
  return fd;
}

int fstat(int fd, struct stat* status) noexcept {
  static const auto next = real<int (*)(int, struct stat*)>("fstat");
  const int outcome = next(fd, status);
  if (outcome == 0 && Client::instance().watches(fd)) status->st_size = Client::instance().size(fd);
  return outcome;
}

int fsync(int fd) {
  static const auto next = real<int (*)(int)>("fsync");
  if (Client::instance().watches(fd)) Client::instance().write_back(fd);
  return next(fd);
}

int close(int fd) {
  static const auto next = real<int (*)(int)>("close");
  if (Client::instance().watches(fd)) Client::instance().write_back(fd);
  return next(fd);
}

int posix_fadvise(int fd, off_t offset, off_t length, int advice) noexcept {
  static const auto next = real<int (*)(int, off_t, off_t, int)>("posix_fadvise");
  if (advice == POSIX_FADV_DONTNEED && Client::instance().watches(fd)) Client::instance().forget_pages(fd);
  return next(fd, offset, length, advice);
}

int fstatfs(int fd, struct statfs* status) noexcept {
  static const auto next = real<int (*)(int, struct statfs*)>("fstatfs");
  const int outcome = next(fd, status);
  if (outcome == 0 && Client::instance().watches(fd)) status->f_type = 0x6969;  // NFS
  return outcome;
}

int fcntl(int fd, int command, ...) {
  static const auto next = real<int (*)(int, int, void*)>("fcntl");
  va_list arguments;
  va_start(arguments, command);
  void* argument = va_arg(arguments, void*);
  va_end(arguments);
  Client& client = Client::instance();
  if ((command != F_OFD_SETLK && command != F_SETLK) || !client.watches(fd))
    return next(fd, command, argument);
  if (client.locks() == Locks::refused) {
    errno = ENOLCK;
    return -1;
  }
  const auto* lock = static_cast<const struct flock*>(argument);
  const bool local = client.locks() == Locks::local;
  if (lock->l_type == F_UNLCK) {
    client.write_back(fd);
    if (lock->l_len == 0)
      client.count_no_locks();
    else if (!local && lock->l_start < marks)
      client.count_lock(-1);
    return local ? 0 : next(fd, command, argument);
  }
  if (!local && next(fd, command, argument) != 0) return -1;
  client.look_anew(fd);
  if (lock->l_start < marks) client.count_lock(1);
  return 0;
}

}  // extern "C"
#pragma GCC visibility pop

namespace {

int rank = 0, ranks = 1;

char value(int who, int64_t index) {
  return static_cast<char>('a' + (who * 7 + index) % 26);
}

// Reads the storage itself, not through this process's client.
std::string stored(const std::string& path) {
  std::string text;
  FILE* file = std::fopen(path.c_str(), "r");
  for (int c = 0; file && (c = std::fgetc(file)) != EOF;) text += static_cast<char>(c);
  if (file) std::fclose(file);
  return text;
}

constexpr int slots = 300, slot_bytes = 16;

MPI_File open(const std::string& path, const char* method, MPI_Comm comm = MPI_COMM_WORLD) {
  MPI_Info info;
  MPI_Info_create(&info);
  if (*method) MPI_Info_set(info, "concilio_method", method);
  // Every rank aggregates, and their realms meet within pages.
  MPI_Info_set(info, "cb_nodes", std::to_string(ranks).c_str());
  MPI_Info_set(info, "concilio_realms", "even");
  MPI_File file;
  OK(MPI_File_open(comm, path.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR, info, &file));
  MPI_Info_free(&info);
  return file;
}

// A file of dots, with room for the slots of all ranks.
void make_slots(const std::string& path) {
  if (rank == 0) {
    FILE* file = std::fopen(path.c_str(), "w");
    for (int i = 0; i < ranks * slots * slot_bytes; ++i) std::fputc('.', file);
    std::fclose(file);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

void cache_all_pages(MPI_File file) {
  std::vector<char> all(static_cast<size_t>(ranks) * slots * slot_bytes);
  OK(MPI_File_read_at(file, 0, all.data(), static_cast<int>(all.size()), MPI_BYTE, MPI_STATUS_IGNORE));
  MPI_Barrier(MPI_COMM_WORLD);
}

// Every rank caches all pages as they were before, and then writes its slots.
void neighbours(const std::string& path, const char* method, bool collective,
                Locks locks = Locks::everywhere) {
  make_slots(path);
  Client::instance().watch(path, locks);
  MPI_File file = open(path, method);
  cache_all_pages(file);
  std::vector<char> mine(slots * slot_bytes);
  for (size_t i = 0; i < mine.size(); ++i) mine[i] = value(rank, static_cast<int64_t>(i));
  if (collective) {
    set_interleaved_view(file, rank, ranks, slot_bytes);
    OK(MPI_File_write_all(file, mine.data(), static_cast<int>(mine.size()), MPI_BYTE, MPI_STATUS_IGNORE));
  } else {
    for (int i = 0; i < slots; ++i) {
      OK(MPI_File_write_at(file, MPI_Offset{slot_bytes} * (i * ranks + rank), mine.data() + i * slot_bytes,
                           slot_bytes, MPI_BYTE, MPI_STATUS_IGNORE));
    }
  }
  OK(MPI_File_close(&file));
  Client::instance().watch_nothing();
  MPI_Barrier(MPI_COMM_WORLD);
  const std::string found = stored(path);
  const int bytes = ranks * slots * slot_bytes;
  int lost = 0;
  for (int i = 0; i < bytes; ++i) {
    const int slot = i / slot_bytes, who = slot % ranks;
    const char wanted = value(who, (slot / ranks) * slot_bytes + i % slot_bytes);
    lost += i >= static_cast<int>(found.size()) || found[static_cast<size_t>(i)] != wanted;
  }
  if (rank == 0 && lost > 0)
    note_failure(__FILE__, __LINE__, std::to_string(lost) + " bytes lost, method '" + method + "'");
  MPI_Barrier(MPI_COMM_WORLD);
}

// A rank must read in windows what it has written alone, although the aggregators have cached what was there
// before.
void reads_what_it_wrote(const std::string& path, Locks locks) {
  make_slots(path);
  Client::instance().watch(path, locks);
  MPI_File file = open(path, "two_phase");
  const bool writes = rank == ranks - 1;
  if (!writes) cache_all_pages(file);
  std::vector<char> mine(slots * slot_bytes, 'x');
  if (writes) {
    MPI_Barrier(MPI_COMM_WORLD);
    const std::vector<char> all(static_cast<size_t>(ranks) * slots * slot_bytes, 'y');
    OK(MPI_File_write_at(file, 0, all.data(), static_cast<int>(all.size()), MPI_BYTE, MPI_STATUS_IGNORE));
  }
  set_interleaved_view(file, rank, ranks, slot_bytes);
  OK(MPI_File_read_all(file, mine.data(), static_cast<int>(mine.size()), MPI_BYTE, MPI_STATUS_IGNORE));
  const auto old = std::count_if(mine.begin(), mine.end(), [](char c) { return c != 'y'; });
  if (writes && old > 0) note_failure(__FILE__, __LINE__, std::to_string(old) + " old bytes read");
  OK(MPI_File_close(&file));
  Client::instance().watch_nothing();
  MPI_Barrier(MPI_COMM_WORLD);
}

std::string immediate_visibility(MPI_File file) {
  MPI_Info info;
  OK(MPI_File_get_info(file, &info));
  char text[MPI_MAX_INFO_VAL + 1] = "";
  int known = 0;
  MPI_Info_get(info, "romio_visibility_immediate", MPI_MAX_INFO_VAL, text, &known);
  MPI_Info_free(&info);
  return text;
}

// A rank that has cached an old page and the old size, and writes nothing itself, must see after a sync what
// others have written, also by another open: with MPI_COMM_SELF each rank has its own.
void sync_looks_anew(const std::string& path, MPI_Comm comm, Locks locks) {
  if (rank == 0) {
    FILE* file = std::fopen(path.c_str(), "w");
    std::fputs("before", file);
    std::fclose(file);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  Client::instance().watch(path, locks);
  MPI_File file = open(path, "", comm);
  const std::string_view written = "what comes behind";
  const auto bytes = static_cast<int>(written.size());
  std::string found(written.size(), '.');
  OK(MPI_File_read_at(file, 0, found.data(), bytes, MPI_BYTE, MPI_STATUS_IGNORE));
  MPI_Offset size = 0;
  OK(MPI_File_get_size(file, &size));
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) OK(MPI_File_write_at(file, 0, written.data(), bytes, MPI_BYTE, MPI_STATUS_IGNORE));
  OK(MPI_File_sync(file));
  MPI_Barrier(MPI_COMM_WORLD);
  OK(MPI_File_sync(file));
  OK(MPI_File_read_at(file, 0, found.data(), bytes, MPI_BYTE, MPI_STATUS_IGNORE));
  OK(MPI_File_get_size(file, &size));
  if (found != written || size != bytes)
    note_failure(__FILE__, __LINE__, "after sync: " + found + ", size " + std::to_string(size));
  if (immediate_visibility(file) != "false")
    note_failure(__FILE__, __LINE__, "told that others see at once what is written");
  OK(MPI_File_close(&file));
  Client::instance().watch_nothing();
  MPI_Barrier(MPI_COMM_WORLD);
}

// Where no lock keeps other nodes out nothing can be locked, and atomic mode must be refused.
void atomic_mode(const std::string& path, Locks locks, const char* described) {
  Client::instance().watch(path, locks);
  MPI_File file = open(path, "");
  const int code = MPI_File_set_atomicity(file, 1);
  const int error_class = class_of(code);
  const bool refused = locks != Locks::everywhere && ranks > 1;
  if (error_class != (refused ? MPI_ERR_UNSUPPORTED_OPERATION : MPI_SUCCESS))
    note_failure(__FILE__, __LINE__,
                 std::string("atomic mode with locks that are ") + described + ": class " +
                     std::to_string(error_class));
  OK(MPI_File_close(&file));
  Client::instance().watch_nothing();
  MPI_Barrier(MPI_COMM_WORLD);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  expecting("rank %d", rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const char* folder = std::getenv("CONCILIO_TEST_DIR");
  const std::string path = std::string(folder ? folder : "/tmp") + "/network";
  neighbours(path, "", false);
  for (const char* method : {"", "list", "sieve"}) neighbours(path, method, true);
  for (MPI_Comm comm : {MPI_COMM_WORLD, MPI_COMM_SELF}) {
    for (const Locks locks : {Locks::everywhere, Locks::local, Locks::refused})
      sync_looks_anew(path, comm, locks);
  }
  atomic_mode(path, Locks::everywhere, "seen everywhere");
  atomic_mode(path, Locks::local, "local");
  atomic_mode(path, Locks::refused, "refused");
  // Windows need no locks.
  for (const Locks locks : {Locks::everywhere, Locks::local, Locks::refused}) {
    neighbours(path, "two_phase", true, locks);
    reads_what_it_wrote(path, locks);
  }
  MPI_Allreduce(MPI_IN_PLACE, &noted_failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) std::printf("network_client: %d mistakes\n", noted_failures);
  MPI_Finalize();
  return noted_failures > 0;
}
