// Ranks that access their file as clients of network storage on different nodes do. Each process caches pages
// of its own and the file's size. This models two clients of a kernel as far as it matters here, by replacing
// the system calls that Concilio makes on the test's file:
//
// NFS. A process keeps what it writes and writes it back later, as whole pages, which overwrite what others
// have written into them meanwhile. While it holds a lock on the file it writes no more than it was asked to
// write. It looks for what others have changed when it gets a lock, and when it opens the file.
//
// FUSE. A process writes through to the file system's own process, which sends the bytes on a moment later.
// It looks for what others have changed when it is told to drop pages, or asks for the size itself
// (AT_STATX_FORCE_SYNC). Locks and opens change nothing of that. The file system's process keeps the size
// too, as GlusterFS's does, until the server answers a sync or a read, which it is not asked to do for a
// small file. For a while it finds an earlier file of the same name, or finds that one gone.
//
// It cannot replace io_uring, so requests must be made one by one (concilio_flush=list or rmw). Run it with
// concilio_ranks_per_node=1: every rank is a node.
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
#include <chrono>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/expect_mpi.h"
#include "common/interleaved_view.h"

namespace {

constexpr int64_t page_bytes = 4096;

// Whom a lock keeps out: everybody; only who is on the same node; nobody, as there are no locks.
enum class Locks { everywhere, local, refused };
enum class Kind { nfs, fuse };

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

