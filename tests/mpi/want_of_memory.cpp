// One allocation of Concilio fails, on one rank, in a call of all ranks: the n-th of the call, for every n.
// Every rank must return, all must agree on whether the call failed, and the next call, in which nothing
// fails, must move the right bytes. It runs with Concilio preloaded, and needs one start of the processes for
// the whole sweep.
#include <concilio/file.h>
#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "common/own_clock.h"
#include "common/patient_barrier.h"

// The allocations that fail are those of the library's own code (its C++ runtime is linked into it), in any
// thread of this process while it is armed.
namespace {

std::atomic<bool> armed{false};
std::atomic<long> left{0};  // until one fails
bool all_that_follow = false, explains = false;
// Not the n-th allocation fails, but the first one that is asked for by calls by which none has failed.
bool by_callers = false;
// The system gives the library no thread.
std::atomic<bool> refuses_threads{false};
uintptr_t library_begin = 0, library_end = 0;

// Whether these calls ask for memory for the first time.
bool are_new_callers() {
  constexpr size_t most = 1 << 14;
  static std::atomic<uint64_t> known[most];
  void* stack[64];
  uint64_t hash = 1;
  for (int i = 0, depth = backtrace(stack, 64); i < depth; ++i)
    hash = (hash ^ reinterpret_cast<uintptr_t>(stack[i])) * 0x100000001b3u;
  for (size_t i = 0; i < most; ++i) {
    std::atomic<uint64_t>& one = known[(hash + i) % most];
    uint64_t none = 0;
    if (one.compare_exchange_strong(none, hash)) return true;
    if (none == hash) return false;
  }
  return false;
}

bool is_of_library(const void* caller) {
  const auto address = reinterpret_cast<uintptr_t>(caller);
  return address >= library_begin && address < library_end;
}

bool fails(const void* caller) {
  if (!armed.load(std::memory_order_relaxed) || !is_of_library(caller)) return false;
  if (by_callers && left.load() > 0 && !are_new_callers()) return false;
  const long now = left.fetch_sub(1) - 1;
  if (now != 0 && !(all_that_follow && now < 0)) return false;
  if (explains) {
    void* stack[32];
    backtrace_symbols_fd(stack, backtrace(stack, 32), STDERR_FILENO);
  }
  errno = ENOMEM;
  return true;
}

int find_library(dl_phdr_info* info, size_t, void*) {
  if (!std::strstr(info->dlpi_name, "libconcilio-")) return 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& part = info->dlpi_phdr[i];
    if (part.p_type != PT_LOAD || !(part.p_flags & PF_X)) continue;
    library_begin = info->dlpi_addr + part.p_vaddr;
    library_end = library_begin + part.p_memsz;
  }
  return 1;
}

}  // namespace

// The program is compiled with hidden symbols, but the library must see these.
#pragma GCC visibility push(default)
extern "C" {
void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);
void* __libc_memalign(size_t, size_t);

void* malloc(size_t bytes) {
  return fails(__builtin_return_address(0)) ? nullptr : __libc_malloc(bytes);
}
void* calloc(size_t count, size_t bytes) {
  return fails(__builtin_return_address(0)) ? nullptr : __libc_calloc(count, bytes);
}
void* realloc(void* old, size_t bytes) {
  return fails(__builtin_return_address(0)) ? nullptr : __libc_realloc(old, bytes);
}
void* aligned_alloc(size_t alignment, size_t bytes) {
  return fails(__builtin_return_address(0)) ? nullptr : __libc_memalign(alignment, bytes);
}
int posix_memalign(void** result, size_t alignment, size_t bytes) {
  if (fails(__builtin_return_address(0))) return ENOMEM;
  *result = __libc_memalign(alignment, bytes);
  return *result ? 0 : ENOMEM;
}
int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*work)(void*),
                   void* argument) {
  if (refuses_threads && is_of_library(__builtin_return_address(0))) return EAGAIN;
  static const auto next = reinterpret_cast<decltype(&pthread_create)>(dlsym(RTLD_NEXT, "pthread_create"));
  return next(thread, attributes, work, argument);
}
}
#pragma GCC visibility pop

