// Ranks that access their file as clients of network storage on different nodes do. Each process caches pages
// of its own and writes back whole pages, which overwrite what others have written into them meanwhile. This
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
#include <string>
#include <vector>

#include "common/expect_mpi.h"

namespace {

constexpr int64_t page_bytes = 4096;
constexpr int64_t marks = int64_t{1} << 61;  // locks of bytes from here on do not protect data

// Which locks a client gives: those that all clients respect, those of its node alone, or none.
enum class Locks { seen_by_all, local, refused };

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
  }
  bool watches(int fd) {
    if (path_.empty()) return false;
    char name[4096] = "";
    const std::string link = "/proc/self/fd/" + std::to_string(fd);
    return readlink(link.c_str(), name, sizeof name - 1) > 0 && path_ == name;
  }
  Locks locks() const { return locks_; }

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
  void forget(int fd) {
    write_back(fd);
    std::lock_guard lock(mutex_);
    pages_.clear();
  }
  void count_lock(int change) { locks_held_ += change; }

 private:
  struct Page {
    std::array<std::byte, page_bytes> bytes{};
    int64_t end = 0;  // the bytes of it that the file has
    bool dirty = false;
  };

  static int64_t size_of(int fd) {
    struct stat status {};
    return fstat(fd, &status) == 0 ? status.st_size : 0;
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
  Locks locks_ = Locks::seen_by_all;
  std::map<int64_t, Page> pages_;
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
  if (advice == POSIX_FADV_DONTNEED && Client::instance().watches(fd)) Client::instance().forget(fd);
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
  const bool seen_by_all = client.locks() == Locks::seen_by_all;
  const auto* lock = static_cast<const struct flock*>(argument);
  if (lock->l_type == F_UNLCK) {
    client.write_back(fd);
    if (seen_by_all && lock->l_start < marks) client.count_lock(-1);
    return seen_by_all ? next(fd, command, argument) : 0;
  }
  if (seen_by_all && next(fd, command, argument) != 0) return -1;
  client.forget(fd);
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

MPI_File open(const std::string& path, const char* method) {
  MPI_Info info;
  MPI_Info_create(&info);
  if (*method) MPI_Info_set(info, "concilio_method", method);
  // Every rank aggregates, and their realms meet within pages.
  MPI_Info_set(info, "cb_nodes", std::to_string(ranks).c_str());
  MPI_Info_set(info, "concilio_realms", "even");
  MPI_File file;
  OK(MPI_File_open(MPI_COMM_WORLD, path.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR, info, &file));
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
  OK(MPI_File_read_at(file, 0, all.data(), static_cast<int>(all.size()), MPI_CHAR, MPI_STATUS_IGNORE));
  MPI_Barrier(MPI_COMM_WORLD);
}

// This rank's slots, which lie between those of the others.
void view_own_slots(MPI_File file) {
  MPI_Datatype slot, tile;
  MPI_Type_contiguous(slot_bytes, MPI_CHAR, &slot);
  MPI_Type_create_resized(slot, 0, MPI_Aint{slot_bytes} * ranks, &tile);
  MPI_Type_commit(&tile);
  OK(MPI_File_set_view(file, MPI_Offset{slot_bytes} * rank, MPI_CHAR, tile, "native", MPI_INFO_NULL));
  MPI_Type_free(&slot);
  MPI_Type_free(&tile);
}

// Every rank caches all pages as they were before, and then writes its slots.
void neighbours(const std::string& path, const char* method, bool collective,
                Locks locks = Locks::seen_by_all) {
  make_slots(path);
  Client::instance().watch(path, locks);
  MPI_File file = open(path, method);
  cache_all_pages(file);
  std::vector<char> mine(slots * slot_bytes);
  for (size_t i = 0; i < mine.size(); ++i) mine[i] = value(rank, static_cast<int64_t>(i));
  if (collective) {
    view_own_slots(file);
    OK(MPI_File_write_all(file, mine.data(), static_cast<int>(mine.size()), MPI_CHAR, MPI_STATUS_IGNORE));
  } else {
    for (int i = 0; i < slots; ++i) {
      OK(MPI_File_write_at(file, MPI_Offset{slot_bytes} * (i * ranks + rank), mine.data() + i * slot_bytes,
                           slot_bytes, MPI_CHAR, MPI_STATUS_IGNORE));
    }
  }
  OK(MPI_File_close(&file));
  Client::instance().watch("", locks);
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
    OK(MPI_File_write_at(file, 0, all.data(), static_cast<int>(all.size()), MPI_CHAR, MPI_STATUS_IGNORE));
  }
  view_own_slots(file);
  OK(MPI_File_read_all(file, mine.data(), static_cast<int>(mine.size()), MPI_CHAR, MPI_STATUS_IGNORE));
  const auto old = std::count_if(mine.begin(), mine.end(), [](char c) { return c != 'y'; });
  if (writes && old > 0) note_failure(__FILE__, __LINE__, std::to_string(old) + " old bytes read");
  OK(MPI_File_close(&file));
  Client::instance().watch("", locks);
  MPI_Barrier(MPI_COMM_WORLD);
}