  // Rank 0 may be on the node that has the file's disk, and exports it to the others.
  void watch(const std::string& path, Locks locks, Kind kind = Kind::nfs) {
    std::lock_guard lock(mutex_);
    path_ = serves_ && kind == Kind::nfs ? "" : path;
    locks_ = locks;
    kind_ = kind;
    pages_.clear();
    size_.reset();
    kept_size_.reset();
    locked_.clear();
    sending_.clear();
    old_name_ends_ = {};
  }
  // From now on, and for so long, opens find `file`; with an empty name that the file is gone.
  void find_instead(std::string file, std::chrono::milliseconds how_long) {
    old_name_ = std::move(file);
    old_name_ends_ = std::chrono::steady_clock::now() + how_long;
  }
  // The name of what an open of `path` finds; nullptr: nothing.
  const char* found_at(const char* path) const {
    if (path_.empty() || path_ != path || std::chrono::steady_clock::now() >= old_name_ends_) return path;
    return old_name_.empty() ? nullptr : old_name_.c_str();
  }
  void serve(bool whether) { serves_ = whether; }
  bool serves() const { return serves_; }
  void watch_nothing() { watch("", Locks::everywhere); }
  bool watches(int fd) {
    if (path_.empty()) return false;
    char name[4096] = "";
    const std::string link = "/proc/self/fd/" + std::to_string(fd);
    return readlink(link.c_str(), name, sizeof name - 1) > 0 && path_ == name;
  }
  Locks locks() const { return locks_; }
  Kind kind() const { return kind_; }
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
    const bool whole_pages = kind_ == Kind::nfs && locked_.empty();
    for_each_page(parts, count, offset, [&](int64_t number, int64_t begin, std::byte* data, int64_t bytes) {
      const auto known = pages_.find(number);
      if (known != pages_.end() || whole_pages) {
        Page& page = known != pages_.end() ? known->second : load(fd, number);
        std::memcpy(page.bytes.data() + begin, data, static_cast<size_t>(bytes));
        page.end = std::max(page.end, begin + bytes);
        if (whole_pages) page.dirty = true;
      }
      if (!whole_pages) send(data, bytes, number * page_bytes + begin);
      kept_size_ = size_ = std::max(size_of(fd), number * page_bytes + begin + bytes);
      moved += bytes;
      return true;
    });
    return moved;
  }

  void write_back() {
    std::lock_guard lock(mutex_);
    for (auto& [number, page] : pages_) {
      if (page.dirty) write_through(page.bytes.data(), page.end, number * page_bytes);
      page.dirty = false;
    }
    deliver(0);
  }
  // Those that lie in the range altogether; a length of 0: to the end.
  void forget_pages(int64_t offset, int64_t length) {
    write_back();
    std::lock_guard lock(mutex_);
    std::erase_if(pages_, [&](const auto& entry) {
      const int64_t begin = entry.first * page_bytes;
      return begin >= offset && (length == 0 || begin + page_bytes <= offset + length);
    });
  }
  void look_anew() {
    forget_pages(0, 0);
    ask_size();
  }
  void ask_size() {
    std::lock_guard lock(mutex_);
    deliver(0);
    size_.reset();
  }
  void resized(int64_t length) {
    std::lock_guard lock(mutex_);
    kept_size_ = size_ = length;
  }
  // The server has answered the file system's process.
  void hear_from_server() {
    std::lock_guard lock(mutex_);
    kept_size_.reset();
  }
  void locked(int64_t begin, int64_t length) {
    std::lock_guard lock(mutex_);
    locked_[begin] = length;
  }
  void unlocked(int64_t begin, int64_t length) {
    std::lock_guard lock(mutex_);
    std::erase_if(locked_, [&](const auto& range) {
      return range.first >= begin && (length == 0 || range.first < begin + length);
    });
  }

 private:
  struct Page {
    std::array<std::byte, page_bytes> bytes{};
    int64_t end = 0;  // the bytes of it that the file has
    bool dirty = false;
  };

  int64_t size_of(int fd) {
    if (!size_ && kind_ == Kind::fuse) size_ = kept_size_;
    if (!size_) kept_size_ = size_ = size_on_server(fd);
    return *size_;
  }
  static int64_t size_on_server(int fd) {
    struct stat status {};
    return real<int (*)(int, struct stat*)>("fstat")(fd, &status) == 0 ? status.st_size : 0;
  }

  Page& load(int fd, int64_t number) {
    auto [place, fresh] = pages_.try_emplace(number);
    if (fresh) {
      deliver(0);  // a process reads after what it has been given to write
      using Pread = ssize_t (*)(int, void*, size_t, off_t);
      const ssize_t got =
          real<Pread>("pread")(fd, place->second.bytes.data(), page_bytes, number * page_bytes);
      place->second.end = std::max<ssize_t>(got, 0);
      constexpr int64_t small_bytes = 64 << 10;
      if (size_on_server(fd) > small_bytes) kept_size_.reset();
    }
    return place->second;
  }

  // NFS writes a page's bytes at once here; with FUSE the last write is still on its way.
  void send(const std::byte* data, int64_t bytes, int64_t offset) {
    if (kind_ == Kind::nfs) return write_through(data, bytes, offset);
    sending_.emplace_back(offset, std::vector<std::byte>(data, data + bytes));
    deliver(1);
  }
  void deliver(size_t but) {
    for (; sending_.size() > but; sending_.pop_front()) {
      const auto& [offset, data] = sending_.front();
      write_through(data.data(), static_cast<int64_t>(data.size()), offset);
    }
  }

  // As a kernel does it, by the file and not by the descriptor at hand, which may be one for reading.
  void write_through(const void* data, int64_t bytes, int64_t offset) const {
    const int fd = real<int (*)(const char*, int, ...)>("open")(path_.c_str(), O_WRONLY);
    using Pwrite = ssize_t (*)(int, const void*, size_t, off_t);
    if (real<Pwrite>("pwrite")(fd, data, static_cast<size_t>(bytes), offset) != bytes) std::abort();
    real<int (*)(int)>("close")(fd);
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
  bool serves_ = false;
  std::string path_;
  Locks locks_ = Locks::everywhere;
  Kind kind_ = Kind::nfs;
  std::map<int64_t, Page> pages_;
  std::optional<int64_t> size_, kept_size_;  // of the kernel, and of the file system's process
  std::map<int64_t, int64_t> locked_;        // lengths by offset
  std::deque<std::pair<int64_t, std::vector<std::byte>>> sending_;
  std::string old_name_;
  std::chrono::steady_clock::time_point old_name_ends_;
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
  const char* found = Client::instance().found_at(path);
  if (!found) {
    errno = ESTALE;
    return -1;
  }
  const int fd = next(found, flags, mode);
  if (fd >= 0 && Client::instance().watches(fd) && Client::instance().kind() == Kind::nfs)
    Client::instance().look_anew();
  return fd;
}