namespace {

constexpr int block = 64;
constexpr int usual_blocks = 48;

struct Scenario {
  const char* name;
  std::vector<std::pair<std::string, std::string>> hints;
  enum class Calls { blocking, nonblocking, split, ordered } calls = Calls::blocking;
  const char* datarep = "native";
  // Writes that are held back are in the file only after a sync.
  bool syncs = false;
  // The buffers' datatype has more levels than a cursor remembers.
  bool deep = false;
  // So has one of the realms that the program gives.
  bool deep_realms = false;
  // The view is a list of pieces, of which nodes tell each other parts.
  bool lists = false;
  // The gaps between blocks are larger, so that ranks mark what they want of a window.
  bool sparse = false;
};

const std::vector<Scenario>& scenarios() {
  using Calls = Scenario::Calls;
  static const std::vector<Scenario> all = {
      {"independent", {{"concilio_method", "independent"}}},
      {"list", {{"concilio_method", "list"}}},
      {"sieve", {{"concilio_method", "sieve"}}},
      {"mapped", {{"concilio_method", "mapped"}}},
      {"automatic", {}},
      {"two_phase", {{"concilio_method", "two_phase"}}},
      {"descriptions",
       {{"concilio_method", "two_phase"},
        {"concilio_ranks_per_node", "1"},
        {"concilio_exchange", "descriptions"}}},
      {"deep",
       {{"concilio_method", "two_phase"}, {"concilio_ranks_per_node", "1"}, {"cb_buffer_size", "8192"}},
       Calls::blocking,
       "native",
       false,
       true},
      {"deep_realms",
       {{"concilio_method", "two_phase"}, {"concilio_ranks_per_node", "1"}},
       Calls::blocking,
       "native",
       false,
       false,
       true},
      {"lists",
       {{"concilio_method", "two_phase"}, {"concilio_ranks_per_node", "1"}},
       Calls::blocking,
       "native",
       false,
       false,
       false,
       true},
      {"clusters",
       {{"concilio_method", "two_phase"}, {"concilio_ranks_per_node", "1"}, {"concilio_combine_nodes", "2"}}},
      {"images",
       {{"concilio_method", "two_phase"}, {"concilio_ranks_per_node", "1"}, {"concilio_exchange", "images"}}},
      {"marks",
       {{"concilio_method", "two_phase"},
        {"concilio_ranks_per_node", "1"},
        {"concilio_exchange", "images"},
        {"romio_ds_read", "disable"}},
       Calls::blocking,
       "native",
       false,
       false,
       false,
       false,
       true},
      {"alltoallw",
       {{"concilio_method", "two_phase"}, {"concilio_ranks_per_node", "1"}, {"romio_cb_alltoall", "enable"}}},
      {"cyclic",
       {{"concilio_method", "two_phase"}, {"concilio_realms", "cyclic"}, {"romio_cb_fr_types", "1024"}}},
      {"write_behind",
       {{"concilio_method", "two_phase"},
        {"concilio_realms", "persistent"},
        {"concilio_write_behind", "64K"},
        {"romio_no_indep_rw", "true"}},
       Calls::blocking,
       "native",
       true},
      {"nonblocking", {{"concilio_method", "two_phase"}}, Calls::nonblocking},
      {"split", {{"concilio_method", "two_phase"}}, Calls::split},
      {"ordered", {{"concilio_method", "two_phase"}}, Calls::ordered},
      {"external32", {{"concilio_method", "two_phase"}}, Calls::blocking, "external32"},
  };
  return all;
}

int rank = 0, ranks = 1;
int mistakes = 0;
std::string path;
// Where the sweep is, for a reader of a test that hangs.
char place[256] = "";

void mistake(const std::string& what) {
  ++mistakes;
  std::fprintf(stderr, "want_of_memory: rank %d: %s: %s\n", rank, place, what.c_str());
}

void on_alarm(int) {
  const char text[] = "want_of_memory: a rank waits for ever: ";
  (void)!write(STDERR_FILENO, text, sizeof text - 1);
  (void)!write(STDERR_FILENO, place, std::strlen(place));
  (void)!write(STDERR_FILENO, "\n", 1);
  abort();
}

uint8_t value(int of_rank, int64_t index, int version) {
  return static_cast<uint8_t>((of_rank * 97 + index * 13 + version * 31) % 199 + 1);
}

// Buffers have holes: byte i of the data is at buffer_place(i). The pieces of a deep buffer descend, at
// different distances, so that no level of their datatype is like another.
constexpr int piece_bytes = 16, deep_pieces = 16, deep_bytes = piece_bytes * deep_pieces;
constexpr int shallow_extent = 24, deep_extent = 1024;
size_t buffer_place(const Scenario& scenario, int64_t i) {
  const int64_t piece = i / piece_bytes % deep_pieces, left = deep_pieces - piece;
  if (scenario.deep)
    return static_cast<size_t>(i / deep_bytes * deep_extent + left * (left - 1) / 2 + left * piece_bytes +
                               i % piece_bytes);
  return static_cast<size_t>(i / piece_bytes * shallow_extent + i % piece_bytes);
}
size_t buffer_bytes(const Scenario& scenario, int blocks) {
  const int bytes = blocks * block;
  return static_cast<size_t>(scenario.deep ? bytes / deep_bytes * deep_extent
                                           : bytes / piece_bytes * shallow_extent);
}
MPI_Datatype buffer_type(const Scenario& scenario) {
  MPI_Datatype type, piece;
  MPI_Type_contiguous(piece_bytes, MPI_BYTE, &piece);
  MPI_Type_dup(piece, &type);
  for (int i = 1; scenario.deep && i < deep_pieces; ++i) {
    const int lengths[] = {1, 1};
    const auto first = static_cast<MPI_Aint>(buffer_place(scenario, 0));
    const MPI_Aint places[] = {i == 1 ? first : 0,
                               static_cast<MPI_Aint>(buffer_place(scenario, i * piece_bytes))};
    const MPI_Datatype types[] = {type, piece};
    MPI_Datatype longer;
    MPI_Type_create_struct(2, lengths, places, types, &longer);
    MPI_Type_free(&type);
    type = longer;
  }
  MPI_Datatype tile;
  MPI_Type_create_resized(type, 0, scenario.deep ? deep_extent : shallow_extent, &tile);
  MPI_Type_commit(&tile);
  MPI_Type_free(&type);
  MPI_Type_free(&piece);
  return tile;
}

// The calls of all ranks through one open file.
struct Open {
  const Scenario& scenario;
  MPI_File file = MPI_FILE_NULL;
  MPI_Info info = MPI_INFO_NULL;
  MPI_Comm comm = MPI_COMM_WORLD;
  int amode = MPI_MODE_CREATE | MPI_MODE_RDWR;
  int version = 0;  // of what the file holds

  explicit Open(const Scenario& its) : scenario(its) {
    MPI_Info_create(&info);
    MPI_Info_set(info, "cb_buffer_size", "1024");
    // An error of one rank is that of all ranks in the same call.
    MPI_Info_set(info, "concilio_agree", "always");
    for (const auto& [key, text] : scenario.hints) MPI_Info_set(info, key.c_str(), text.c_str());
  }
  ~Open() { MPI_Info_free(&info); }