// A rank that has cached an old page, and writes nothing itself, must see after a sync what others have
// written.
void sync_looks_anew(const std::string& path) {
  if (rank == 0) {
    FILE* file = std::fopen(path.c_str(), "w");
    std::fputs("before", file);
    std::fclose(file);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  Client::instance().watch(path, Locks::seen_by_all);
  MPI_File file = open(path, "");
  char text[7] = "";
  OK(MPI_File_read_at(file, 0, text, 6, MPI_CHAR, MPI_STATUS_IGNORE));
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) OK(MPI_File_write_at(file, 0, "behind", 6, MPI_CHAR, MPI_STATUS_IGNORE));
  OK(MPI_File_sync(file));
  MPI_Barrier(MPI_COMM_WORLD);
  OK(MPI_File_sync(file));
  OK(MPI_File_read_at(file, 0, text, 6, MPI_CHAR, MPI_STATUS_IGNORE));
  if (std::strcmp(text, "behind") != 0)
    note_failure(__FILE__, __LINE__, std::string("read after sync: ") + text);
  OK(MPI_File_close(&file));
  Client::instance().watch("", Locks::seen_by_all);
  MPI_Barrier(MPI_COMM_WORLD);
}

// Where no lock keeps other nodes out nothing can be locked, and atomic mode must be refused.
void atomic_mode(const std::string& path, Locks locks, const char* described) {
  Client::instance().watch(path, locks);
  MPI_File file = open(path, "");
  const int code = MPI_File_set_atomicity(file, 1);
  const int error_class = class_of(code);
  const bool refused = locks != Locks::seen_by_all && ranks > 1;
  if (error_class != (refused ? MPI_ERR_UNSUPPORTED_OPERATION : MPI_SUCCESS))
    note_failure(__FILE__, __LINE__,
                 std::string("atomic mode with locks that are ") + described + ": class " +
                     std::to_string(error_class));
  OK(MPI_File_close(&file));
  Client::instance().watch("", locks);
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
  sync_looks_anew(path);
  atomic_mode(path, Locks::seen_by_all, "seen by all");
  atomic_mode(path, Locks::local, "local");
  atomic_mode(path, Locks::refused, "refused");
  // Windows need no locks.
  for (const Locks locks : {Locks::seen_by_all, Locks::local, Locks::refused}) {
    neighbours(path, "two_phase", true, locks);
    reads_what_it_wrote(path, locks);
  }
  MPI_Allreduce(MPI_IN_PLACE, &noted_failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) std::printf("network_client: %d mistakes\n", noted_failures);
  MPI_Finalize();
  return noted_failures > 0;
}