int fstat(int fd, struct stat* status) noexcept {
  static const auto next = real<int (*)(int, struct stat*)>("fstat");
  const int outcome = next(fd, status);
  if (outcome == 0 && Client::instance().watches(fd)) status->st_size = Client::instance().size(fd);
  return outcome;
}

int statx(int fd, const char* path, int flags, unsigned mask, struct statx* status) noexcept {
  static const auto next = real<int (*)(int, const char*, int, unsigned, struct statx*)>("statx");
  if ((flags & AT_STATX_FORCE_SYNC) && Client::instance().watches(fd)) Client::instance().ask_size();
  return next(fd, path, flags, mask, status);
}

int ftruncate(int fd, off_t length) noexcept {
  static const auto next = real<int (*)(int, off_t)>("ftruncate");
  if (!Client::instance().watches(fd)) return next(fd, length);
  Client::instance().write_back();
  const int outcome = next(fd, length);
  if (outcome == 0) Client::instance().resized(length);
  return outcome;
}

int fsync(int fd) {
  static const auto next = real<int (*)(int)>("fsync");
  if (!Client::instance().watches(fd)) return next(fd);
  Client::instance().write_back();
  Client::instance().hear_from_server();
  return next(fd);
}

int close(int fd) {
  static const auto next = real<int (*)(int)>("close");
  if (Client::instance().watches(fd)) Client::instance().write_back();
  return next(fd);
}

int posix_fadvise(int fd, off_t offset, off_t length, int advice) noexcept {
  static const auto next = real<int (*)(int, off_t, off_t, int)>("posix_fadvise");
  if (advice == POSIX_FADV_DONTNEED && Client::instance().watches(fd))
    Client::instance().forget_pages(offset, length);
  return next(fd, offset, length, advice);
}

int fstatfs(int fd, struct statfs* status) noexcept {
  static const auto next = real<int (*)(int, struct statfs*)>("fstatfs");
  const int outcome = next(fd, status);
  if (outcome == 0 && Client::instance().watches(fd))
    status->f_type = Client::instance().kind() == Kind::nfs ? 0x6969 : 0x65735546;
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
  const bool local = client.locks() == Locks::local, nfs = client.kind() == Kind::nfs;
  if (lock->l_type == F_UNLCK) {
    if (nfs) client.write_back();
    client.unlocked(lock->l_start, lock->l_len);
    return local ? 0 : next(fd, command, argument);
  }
  if (!local && next(fd, command, argument) != 0) return -1;
  if (nfs) client.look_anew();
  client.locked(lock->l_start, lock->l_len);
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

// Reads the file as a program does after MPI_File_close by other means, through this process's client.
std::string found_plainly(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY);
  struct stat status {};
  if (fd < 0 || ::fstat(fd, &status) != 0) return {};
  std::string text(static_cast<size_t>(status.st_size), '?');
  const ssize_t got = ::pread(fd, text.data(), text.size(), 0);
  ::close(fd);
  text.resize(static_cast<size_t>(std::max<ssize_t>(got, 0)));
  return text;
}

constexpr int slots = 300, slot_bytes = 16;

// Hints.
struct Way {
  const char* method = "auto";
  const char* flush = "list";
  const char* sieves_writes = "automatic";
};

MPI_File open(const std::string& path, const Way& way, MPI_Comm comm = MPI_COMM_WORLD) {
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_set(info, "concilio_method", way.method);
  MPI_Info_set(info, "concilio_flush", way.flush);
  MPI_Info_set(info, "romio_ds_write", way.sieves_writes);
  // Every rank aggregates, and their realms meet within pages.
  MPI_Info_set(info, "cb_nodes", std::to_string(ranks).c_str());
  MPI_Info_set(info, "concilio_realms", "even");
  MPI_File file;
  OK(MPI_File_open(comm, path.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR, info, &file));
  MPI_Info_free(&info);
  return file;
}