  int open(MPI_Info hints) { return MPI_File_open(comm, path.c_str(), amode, hints, &file); }
  int open() { return open(info); }
  int close() { return MPI_File_close(&file); }
  // The ranks' blocks alternate, followed by a gap, so that windows are read before they are written.
  MPI_Aint tile_bytes() const { return MPI_Aint{block} * (ranks + (scenario.sparse ? 3 * ranks : 1)); }
  int set_view(MPI_Info hints = MPI_INFO_NULL) {
    MPI_Datatype one, tile;
    MPI_Type_contiguous(block, MPI_BYTE, &one);
    if (scenario.lists) {
      // Nobody uses the blocks behind the usual ones, whose distances make a list of all.
      std::vector<MPI_Aint> places;
      for (int i = 0; i < 3 * usual_blocks; ++i)
        places.push_back(tile_bytes() * (i < usual_blocks ? i : usual_blocks + i * i));
      const std::vector<int> lengths(places.size(), 1);
      MPI_Type_create_hindexed(static_cast<int>(places.size()), lengths.data(), places.data(), one, &tile);
    } else {
      MPI_Type_create_resized(one, 0, tile_bytes(), &tile);
    }
    MPI_Type_commit(&tile);
    const int code =
        MPI_File_set_view(file, MPI_Offset{block} * rank, MPI_BYTE, tile, scenario.datarep, hints);
    MPI_Type_free(&one);
    MPI_Type_free(&tile);
    return code;
  }
  // Sets as many realms as there are ranks. Pages belong to them by turns.
  int set_realms() {
    constexpr int page = 4096;
    MPI_Datatype one, tile;
    MPI_Type_contiguous(page, MPI_BYTE, &one);
    MPI_Type_create_resized(one, 0, MPI_Aint{page} * ranks, &tile);
    const std::vector<MPI_Datatype> types(static_cast<size_t>(ranks), tile);
    std::vector<MPI_Offset> displacements;
    for (int of = 0; of < ranks; ++of) displacements.push_back(MPI_Offset{page} * of);
    const int code = concilio_file_set_realms(file, ranks, types.data(), displacements.data());
    MPI_Type_free(&one);
    MPI_Type_free(&tile);
    return code;
  }
  // Sets two realms: one of many levels, and one that has all other bytes.
  int set_deep_realms() {
    constexpr int piece = 8, doublings = 9;
    MPI_Datatype bytes, deep;
    MPI_Type_contiguous(piece, MPI_BYTE, &bytes);
    MPI_Type_dup(bytes, &deep);
    std::vector<MPI_Aint> owned{0};
    MPI_Aint extent = piece;
    // Each time, two copies of what there is, after a piece; no distance is like another.
    for (int i = 0; i < doublings; ++i) {
      const MPI_Aint stride = extent + piece * (1 + i % 3);
      const std::vector<MPI_Aint> inner = std::exchange(owned, {0});
      for (const MPI_Aint copy : {MPI_Aint{0}, stride}) {
        for (const MPI_Aint at : inner) owned.push_back(2 * piece + copy + at);
      }
      MPI_Datatype twice, longer;
      MPI_Type_create_hvector(2, 1, stride, deep, &twice);
      const int lengths[] = {1, 1};
      const MPI_Aint places[] = {0, 2 * piece};
      const MPI_Datatype types[] = {bytes, twice};
      MPI_Type_create_struct(2, lengths, places, types, &longer);
      MPI_Type_free(&deep);
      MPI_Type_free(&twice);
      deep = longer;
      extent = 2 * piece + stride + extent;
    }
    std::vector<MPI_Aint> others;
    std::vector<int> lengths;
    for (size_t i = 0; i < owned.size(); ++i) {
      const MPI_Aint begin = owned[i] + piece, end = i + 1 < owned.size() ? owned[i + 1] : extent;
      if (begin == end) continue;
      others.push_back(begin);
      lengths.push_back(static_cast<int>(end - begin));
    }
    MPI_Datatype rest, types[2];
    MPI_Type_create_hindexed(static_cast<int>(others.size()), lengths.data(), others.data(), MPI_BYTE, &rest);
    MPI_Type_create_resized(deep, 0, extent, &types[0]);
    MPI_Type_create_resized(rest, 0, extent, &types[1]);
    const MPI_Offset displacements[] = {0, 0};
    const int code = concilio_file_set_realms(file, 2, types, displacements);
    for (MPI_Datatype* type : {&bytes, &deep, &rest, &types[0], &types[1]}) MPI_Type_free(type);
    return code;
  }
  // The value of a hint that is in force on this rank.
  std::string hint(const char* key) {
    MPI_Info used;
    if (MPI_File_get_info(file, &used) != MPI_SUCCESS) return "";
    char value[MPI_MAX_INFO_VAL + 1] = "";
    int found = 0;
    MPI_Info_get(used, key, MPI_MAX_INFO_VAL, value, &found);
    MPI_Info_free(&used);
    return value;
  }

  int move(bool writes, std::vector<uint8_t>& buffer, int blocks) {
    using Calls = Scenario::Calls;
    MPI_Datatype type = buffer_type(scenario);
    const int count = blocks * block / (scenario.deep ? deep_bytes : piece_bytes);
    uint8_t* data = buffer.data();
    int code = MPI_SUCCESS;
    switch (scenario.calls) {
      case Calls::blocking:
        code = writes ? MPI_File_write_at_all(file, 0, data, count, type, MPI_STATUS_IGNORE)
                      : MPI_File_read_at_all(file, 0, data, count, type, MPI_STATUS_IGNORE);
        break;
      case Calls::nonblocking: {
        MPI_Request request;
        code = writes ? MPI_File_iwrite_at_all(file, 0, data, count, type, &request)
                      : MPI_File_iread_at_all(file, 0, data, count, type, &request);
        if (code == MPI_SUCCESS) code = MPI_Wait(&request, MPI_STATUS_IGNORE);
        break;
      }
      case Calls::split:
        code = writes ? MPI_File_write_at_all_begin(file, 0, data, count, type)
                      : MPI_File_read_at_all_begin(file, 0, data, count, type);
        if (code == MPI_SUCCESS)
          code = writes ? MPI_File_write_at_all_end(file, data, MPI_STATUS_IGNORE)
                        : MPI_File_read_at_all_end(file, data, MPI_STATUS_IGNORE);
        break;
      case Calls::ordered:
        // With one etype for each rank, the position of the shared pointer is the same for all.
        code = writes ? MPI_File_write_ordered(file, data, count, type, MPI_STATUS_IGNORE)
                      : MPI_File_read_ordered(file, data, count, type, MPI_STATUS_IGNORE);
        break;
    }
    MPI_Type_free(&type);
    return code;
  }
  // Positions in the stream of rank `of` and in its view.
  int64_t stream_begin(int of, int blocks) const {
    return scenario.calls == Scenario::Calls::ordered ? int64_t{of} * blocks * block : 0;
  }
  int rewind() {
    return scenario.calls == Scenario::Calls::ordered ? MPI_File_seek_shared(file, 0, MPI_SEEK_SET)
                                                      : MPI_SUCCESS;
  }