// A file of dots, with room for the slots of all ranks or for a part of them.
void make_slots(const std::string& path, int bytes_of_slot = slot_bytes, int count = slots) {
  if (rank == 0) {
    FILE* file = std::fopen(path.c_str(), "w");
    for (int i = 0; i < ranks * count * bytes_of_slot; ++i) std::fputc('.', file);
    std::fclose(file);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

void cache_all_pages(MPI_File file, int bytes_of_slot = slot_bytes) {
  std::vector<char> all(static_cast<size_t>(ranks) * slots * static_cast<size_t>(bytes_of_slot));
  OK(MPI_File_read_at(file, 0, all.data(), static_cast<int>(all.size()), MPI_BYTE, MPI_STATUS_IGNORE));
  MPI_Barrier(MPI_COMM_WORLD);
}

// The rank's bytes in all its slots.
std::vector<char> values_of(int who) {
  std::vector<char> values(slots * slot_bytes);
  for (size_t i = 0; i < values.size(); ++i) values[i] = value(who, static_cast<int64_t>(i));
  return values;
}

void write_slot(MPI_File file, const std::vector<char>& mine, int slot) {
  OK(MPI_File_write_at(file, MPI_Offset{slot_bytes} * (slot * ranks + rank), mine.data() + slot * slot_bytes,
                       slot_bytes, MPI_BYTE, MPI_STATUS_IGNORE));
}

// After all ranks have written their slots.
void nothing_is_lost(const std::string& path, const Way& way) {
  MPI_Barrier(MPI_COMM_WORLD);
  const std::string plain = found_plainly(path);
  Client::instance().watch_nothing();
  MPI_Barrier(MPI_COMM_WORLD);
  const std::string found = stored(path);
  if (plain != found)
    note_failure(__FILE__, __LINE__, std::string("other means find old bytes, method ") + way.method);
  const int bytes = ranks * slots * slot_bytes;
  int lost = 0;
  for (int i = 0; i < bytes; ++i) {
    const int slot = i / slot_bytes, who = slot % ranks;
    const char wanted = value(who, (slot / ranks) * slot_bytes + i % slot_bytes);
    lost += i >= static_cast<int>(found.size()) || found[static_cast<size_t>(i)] != wanted;
  }
  if (rank == 0 && lost > 0)
    note_failure(__FILE__, __LINE__, std::to_string(lost) + " bytes lost, method " + way.method);
  MPI_Barrier(MPI_COMM_WORLD);
}

// Every rank caches all pages as they were before, and then writes its slots.
void neighbours(const std::string& path, const Way& way, bool collective, Locks locks = Locks::everywhere,
                Kind kind = Kind::nfs) {
  make_slots(path);
  Client::instance().watch(path, locks, kind);
  MPI_File file = open(path, way);
  cache_all_pages(file);
  const std::vector<char> mine = values_of(rank);
  if (collective) {
    set_interleaved_view(file, rank, ranks, slot_bytes);
    OK(MPI_File_write_all(file, mine.data(), static_cast<int>(mine.size()), MPI_BYTE, MPI_STATUS_IGNORE));
  } else {
    for (int i = 0; i < slots; ++i) write_slot(file, mine, i);
  }
  OK(MPI_File_close(&file));
  nothing_is_lost(path, way);
}

// Every second slot is written by its rank alone, and then the others in one collective call, for which those
// lie in holes.
void holes(const std::string& path, const Way& way, Kind kind) {
  make_slots(path);
  Client::instance().watch(path, Locks::everywhere, kind);
  MPI_File file = open(path, way);
  cache_all_pages(file);
  const std::vector<char> mine = values_of(rank);
  for (int i = 1; i < slots; i += 2) write_slot(file, mine, i);
  MPI_Datatype one, spaced, in_memory;
  MPI_Type_contiguous(slot_bytes, MPI_BYTE, &one);
  MPI_Type_create_resized(one, 0, MPI_Aint{2} * ranks * slot_bytes, &spaced);
  MPI_Type_commit(&spaced);
  MPI_Type_vector(slots / 2, slot_bytes, 2 * slot_bytes, MPI_BYTE, &in_memory);
  MPI_Type_commit(&in_memory);
  OK(MPI_File_set_view(file, MPI_Offset{rank} * slot_bytes, MPI_BYTE, spaced, "native", MPI_INFO_NULL));
  OK(MPI_File_write_all(file, mine.data(), 1, in_memory, MPI_STATUS_IGNORE));
  for (MPI_Datatype* type : {&one, &spaced, &in_memory}) MPI_Type_free(type);
  OK(MPI_File_close(&file));
  nothing_is_lost(path, way);
}

// A rank must read in windows what it has written alone, although the aggregators have cached what was there
// before.
void reads_what_it_wrote(const std::string& path, Locks locks, Kind kind, int bytes_of_slot,
                         const char* sieves_writes = "automatic") {
  make_slots(path, bytes_of_slot);
  Client::instance().watch(path, locks, kind);
  MPI_File file = open(path, {"two_phase", "list", sieves_writes});
  const bool writes = rank == ranks - 1;
  if (!writes) cache_all_pages(file, bytes_of_slot);
  const auto bytes = static_cast<size_t>(slots) * static_cast<size_t>(bytes_of_slot);
  std::vector<char> mine(bytes, 'x');
  if (writes) {
    MPI_Barrier(MPI_COMM_WORLD);
    const std::vector<char> all(static_cast<size_t>(ranks) * bytes, 'y');
    OK(MPI_File_write_at(file, 0, all.data(), static_cast<int>(all.size()), MPI_BYTE, MPI_STATUS_IGNORE));
  }
  set_interleaved_view(file, rank, ranks, bytes_of_slot);
  OK(MPI_File_read_all(file, mine.data(), static_cast<int>(mine.size()), MPI_BYTE, MPI_STATUS_IGNORE));
  const auto old = std::count_if(mine.begin(), mine.end(), [](char c) { return c != 'y'; });
  if (writes && old > 0) note_failure(__FILE__, __LINE__, std::to_string(old) + " old bytes read");
  OK(MPI_File_close(&file));
  Client::instance().watch_nothing();
  MPI_Barrier(MPI_COMM_WORLD);
}

// A rank must read alone what other nodes have written on its behalf, although its own has cached what was
// there before, and that the file was shorter.
void reads_what_others_wrote_for_it(const std::string& path, Locks locks, Kind kind) {
  make_slots(path, slot_bytes, slots / 2);
  Client::instance().watch(path, locks, kind);
  MPI_File file = open(path, {"two_phase"});
  cache_all_pages(file);
  MPI_Offset size = 0;
  OK(MPI_File_get_size(file, &size));
  const std::vector<char> mine = values_of(rank);
  set_interleaved_view(file, rank, ranks, slot_bytes);
  OK(MPI_File_write_at_all(file, 0, mine.data(), static_cast<int>(mine.size()), MPI_BYTE, MPI_STATUS_IGNORE));
  std::vector<char> found(mine.size(), '?');
  OK(MPI_File_read_at(file, 0, found.data(), static_cast<int>(found.size()), MPI_BYTE, MPI_STATUS_IGNORE));
  if (found != mine) note_failure(__FILE__, __LINE__, "old bytes read alone");
  OK(MPI_File_get_size(file, &size));
  if (size != MPI_Offset{slots} * ranks * slot_bytes)
    note_failure(__FILE__, __LINE__, "the old size: " + std::to_string(size));
  OK(MPI_File_close(&file));
  Client::instance().watch_nothing();
  MPI_Barrier(MPI_COMM_WORLD);
}

// A size that is set is the file's on all ranks, although some rank has written behind it alone.
void sizes(const std::string& path, Locks locks, Kind kind) {
  make_slots(path);
  Client::instance().watch(path, locks, kind);
  MPI_File file = open(path, {});
  MPI_Offset size = 0;
  OK(MPI_File_get_size(file, &size));
  constexpr int whole_pages = 64 << 10;
  const std::vector<char> mine(whole_pages, 'x');
  if (rank == ranks - 1)
    OK(MPI_File_write_at(file, whole_pages, mine.data(), whole_pages, MPI_BYTE, MPI_STATUS_IGNORE));
  for (const MPI_Offset wanted : {slot_bytes, 3 * slot_bytes}) {
    OK(MPI_File_set_size(file, wanted));
    OK(MPI_File_get_size(file, &size));
    if (size != wanted) note_failure(__FILE__, __LINE__, "not the size set: " + std::to_string(size));
  }
  OK(MPI_File_close(&file));
  Client::instance().watch_nothing();
  MPI_Barrier(MPI_COMM_WORLD);
  if (const size_t left = stored(path).size(); rank == 0 && left != 3 * slot_bytes)
    note_failure(__FILE__, __LINE__, "the file has " + std::to_string(left) + " bytes");
  MPI_Barrier(MPI_COMM_WORLD);
}

// A node that has cached an earlier state of the file, in an open that has ended, must see in the next one
// what others have written since.
void opens_anew(const std::string& path, Kind kind) {
  make_slots(path);
  Client::instance().watch(path, Locks::everywhere, kind);
  MPI_File file = open(path, {});
  cache_all_pages(file);
  OK(MPI_File_close(&file));
  MPI_Barrier(MPI_COMM_WORLD);
  const auto bytes = static_cast<size_t>(ranks) * slots * slot_bytes + 100;
  if (rank == 0) {  // not through its client
    FILE* longer = std::fopen(path.c_str(), "r+");
    for (size_t i = 0; i < bytes; ++i) std::fputc('z', longer);
    std::fclose(longer);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  file = open(path, {"independent"});
  std::string found(bytes, '.');
  OK(MPI_File_read_at_all(file, 0, found.data(), static_cast<int>(bytes), MPI_BYTE, MPI_STATUS_IGNORE));
  if (const auto old = std::count_if(found.begin(), found.end(), [](char c) { return c != 'z'; }); old > 0)
    note_failure(__FILE__, __LINE__, std::to_string(old) + " bytes read as they were before the open");
  MPI_Offset size = 0;
  OK(MPI_File_get_size(file, &size));
  if (size != static_cast<MPI_Offset>(bytes))
    note_failure(__FILE__, __LINE__, "the size before the open: " + std::to_string(size));
  OK(MPI_File_close(&file));
  Client::instance().watch_nothing();
  MPI_Barrier(MPI_COMM_WORLD);
}

// Rank 0 makes a new file in place of one whose name all nodes know. They still find the old one for a
// moment, which has another name now, or which is gone.
void finds_the_new_file(const std::string& path, bool gone) {
  const std::string old = path + ".old";
  make_slots(path);
  if (rank == 0) {
    if (std::rename(path.c_str(), old.c_str()) != 0)
      note_failure(__FILE__, __LINE__, "cannot rename " + path);
  }
  make_slots(path);
  const std::string before = stored(old);
  Client::instance().watch(path, Locks::everywhere, Kind::fuse);
  if (rank != 0) Client::instance().find_instead(gone ? "" : old, std::chrono::milliseconds(300));
  MPI_File file = open(path, {"list"});
  const std::vector<char> mine = values_of(rank);
  for (int i = 0; i < slots; ++i) write_slot(file, mine, i);
  OK(MPI_File_close(&file));
  nothing_is_lost(path, {"list"});
  if (rank == 0 && stored(old) != before)
    note_failure(__FILE__, __LINE__, "the file that had the name before was written to");
  if (rank == 0) std::remove(old.c_str());
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
void sync_looks_anew(const std::string& path, MPI_Comm comm, Locks locks, Kind kind) {
  if (rank == 0) {
    FILE* file = std::fopen(path.c_str(), "w");
    std::fputs("before", file);
    std::fclose(file);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  Client::instance().watch(path, locks, kind);
  MPI_File file = open(path, {}, comm);
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
  const bool is_alone_with_the_disk = comm == MPI_COMM_SELF && Client::instance().serves();
  if (immediate_visibility(file) != "false" && !is_alone_with_the_disk)
    note_failure(__FILE__, __LINE__, "told that others see at once what is written");
  OK(MPI_File_close(&file));
  Client::instance().watch_nothing();
  MPI_Barrier(MPI_COMM_WORLD);
}

// Where no lock keeps other nodes out nothing can be locked, and atomic mode must be refused.
void atomic_mode(const std::string& path, Locks locks, const char* described) {
  Client::instance().watch(path, locks);
  MPI_File file = open(path, {});
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

// Each host has a file of its own under the same name: in its /tmp, or in the image of its container.
void copies(const std::string& folder) {
  const std::string own = folder + "/host" + std::to_string(rank);
  char before[4096] = "";
  if (mkdir(own.c_str(), 0700) != 0 || !getcwd(before, sizeof before) || chdir(own.c_str()) != 0) {
    note_failure(__FILE__, __LINE__, "no folder for " + own);
    return;
  }
  for (const bool equal : {true, false}) {
    const std::string text = equal || rank == 0 ? "the same everywhere" : "another";
    FILE* made = std::fopen("input", "w");
    std::fputs(text.c_str(), made);
    std::fclose(made);
    MPI_Barrier(MPI_COMM_WORLD);
    for (const int amode : {MPI_MODE_RDONLY, MPI_MODE_RDWR}) {
      MPI_File file;
      const int code = MPI_File_open(MPI_COMM_WORLD, "input", amode, MPI_INFO_NULL, &file);
      const bool opens = ranks == 1 || (equal && amode == MPI_MODE_RDONLY);
      const int error_class = class_of(code);
      if (error_class != (opens ? MPI_SUCCESS : MPI_ERR_NO_SUCH_FILE))
        note_failure(__FILE__, __LINE__, "a copy of the file: class " + std::to_string(error_class));
      if (code != MPI_SUCCESS) continue;
      std::string found(text.size(), '.');
      OK(MPI_File_read_at_all(file, 0, found.data(), static_cast<int>(found.size()), MPI_BYTE,
                              MPI_STATUS_IGNORE));
      if (found != text) note_failure(__FILE__, __LINE__, "read from a copy: " + found);
      OK(MPI_File_close(&file));
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  if (chdir(before) != 0) note_failure(__FILE__, __LINE__, "no way back");
}

void all_cases(const std::string& path) {
  const Locks all_locks[] = {Locks::everywhere, Locks::local, Locks::refused};
  neighbours(path, {}, false);
  for (const char* method : {"auto", "list", "sieve"}) neighbours(path, {method}, true);
  for (MPI_Comm comm : {MPI_COMM_WORLD, MPI_COMM_SELF}) {
    for (const Locks locks : all_locks) sync_looks_anew(path, comm, locks, Kind::nfs);
    sync_looks_anew(path, comm, Locks::everywhere, Kind::fuse);
  }
  atomic_mode(path, Locks::everywhere, "seen everywhere");
  atomic_mode(path, Locks::local, "local");
  atomic_mode(path, Locks::refused, "refused");
  // Windows need no locks.
  for (const Locks locks : all_locks) neighbours(path, {"two_phase"}, true, locks);
  constexpr int slots_of_whole_pages = 16384;
  for (const bool gone : {false, true}) finds_the_new_file(path, gone);
  for (const Kind kind : {Kind::nfs, Kind::fuse}) {
    opens_anew(path, kind);
    for (const Locks locks : all_locks) {
      for (const int bytes_of_slot : {slot_bytes, slots_of_whole_pages})
        reads_what_it_wrote(path, locks, kind, bytes_of_slot);
      reads_what_others_wrote_for_it(path, locks, kind);
      sizes(path, locks, kind);
    }
    for (const char* flush : {"list", "rmw"}) holes(path, {"two_phase", flush}, kind);
    for (const bool collective : {false, true}) {
      neighbours(path, {"sieve", "list", "enable"}, collective, Locks::everywhere, kind);
      neighbours(path, {}, collective, Locks::everywhere, kind);
    }
    holes(path, {"sieve", "list", "enable"}, kind);
    reads_what_it_wrote(path, Locks::everywhere, kind, slot_bytes, "enable");
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  expecting("rank %d", rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const char* folder = std::getenv("CONCILIO_TEST_DIR");
  const std::string path = std::string(folder ? folder : "/tmp") + "/network";
  for (const bool first_serves : {false, true}) {
    Client::instance().serve(first_serves && rank == 0);
    all_cases(path);
  }
  copies(std::string(folder ? folder : "/tmp"));
  MPI_Allreduce(MPI_IN_PLACE, &noted_failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) std::printf("network_client: %d mistakes\n", noted_failures);
  MPI_Finalize();
  return noted_failures > 0;
}