  int write(int blocks, int its_version) {
    std::vector<uint8_t> buffer(buffer_bytes(scenario, blocks));
    for (int i = 0; i < blocks * block; ++i) buffer[buffer_place(scenario, i)] = value(rank, i, its_version);
    return move(true, buffer, blocks);
  }
  int read(std::vector<uint8_t>& buffer, int blocks) {
    buffer.assign(buffer_bytes(scenario, blocks), 0);
    return move(false, buffer, blocks);
  }
  void check_read(const std::vector<uint8_t>& buffer, int blocks, const char* what) {
    for (int i = 0; i < blocks * block; ++i) {
      if (buffer[buffer_place(scenario, i)] == value(rank, i, version)) continue;
      return mistake(std::string(what) + " succeeded, but byte " + std::to_string(i) + " is wrong");
    }
  }
  // Reads by system calls: every rank's data must be in place, and the gaps unchanged.
  void check_file(int blocks, const char* what) {
    patient_barrier(MPI_COMM_WORLD);
    if (rank != 0) return;
    std::vector<uint8_t> bytes(static_cast<size_t>(tile_bytes() * ranks * (blocks + 1)));
    FILE* stream = std::fopen(path.c_str(), "rb");
    const size_t got = stream ? std::fread(bytes.data(), 1, bytes.size(), stream) : 0;
    if (stream) std::fclose(stream);
    for (int of = 0; of < ranks; ++of) {
      for (int64_t i = 0; i < int64_t{blocks} * block; ++i) {
        const int64_t position = stream_begin(of, blocks) + i;
        const int64_t at = position / block * tile_bytes() + of * block + position % block;
        if (at < static_cast<int64_t>(got) && bytes[static_cast<size_t>(at)] == value(of, i, version))
          continue;
        return mistake(std::string(what) + " succeeded, but byte " + std::to_string(i) + " of rank " +
                       std::to_string(of) + " is wrong in the file");
      }
    }
    for (int64_t at = int64_t{block} * ranks; at < static_cast<int64_t>(got); at += tile_bytes()) {
      if (bytes[static_cast<size_t>(at)] != 0)
        return mistake(std::string(what) + ": a gap at " + std::to_string(at) + " has been written");
    }
  }
};

bool all_well(int code, const char* call) {
  int mine = code == MPI_SUCCESS, sum = 0;
  MPI_Request request;
  MPI_Iallreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
  patient_wait(request);
  if (sum != 0 && sum != ranks) mistake(std::string(call) + " failed on some ranks only");
  return sum == ranks;
}
void must_do_well(int code, const char* call) {
  if (code == MPI_SUCCESS) return void(all_well(code, call));
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, text, &length);
  mistake(std::string(call) + ", in which nothing fails, fails: " + text);
  (void)all_well(code, call);
}

// Lets the n-th allocation fail, on one rank, in what all ranks do, for every n until there are fewer.
// before(n) prepares it, and after(n, well) checks the result.
struct Sweep {
  const char* what;
  std::function<void(int)> before;
  std::function<int(int)> call;
  std::function<void(int, bool)> after;
};

// Returns how many allocations of this rank failed in turn.
long sweep_rank(int unlucky, const Scenario& scenario, const Sweep& sweep, bool onward) {
  for (int n = 1;; ++n) {
    alarm(20);
    std::snprintf(place, sizeof place, "%s, %s: allocation %d%s fails on rank %d", scenario.name, sweep.what,
                  n, onward ? " and all that follow" : "", unlucky);
    sweep.before(n);
    patient_barrier(MPI_COMM_WORLD);
    left = by_callers ? 1 : n;
    all_that_follow = onward;
    armed = rank == unlucky;
    const int code = sweep.call(n);
    armed = false;
    int failed = left.load() <= 0;
    MPI_Request request;
    MPI_Ibcast(&failed, 1, MPI_INT, unlucky, MPI_COMM_WORLD, &request);
    patient_wait(request);
    const bool well = all_well(code, sweep.what);
    if (!failed && !well) mistake(std::string(sweep.what) + " failed, though no allocation did");
    sweep.after(n, well);
    if (!failed) return n - 1;
  }
}

long sweep(const Scenario& scenario, const Sweep& sweep, bool onward) {
  long tried = 0;
  for (int unlucky = 0; unlucky < ranks; ++unlucky) tried += sweep_rank(unlucky, scenario, sweep, onward);
  return tried;
}
// The same for what cannot do without memory: a sweep that reaches no allocation is a mistake.
long sweep_some(const Scenario& scenario, const Sweep& its, bool onward) {
  const long tried = sweep(scenario, its, onward);
  if (tried == 0) mistake("no allocation was reached");
  return tried;
}

void settle(Open& open) {
  if (open.scenario.syncs) must_do_well(MPI_File_sync(open.file), "MPI_File_sync");
}

// A write and a read without failures.
void check_all(Open& open) {
  must_do_well(open.rewind(), "MPI_File_seek_shared");
  must_do_well(open.write(usual_blocks, ++open.version), "the next write");
  settle(open);
  open.check_file(usual_blocks, "the next write");
  must_do_well(open.rewind(), "MPI_File_seek_shared");
  std::vector<uint8_t> back;
  must_do_well(open.read(back, usual_blocks), "the next read");
  open.check_read(back, usual_blocks, "the next read");
}

void transfers(const Scenario& scenario, bool onward) {
  Open open(scenario);
  must_do_well(open.open(), "MPI_File_open");
  if (open.file == MPI_FILE_NULL) return;
  if (scenario.deep_realms) must_do_well(open.set_deep_realms(), "concilio_file_set_realms");
  must_do_well(open.set_view(), "MPI_File_set_view");
  check_all(open);
  std::vector<uint8_t> back;
  for (const bool fresh : {true, false}) {
    // It differs in size from the call before, so it is planned again.
    const auto blocks = [&](int n) { return fresh ? usual_blocks - 8 + 4 * (n % 2) : usual_blocks; };
    const auto rewind = [&](int) { must_do_well(open.rewind(), "MPI_File_seek_shared"); };
    const long writes =
        (fresh ? sweep_some : sweep)(scenario,
                                     {fresh ? "a new write" : "a repeated write", rewind,
                                      [&](int n) { return open.write(blocks(n), ++open.version); },
                                      [&](int n, bool well) {
                                        settle(open);
                                        if (well) open.check_file(blocks(n), "the write");
                                        check_all(open);
                                      }},
                                     onward);
    const long reads = (fresh ? sweep_some : sweep)(
        scenario,
        {fresh ? "a new read" : "a repeated read", rewind, [&](int n) { return open.read(back, blocks(n)); },
         [&](int n, bool well) {
           if (well && scenario.calls != Scenario::Calls::ordered)
             open.check_read(back, blocks(n), "the read");
           check_all(open);
         }},
        onward);
    if (rank == 0)
      std::printf("%s, %s: %ld allocations of writes and %ld of reads failed in turn%s\n", scenario.name,
                  fresh ? "planned anew" : "repeated", writes, reads, onward ? ", with all that follow" : "");
  }
  must_do_well(open.close(), "MPI_File_close");
}

// Nonblocking or split collective calls that one rank starts before the others. These start theirs when a
// message says that it has, so that a start that waits for other ranks waits for ever.
class Starts {
 public:
  explicit Starts(const Scenario& scenario) : open_(scenario) {
    must_do_well(open_.open(), "MPI_File_open");
    if (open_.file == MPI_FILE_NULL) return;
    must_do_well(open_.set_view(), "MPI_File_set_view");
    check_all(open_);
  }
  Starts(const Starts&) = delete;
  ~Starts() {
    if (open_.file != MPI_FILE_NULL) must_do_well(open_.close(), "MPI_File_close");
  }

  // The n-th allocation of the first rank's starts fails. If all that follow fail too, its second start
  // cannot be noted and waits for the others, so these do not wait for a message.
  void sweep_starts(bool onward) {
    for (const bool writes : {true, false}) {
      for (int first = 0; first < ranks; ++first) {
        const char* what = writes ? "writes in a row" : "reads in a row";
        const auto starts = [&](int) { return in_a_row({writes, first, !onward, true}); };
        const auto check_after = [&](int, bool well) { check(writes, well); };
        const long tried = sweep_rank(first, open_.scenario, {what, [](int) {}, starts, check_after}, onward);
        if (tried == 0) mistake("no allocation was reached");
        if (rank == 0)
          std::printf("%s, %s: %ld allocations of rank %d failed in turn%s\n", open_.scenario.name, what,
                      tried, first, onward ? ", with all that follow" : "");
      }
    }
  }

  // The first rank comes to the others' meeting while these are away, and leaves it again: its test is in
  // vain, and its call is not over.
  void sweep_tests_in_vain(bool onward) {
    for (int first = 0; first < ranks; ++first) {
      const char* what = "a write that is tested in vain";
      const auto write = [&](int) { return tested_in_vain(first); };
      const auto check_after = [&](int, bool well) {
        if (well) open_.check_file(blocks_of_part, "the write");
        check_all(open_);
      };
      const long tried = sweep_rank(first, open_.scenario, {what, [](int) {}, write, check_after}, onward);
      if (rank == 0)
        std::printf("%s, %s: %ld allocations of rank %d failed in turn\n", open_.scenario.name, what, tried,
                    first);
    }
  }

  // No rank gets a thread. Then the calls are carried out when the program waits for them, or tests them.
  void without_threads() {
    refuses_threads = true;
    for (const bool waits : {true, false}) {
      for (int first = 0; first < ranks; ++first) {
        alarm(20);
        std::snprintf(place, sizeof place, "%s, writes in a row: rank %d gets no thread", open_.scenario.name,
                      first);
        must_do_well(in_a_row({true, first, true, waits}), "a write without threads");
        check(true, true);
      }
    }
    refuses_threads = false;
  }

 private:
  // Each call moves a part of the data.
  static constexpr int parts = 3, blocks_of_part = usual_blocks / parts;
  static constexpr int bytes_of_part = blocks_of_part * block, pieces_of_part = bytes_of_part / piece_bytes;
  struct Row {
    bool writes;
    int first;  // the rank that starts before the others
    bool says_so;
    bool waits;  // or tests
  };

  // Returns the first error of this rank.
  int in_a_row(const Row& row) {
    make_row(row.writes);
    const bool fails_here = armed.exchange(false);
    // Of split calls, a file has one at a time.
    const bool splits = open_.scenario.calls == Scenario::Calls::split;
    MPI_Request requests[parts];
    int codes[parts];
    for (int part = 0; part < parts; ++part) {
      const bool begins = splits || part == 0, ends = splits || part == parts - 1;
      if (begins && row.says_so && rank != row.first) receive_word(row.first);
      armed = fails_here;
      codes[part] = splits ? begin(row.writes, part) : start(row.writes, part, &requests[part]);
      armed = false;
      if (row.says_so && codes[part] != MPI_SUCCESS) mistake("a start fails");
      if (ends && row.says_so && rank == row.first) send_word();
      if (splits && codes[part] == MPI_SUCCESS) codes[part] = end(row.writes, part);
    }
    for (int part = 0; !splits && part < parts; ++part) {
      if (codes[part] == MPI_SUCCESS) codes[part] = complete(&requests[part], row.waits);
    }
    MPI_Type_free(&type_);
    int first_error = MPI_SUCCESS;
    for (const int code : codes) {
      (void)all_well(code, "a call in a row");
      if (first_error == MPI_SUCCESS) first_error = code;
    }
    return first_error;
  }

  // Of the other ranks each tests once, which says that it is ready for the call.
  int tested_in_vain(int first) {
    const bool fails_here = armed.exchange(false);
    make_row(true);
    MPI_Request request;
    int code = start(true, 0, &request), done = 0;
    if (code != MPI_SUCCESS) mistake("a start fails");
    if (rank != first) MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    patient_barrier(MPI_COMM_WORLD);
    armed = fails_here;
    if (rank == first) code = MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    armed = false;
    if (done) mistake("a call is done that other ranks have not come to");
    patient_barrier(MPI_COMM_WORLD);
    if (!done) code = MPI_Wait(&request, MPI_STATUS_IGNORE);
    (void)all_well(code, "the call that was tested in vain");
    MPI_Type_free(&type_);
    return code;
  }

  // The data of all parts, in memory.
  void make_row(bool writes) {
    if (writes) ++open_.version;
    buffer_.assign(buffer_bytes(open_.scenario, usual_blocks), 0);
    for (int i = 0; writes && i < usual_blocks * block; ++i)
      buffer_[buffer_place(open_.scenario, i)] = value(rank, i, open_.version);
    type_ = buffer_type(open_.scenario);
  }
  uint8_t* data_of(int part) {
    return buffer_.data() + buffer_bytes(open_.scenario, blocks_of_part) * static_cast<size_t>(part);
  }
  static MPI_Offset offset_of(int part) { return MPI_Offset{part} * bytes_of_part; }
  int start(bool writes, int part, MPI_Request* request) {
    uint8_t* data = data_of(part);
    return writes ? MPI_File_iwrite_at_all(open_.file, offset_of(part), data, pieces_of_part, type_, request)
                  : MPI_File_iread_at_all(open_.file, offset_of(part), data, pieces_of_part, type_, request);
  }
  static int complete(MPI_Request* request, bool waits) {
    if (waits) return MPI_Wait(request, MPI_STATUS_IGNORE);
    int done = 0;
    for (;; usleep(20)) {
      const int code = MPI_Test(request, &done, MPI_STATUS_IGNORE);
      if (done || code != MPI_SUCCESS) return code;
    }
  }
  int begin(bool writes, int part) {
    uint8_t* data = data_of(part);
    return writes ? MPI_File_write_at_all_begin(open_.file, offset_of(part), data, pieces_of_part, type_)
                  : MPI_File_read_at_all_begin(open_.file, offset_of(part), data, pieces_of_part, type_);
  }
  int end(bool writes, int part) {
    uint8_t* data = data_of(part);
    return writes ? MPI_File_write_at_all_end(open_.file, data, MPI_STATUS_IGNORE)
                  : MPI_File_read_at_all_end(open_.file, data, MPI_STATUS_IGNORE);
  }

  static constexpr int word = 5;
  static void send_word() {
    for (int to = 0; to < ranks; ++to)
      if (to != rank) MPI_Send(nullptr, 0, MPI_BYTE, to, word, MPI_COMM_WORLD);
  }
  static void receive_word(int from) {
    MPI_Request request;
    MPI_Irecv(nullptr, 0, MPI_BYTE, from, word, MPI_COMM_WORLD, &request);
    patient_wait(request);
  }

  void check(bool writes, bool well) {
    if (well && writes) open_.check_file(usual_blocks, "the writes");
    if (well && !writes) open_.check_read(buffer_, usual_blocks, "the reads");
    check_all(open_);
  }

  Open open_;
  std::vector<uint8_t> buffer_;
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

// Hints that are the same on all ranks, or others on each; then rank 0's are taken.
int with_hints(const char* buffer_bytes, bool alike, const std::function<int(MPI_Info)>& call) {
  MPI_Info hints;
  MPI_Info_create(&hints);
  const bool mine = alike || rank == 0;
  MPI_Info_set(hints, "cb_buffer_size", mine ? buffer_bytes : "4096");
  if (mine) MPI_Info_set(hints, "concilio_node_memory", "1073741824,1073741824");
  if (!mine) MPI_Info_set(hints, "want_of_memory_knows_no_such_hint", "true");
  const int code = call(hints);
  MPI_Info_free(&hints);
  return code;
}

// Opens and closes. After an open that fails nothing is open, on any rank. The next open works.
class Opens {
 public:
  Opens(const Scenario& scenario, bool onward) : open_(scenario), onward_(onward) {}

  void sweep_opens() {
    const auto plain = [&](int) { return open_.open(); };
    run(
        "MPI_File_open", [&] { unlink_file(); }, plain);
    run(
        "MPI_File_open with other hints on each rank", [] {},
        [&](int) { return with_hints("2048", false, [&](MPI_Info hints) { return open_.open(hints); }); });
    // Ranks that have not met before.
    run(
        "MPI_File_open by a new communicator", [&] { MPI_Comm_dup(MPI_COMM_WORLD, &open_.comm); }, plain);
  }

  void sweep_closes() {
    const auto must_write = [&](int) {
      must_do_well(open_.open(), "MPI_File_open");
      must_do_well(open_.set_view(), "MPI_File_set_view");
      must_do_well(open_.write(usual_blocks, ++open_.version), "the write");
    };
    // By the program's clock there is time for a record of each close, which wants memory.
    const auto close = [&](int) {
      let_pass(1'000'000'000);
      return open_.close();
    };
    const auto check = [&](int, bool well) {
      if (open_.file != MPI_FILE_NULL) mistake("the file's handle does not say that it is closed");
      const bool stays = !(open_.amode & MPI_MODE_DELETE_ON_CLOSE);
      if (well && stays) open_.check_file(usual_blocks, "the close");
      if (well && !stays && access(path.c_str(), F_OK) == 0) mistake("the file is still there");
      patient_barrier(MPI_COMM_WORLD);  // before others make the file again
      check_all_again();
    };
    for (const char* what : {"MPI_File_close", "MPI_File_close that deletes"}) {
      report(what, sweep_some(open_.scenario, {what, must_write, close, check}, onward_));
      open_.amode |= MPI_MODE_DELETE_ON_CLOSE;
    }
    if (open_.scenario.syncs) {
      const auto must_write_in_vain = [&](int n) {
        must_write(n);
        let_files_grow(false);
      };
      const auto refused = [&](int) { return close(0) == MPI_SUCCESS ? MPI_ERR_OTHER : MPI_SUCCESS; };
      const auto check_after = [&](int n, bool) {
        let_files_grow(true);
        check(n, false);
      };
      const char* what = "MPI_File_close that deletes, and loses what was held back";
      report(what, sweep_some(open_.scenario, {what, must_write_in_vain, refused, check_after}, onward_));
    }
    open_.amode &= ~MPI_MODE_DELETE_ON_CLOSE;
  }

  // The first open of the processes, in which one rank lacks memory.
  void sweep_first(int unlucky) {
    by_callers = true;
    const char* what = "the first MPI_File_open";
    const long tried = sweep_rank(unlucky, open_.scenario,
                                  {what, [](int) {}, [&](int) { return open_.open(); },
                                   [&](int, bool well) {
                                     expect_opened(well);
                                     if (well) shut();
                                   }},
                                  onward_);
    by_callers = false;
    if (tried == 0) mistake("no allocation was reached");
    report(what, tried);
    check_all_again();
  }

 private:
  void run(const char* what, const std::function<void()>& before, const std::function<int(int)>& call) {
    report(what, sweep_some(open_.scenario,
                            {what, [&](int) { before(); }, call,
                             [&](int, bool well) {
                               expect_opened(well);
                               if (well) shut();
                               check_all_again();
                               if (open_.comm != MPI_COMM_WORLD) MPI_Comm_free(&open_.comm);
                               open_.comm = MPI_COMM_WORLD;
                             }},
                            onward_));
  }
  void report(const char* what, long tried) const {
    if (rank == 0)
      std::printf("%s, %s: %ld allocations failed in turn%s\n", open_.scenario.name, what, tried,
                  onward_ ? ", with all that follow" : "");
  }
  void expect_opened(bool well) const {
    if (well != (open_.file != MPI_FILE_NULL)) mistake("the file's handle does not say whether it is open");
  }
  // Where it does not, the system refuses all writes to files.
  static void let_files_grow(bool grow) {
    signal(SIGXFSZ, SIG_IGN);
    rlimit limit;
    getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = grow ? limit.rlim_max : 0;
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  void shut() { must_do_well(open_.close(), "MPI_File_close"); }
  static void unlink_file() {
    if (rank == 0) unlink(path.c_str());
    patient_barrier(MPI_COMM_WORLD);
  }
  // By an open in which nothing fails.
  void check_all_again() {
    must_do_well(open_.open(), "the next MPI_File_open");
    if (open_.file == MPI_FILE_NULL) return;
    must_do_well(open_.set_view(), "MPI_File_set_view");
    check_all(open_);
    shut();
  }
  Open open_;
  const bool onward_;
};

// A program that opens no file, and whose MPI ends when there is no memory left.
int end_without_memory() {
  all_that_follow = true;
  left = 1;
  armed = true;
  const int code = MPI_Finalize();
  armed = false;
  return code == MPI_SUCCESS ? 0 : 1;
}

// The other calls of all ranks.
void other_calls(const Scenario& scenario, bool onward) {
  Open open(scenario);
  const auto nothing = [](int) {};
  const auto must_open = [&](int) {
    if (open.file == MPI_FILE_NULL) must_do_well(open.open(), "MPI_File_open");
  };
  const auto shut = [&] {
    if (open.file != MPI_FILE_NULL) must_do_well(open.close(), "MPI_File_close");
  };
  const auto check = [&](int, bool) {
    must_open(0);
    must_do_well(open.set_view(), "MPI_File_set_view");
    check_all(open);
  };
  const auto run = [&](const char* what, const std::function<void(int)>& before,
                       const std::function<int(int)>& call, const std::function<void(int, bool)>& after) {
    const long tried = sweep(scenario, {what, before, call, after}, onward);
    if (rank == 0)
      std::printf("%s, %s: %ld allocations failed in turn%s\n", scenario.name, what, tried,
                  onward ? ", with all that follow" : "");
  };
  // After a call that succeeded, a setting has its new value on all ranks, and after one that failed its old
  // one. Each call sets a value that the setting does not have.
  const auto set = [&](const char* what, const char* key, const char* first, const char* second,
                       const std::function<int(const char*)>& call) {
    std::string now = open.hint(key);
    const auto next = [&] { return now == first ? second : first; };
    run(
        what, nothing, [&](int) { return call(next()); },
        [&](int n, bool well) {
          if (well) now = next();
          if (const std::string found = open.hint(key); found != now)
            mistake(std::string(key) + " should be " + now + " and is " + found);
          check(n, well);
        });
  };
  // For calls that must fail on all ranks.
  const auto refused = [](int code) { return code == MPI_SUCCESS ? MPI_ERR_OTHER : MPI_SUCCESS; };

  must_open(0);
  check(0, true);
  // Ranks that are in different calls all find that out, and nothing has happened.
  run(
      "MPI_File_close on rank 0 and a write on the others", must_open,
      [&](int) { return refused(rank == 0 ? open.close() : open.write(usual_blocks, open.version)); },
      [&](int n, bool well) {
        if (open.file == MPI_FILE_NULL) mistake("one rank has closed the file");
        check(n, well);
      });
  run(
      "MPI_File_set_view", must_open, [&](int) { return open.set_view(); }, check);
  const auto set_info = [&](MPI_Info hints) { return MPI_File_set_info(open.file, hints); };
  const auto set_view = [&](MPI_Info hints) { return open.set_view(hints); };
  set("MPI_File_set_info", "cb_buffer_size", "1024", "2048",
      [&](const char* bytes) { return with_hints(bytes, true, set_info); });
  set("MPI_File_set_info with other hints on each rank", "cb_buffer_size", "1024", "2048",
      [&](const char* bytes) { return with_hints(bytes, false, set_info); });
  set("MPI_File_set_view with hints", "cb_buffer_size", "1024", "2048",
      [&](const char* bytes) { return with_hints(bytes, true, set_view); });
  set("concilio_file_set_method", "concilio_method", "two_phase", "auto",
      [&](const char* method) { return concilio_file_set_method(open.file, method); });
  run(
      "concilio_file_set_method of no method", nothing,
      [&](int) { return refused(concilio_file_set_method(open.file, "a method that there is not")); }, check);
  // If another hint asks for realms, these are refused.
  if (open.hint("concilio_realms") == "auto") {
    must_do_well(concilio_file_set_method(open.file, "two_phase"), "concilio_file_set_method");
    const auto without_realms = [&](int) {
      must_do_well(concilio_file_set_realms(open.file, 0, nullptr, nullptr), "concilio_file_set_realms");
    };
    run(
        "concilio_file_set_realms", without_realms, [&](int) { return open.set_realms(); }, check);
  } else {
    run(
        "concilio_file_set_realms against a hint", nothing, [&](int) { return refused(open.set_realms()); },
        check);
  }
  shut();
  check(0, true);
  run(
      "MPI_File_sync", nothing, [&](int) { return MPI_File_sync(open.file); }, check);
  run(
      "MPI_File_set_size", nothing, [&](int) { return MPI_File_set_size(open.file, 1 << 16); }, check);
  run(
      "MPI_File_set_size to no size", nothing, [&](int) { return refused(MPI_File_set_size(open.file, -1)); },
      check);
  run(
      "MPI_File_preallocate", nothing, [&](int) { return MPI_File_preallocate(open.file, 1 << 16); }, check);
  run(
      "MPI_File_seek_shared", nothing, [&](int) { return MPI_File_seek_shared(open.file, 0, MPI_SEEK_SET); },
      check);
  int atomic = 0;
  run(
      "MPI_File_set_atomicity", nothing, [&](int) { return MPI_File_set_atomicity(open.file, !atomic); },
      [&](int n, bool well) {
        if (well) atomic = !atomic;
        int found = 0;
        if (MPI_File_get_atomicity(open.file, &found) != MPI_SUCCESS || found != atomic)
          mistake("atomic mode should be " + std::to_string(atomic) + " and is " + std::to_string(found));
        check(n, well);
      });
  shut();
}

}  // namespace

// want_of_memory [--threads] [--onward] [--explain] [--run SCENARIO]... [--calls KIND]
// want_of_memory [--threads] [--onward] [--explain] --run SCENARIO --first RANK
// where KIND is transfers, starts, open, close or other.
int main(int argc, char** argv) {
  bool threads = false, onward = false, ends = false;
  std::string calls;
  int unlucky_first = -1;
  std::vector<std::string> chosen;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--threads") == 0) threads = true;
    if (std::strcmp(argv[i], "--onward") == 0) onward = true;
    if (std::strcmp(argv[i], "--explain") == 0) explains = true;
    if (std::strcmp(argv[i], "--end") == 0) ends = true;
    if (std::strcmp(argv[i], "--run") == 0 && i + 1 < argc) chosen.emplace_back(argv[++i]);
    if (std::strcmp(argv[i], "--calls") == 0 && i + 1 < argc) calls = argv[++i];
    if (std::strcmp(argv[i], "--first") == 0 && i + 1 < argc) unlucky_first = std::atoi(argv[++i]);
  }
  setenv("CONCILIO_REPORT", "/dev/null", 0);  // so that closes want memory
  int provided;
  MPI_Init_thread(&argc, &argv, threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  dl_iterate_phdr(find_library, nullptr);
  if (library_begin == 0) {
    std::fputs("want_of_memory: Concilio is not preloaded\n", stderr);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  void* unused[1];
  (void)backtrace(unused, 1);  // loads what it needs by allocations of its own
  if (ends) return end_without_memory();
  signal(SIGALRM, on_alarm);
  const char* folder = std::getenv("CONCILIO_TEST_DIR");
  path = std::string(folder ? folder : "/tmp") + "/want_of_memory";
  const auto wants = [&](const char* kind) { return unlucky_first < 0 && (calls.empty() || calls == kind); };
  const auto for_all_chosen = [&](const std::function<void(const Scenario&)>& run) {
    for (const Scenario& scenario : scenarios()) {
      bool wanted = chosen.empty();
      for (const std::string& name : chosen) wanted = wanted || name == scenario.name;
      if (!wanted) continue;
      if (rank == 0) unlink(path.c_str());
      patient_barrier(MPI_COMM_WORLD);
      run(scenario);
      if (rank == 0) unlink(path.c_str());
    }
  };
  const auto starts = [](const Scenario& scenario) {
    return scenario.calls == Scenario::Calls::nonblocking || scenario.calls == Scenario::Calls::split;
  };
  // The library keeps a thread that it has got, so this comes first.
  if (threads && wants("starts"))
    for_all_chosen([&](const Scenario& scenario) {
      if (starts(scenario)) Starts(scenario).without_threads();
    });
  for_all_chosen([&](const Scenario& scenario) {
    if (unlucky_first >= 0) Opens(scenario, onward).sweep_first(unlucky_first);
    if (wants("transfers")) transfers(scenario, onward);
    if (wants("starts") && starts(scenario)) Starts(scenario).sweep_starts(onward);
    if (wants("tests") && !threads && scenario.calls == Scenario::Calls::nonblocking)
      Starts(scenario).sweep_tests_in_vain(onward);
    if (wants("open")) Opens(scenario, onward).sweep_opens();
    if (wants("close")) Opens(scenario, onward).sweep_closes();
    if (wants("other")) other_calls(scenario, onward);
  });
  alarm(0);
  int most = 0;
  MPI_Allreduce(&mistakes, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Finalize();
  return most > 0 ? 1 : 0;
}
