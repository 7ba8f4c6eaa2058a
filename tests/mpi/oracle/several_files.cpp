// Random calls on several files at a time. Each file is opened once or twice, by all ranks, by some of them
// or by each alone, and some begin behind holes of terabytes. Calls of every family are made on them, and
// nonblocking and split calls are left under way on all of them meanwhile. Files, buffers, statuses and
// pointers must be what one naive process would have made of them.
//
// What is written follows from its place in the file and from the file's phase, so writes of one phase may
// overlap. Between a phase of writes and one of reads the ranks make the writes visible.
#include <fcntl.h>
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "calls.h"
#include "common/mpi_type.h"
#include "common/patient_barrier.h"
#include "common/random.h"
#include "common/type_generator.h"
#include "file_model.h"
#include "methods.h"
#include "user_buffer.h"

namespace {

using namespace oracle;

constexpr int64_t most_file_bytes = 40000;

struct Options {
  uint64_t seed = 1;
  int64_t first = 0, cases = 100;
  bool threads = false;
  int players = 1;          // threads that play cases of their own at the same time
  bool same_order = false;  // whether all ranks make the same waits, one after another
  std::string program, folder;
};

enum class Family { explicit_offset, individual, shared, ordered };
enum class Way { blocking, nonblocking, split };

// One data access call: what all ranks do, and how.
struct Call {
  Family family = Family::explicit_offset;
  Way way = Way::blocking;
  Op op;                         // its kind, and for each rank of the file what it accesses
  size_t only = 0;               // the one rank that makes a call by the shared pointer
  std::vector<int64_t> offsets;  // of the ranks' data, in etypes

  bool all_come() const { return op.collective || family == Family::ordered; }
  std::string name() const {
    const char* families[] = {"_at", "", "_shared", "_ordered"};
    std::string text = std::string("MPI_File_") + (way == Way::nonblocking ? "i" : "") +
                       (op.kind == OpKind::write ? "write" : "read") + families[static_cast<int>(family)];
    if (op.collective) text += "_all";
    return text + (way == Way::split ? "_begin" : "");
  }
};

// A call that has been started, and what must live until it is complete.
struct Started {
  uint64_t step;  // when it was started
  std::string name;
  Call call;
  UserBuffer buffer;
  std::vector<uint8_t> expected;  // in the buffer afterwards
  int64_t bytes;                  // in the status
  MPI_Datatype type;
  MPI_Request request = MPI_REQUEST_NULL;
};

// One open of a file. The ranks are those of its communicator, in their order there.
struct Open {
  Openers openers = Openers::all;
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_File file = MPI_FILE_NULL;
  std::vector<int> members;  // ranks of MPI_COMM_WORLD
  size_t rank = 0;           // of this process
  bool atomic = false;
  std::vector<View> views;         // of each rank
  bool same_views = true;          // so that the shared pointer may be used
  std::vector<int64_t> positions;  // the individual pointers
  int64_t shared = 0;
  std::unique_ptr<Started> split;
};

struct OneFile {
  std::string path;
  int64_t base = 0;  // before it there is nothing but a hole
  uint64_t stream = 0;
  int phase = 0;
  bool writing = true;
  FileModel model;  // from the base on
  std::vector<Open> opens;

  int64_t bytes() const { return base + model.size(); }
  uint8_t value(int64_t offset) const { return byte_of(mix(stream, static_cast<uint64_t>(phase)), offset); }
};

class Runner {
 public:
  Runner(const Options& options, MPI_Comm world) : options_(options), world_(world) {
    MPI_Comm_rank(world, &rank_);
    MPI_Comm_size(world, &ranks_);
  }

  void run(int64_t index) {
    index_ = index;
    seed_ = mix(options_.seed, static_cast<uint64_t>(index));
    step_ = 0;
    Random random(seed_);
    if (rank_ == 0) note_progress();
    files_.clear();
    files_.resize(static_cast<size_t>(random.between(1, 4)));
    for (OneFile& file : files_) open(file, random);
    for (int64_t left = random.between(10, 60); left > 0; --left) {
      ++step_;
      Random of_step(mix(seed_, step_));
      take_step(files_[static_cast<size_t>(of_step.between(0, std::ssize(files_) - 1))], of_step);
    }
    // What is under way on one file does not delay another's end.
    for (OneFile& file : files_) close(file);
  }

 private:
  std::string reproduce() const {
    const char* prefix = std::getenv("CONCILIO_TEST_PREFIX");
    return std::string(prefix ? prefix : "mpirun -n " + std::to_string(ranks_)) + " " + options_.program +
           " --seed " + std::to_string(options_.seed) + " --first " + std::to_string(index_) + " --cases 1" +
           (options_.threads ? " --threads" : "") + (options_.same_order ? " --same-order" : "") +
           (options_.players > 1 ? " --players " + std::to_string(options_.players) : "");
  }

  // The launcher's script reads this if the program hangs.
  void note_progress() const {
    if (std::FILE* file = std::fopen((options_.folder + "/progress").c_str(), "w")) {
      std::fprintf(file, "%s\n", reproduce().c_str());
      std::fclose(file);
    }
  }

  [[noreturn]] void fail(const std::string& what) const {
    std::fprintf(stderr,
                 "SEVERAL FILES FAILED: %s\n  rank %d of %d, case %lld, step %llu, in %s\nagain: %s\n",
                 what.c_str(), rank_, ranks_, static_cast<long long>(index_),
                 static_cast<unsigned long long>(step_), stage_.c_str(), reproduce().c_str());
    std::fflush(stderr);
    MPI_Abort(MPI_COMM_WORLD, 1);
    std::_Exit(1);
  }

  void check(int code) const {
    if (code == MPI_SUCCESS) return;
    char message[MPI_MAX_ERROR_STRING];
    int length;
    MPI_Error_string(code, message, &length);
    fail(message);
  }

  int number_of(const OneFile& file) const { return static_cast<int>(&file - files_.data()); }

  void expect_equal(const std::string& what, int64_t expected, int64_t found) const {
    if (expected != found)
      fail(what + ": expected " + std::to_string(expected) + ", found " + std::to_string(found));
  }

  void open(OneFile& file, Random& random) {
    // Two threads may not make collective calls on MPI_COMM_SELF at the same time.
    const Openers openers = random.pick({Openers::all, Openers::all, Openers::odd_and_even,
                                         options_.players > 1 ? Openers::odd_and_even : Openers::self});
    const int number = number_of(file);
    const int group = openers == Openers::all ? 0 : openers == Openers::self ? rank_ : rank_ % 2;
    file.path = options_.folder + "/several." + std::to_string(index_) + "." + std::to_string(number) + "." +
                std::to_string(group);
    file.base =
        random.pick<int64_t>({0, 0, 0, 5, (int64_t{1} << 31) - 100, int64_t{3} << 30, int64_t{1} << 41});
    file.stream = mix(seed_, static_cast<uint64_t>(1000 + number));
    const bool twice = random.chance(40);
    file.opens.resize(twice ? 2 : 1);
    file.opens[0].openers = openers;
    if (twice) {
      file.opens[1].openers = openers == Openers::all
                                  ? random.pick({Openers::all, Openers::all_reversed, Openers::copy_of_all})
                              : openers == Openers::self ? random.pick({Openers::self, Openers::copy_of_self})
                                                         : openers;
    }
    file.model.reset(random.magnitude(most_file_bytes / 2), file.stream);
    for (Open& open : file.opens) {
      open.comm = make_comm(world_, open.openers);
      note_members(open);
    }
    if (file.opens[0].rank == 0) make_file(file);
    patient_barrier(world_);
    for (Open& open : file.opens) {
      stage_ = "MPI_File_open";
      check(open_file(open.comm, file.path, MPI_MODE_RDWR, {open.openers, hints(random)}, &open.file));
      set_view(file, open, random);
    }
  }

  void note_members(Open& open) const {
    int size, rank;
    MPI_Comm_size(open.comm, &size);
    MPI_Comm_rank(open.comm, &rank);
    open.rank = static_cast<size_t>(rank);
    open.members.resize(static_cast<size_t>(size));
    MPI_Allgather(&rank_, 1, MPI_INT, open.members.data(), 1, MPI_INT, open.comm);
    open.positions.assign(open.members.size(), 0);
  }

  void make_file(const OneFile& file) const {
    std::vector<uint8_t> bytes(static_cast<size_t>(file.model.size()));
    for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = file.model[static_cast<int64_t>(i)];
    unlink(file.path.c_str());
    const int made = ::open(file.path.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0644);
    if (made < 0 || ftruncate(made, file.base) != 0 ||
        pwrite(made, bytes.data(), bytes.size(), file.base) != std::ssize(bytes)) {
      fail("cannot make the file to begin with");
    }
    ::close(made);
  }

  std::vector<std::pair<std::string, std::string>> hints(Random& random) const {
    std::vector<std::pair<std::string, std::string>> made;
    const auto hint = [&](int percent, const char* name, std::initializer_list<const char*> values) {
      const char* value = random.pick(values);
      if (random.chance(percent)) made.emplace_back(name, value);
    };
    hint(50, "cb_buffer_size", {"100", "1000", "4096", "65536"});
    hint(50, "cb_nodes", {"1", "2", "3"});
    hint(60, "concilio_method", all_methods);
    hint(30, "concilio_flush", {"rmw", "list", "batch"});
    hint(30, "romio_ds_write", {"enable", "disable"});
    hint(30, "concilio_realms", {"even", "aligned", "persistent", "cyclic", "balanced", "tree"});
    hint(30, "concilio_memory_limit", {"65536", "262144"});
    // Without threads, the order of waits matters between nodes.
    if (options_.threads || options_.same_order) hint(50, "concilio_ranks_per_node", {"1", "2"});
    return made;
  }

  // Calls decide(random) for each rank of an open, so that every rank knows what the others do.
  template <typename Decide>
  void for_each_rank(const Open& open, Decide decide) const {
    for (size_t rank = 0; rank < open.members.size(); ++rank) {
      Random random(mix(mix(seed_, step_ + 5000), static_cast<uint64_t>(open.members[rank])));
      decide(rank, random);
    }
  }

  void set_view(OneFile& file, Open& open, Random& random) {
    open.same_views = random.chance(60);
    const uint64_t common = random.next();
    open.views.clear();
    open.views.resize(open.members.size());
    const TypeSpec etype = random_etype(random, Form::memory);
    for_each_rank(open, [&](size_t rank, Random& of_rank) {
      Random same(common);
      open.views[rank] = make_view(file.base, etype, open.same_views ? same : of_rank, !open.same_views);
    });
    open.positions.assign(open.members.size(), 0);
    open.shared = 0;
    const View& mine = open.views[open.rank];
    MPI_Datatype made_etype = build(mine.etype), filetype = build(mine.filetype);
    stage_ = "MPI_File_set_view";
    check(MPI_File_set_view(open.file, mine.displacement, made_etype, filetype, "native", MPI_INFO_NULL));
    free_type(&made_etype);
    free_type(&filetype);
  }

  View make_view(int64_t base, const TypeSpec& etype, Random& random, bool may_be_empty) const {
    View view;
    view.etype = etype;
    const int64_t in_view = random.magnitude(most_file_bytes / 4);
    view.displacement = base + in_view;
    view.filetype =
        random.chance(25) ? etype : random_file_type(random, etype, most_file_bytes / 2, Form::memory);
    if (may_be_empty && random.chance(10)) view.filetype = contiguous(0, etype);
    view.flat = flatten(view.filetype);
    view.etype_bytes = flatten(view.etype).size;
    const int64_t room = most_file_bytes - in_view - view.flat.end_byte();
    if (room > 0 && view.flat.size > 0)
      view.most_bytes = (room / std::max<int64_t>(view.flat.extent(), 1) + 1) * view.flat.size;
    return view;
  }

  void take_step(OneFile& file, Random& random) {
    Open& open = file.opens[static_cast<size_t>(random.between(0, std::ssize(file.opens) - 1))];
    const int64_t dice = random.between(1, 100);
    if (dice <= 62) {
      transfer(file, open, random);
    } else if (dice <= 74) {
      complete_some(random);
    } else if (dice <= 80) {
      if (open.split) end_split(open);
    } else if (dice <= 90) {
      turn(file, random.chance(70));
    } else if (dice <= 94) {
      finish(file);
      set_view(file, open, random);
    } else if (dice <= 97) {
      change_size(file, open, random);
    } else {
      set_atomicity(file, open);
    }
  }

  // What is written so far becomes visible to all, and the next phase begins.
  void turn(OneFile& file, bool changes) {
    finish(file);
    settle(file);
    for (Open& open : file.opens) {
      stage_ = "MPI_File_get_size";
      MPI_Offset size = -1;
      check(MPI_File_get_size(open.file, &size));
      expect_equal("file size", file.bytes(), size);
    }
    meet(file);
    ++file.phase;
    if (changes) file.writing = !file.writing;
  }

  void meet(const OneFile& file) const { patient_barrier(file.opens[0].comm); }

  // Atomic mode needs no sync.
  void settle(OneFile& file) {
    const bool atomic = std::ranges::all_of(file.opens, [](const Open& open) { return open.atomic; });
    stage_ = "MPI_File_sync";
    for (int times = 0; times < 2; ++times) {
      if (!atomic) {
        for (Open& open : file.opens) check(MPI_File_sync(open.file));
      }
      meet(file);
    }
  }

  void change_size(OneFile& file, Open& open, Random& random) {
    turn(file, false);
    const int64_t size = random.magnitude(most_file_bytes);
    if (file.base == 0 && size > 0 && random.chance(30)) {
      stage_ = "MPI_File_preallocate";
      check(MPI_File_preallocate(open.file, size));
      file.model.grow(size);
    } else {
      stage_ = "MPI_File_set_size";
      check(MPI_File_set_size(open.file, file.base + size));
      file.model.resize(size);
    }
    settle(file);
  }

  void set_atomicity(OneFile& file, Open& open) {
    turn(file, false);
    open.atomic = !open.atomic;
    stage_ = "MPI_File_set_atomicity";
    check(MPI_File_set_atomicity(open.file, open.atomic ? 1 : 0));
  }

  void transfer(OneFile& file, Open& open, Random& random) {
    Call call;
    call.op.open = number_of(file);
    call.op.kind = file.writing ? OpKind::write : OpKind::read;
    call.family = random.pick({Family::explicit_offset, Family::explicit_offset, Family::individual,
                               Family::individual, Family::shared, Family::ordered});
    const bool by_shared = call.family == Family::shared || call.family == Family::ordered;
    if (by_shared && !open.same_views) call.family = Family::individual;
    if (call.family == Family::explicit_offset || call.family == Family::individual)
      call.op.collective = random.chance(60);
    call.op.explicit_offset = call.family == Family::explicit_offset;
    // The standard has no nonblocking ordered calls.
    call.way = call.family == Family::ordered ? random.pick({Way::blocking, Way::split})
               : call.all_come()
                   ? random.pick({Way::blocking, Way::nonblocking, Way::nonblocking, Way::split})
                   : random.pick({Way::blocking, Way::nonblocking, Way::nonblocking});
    // While a split call is under way, no other collective call of the file may be made.
    // Nor does it have its place by the shared pointer.
    if (open.split && (call.all_come() || call.family == Family::shared)) end_split(open);
    call.only = static_cast<size_t>(random.between(0, std::ssize(open.members) - 1));
    const int idle = random.chance(50) ? 0 : 60;
    int64_t total = 0;
    call.op.accesses.resize(open.members.size());
    for_each_rank(open, [&](size_t rank, Random& of_rank) {
      Access& access = call.op.accesses[rank];
      const bool idles = of_rank.chance(idle) || (call.family == Family::shared && rank != call.only);
      access.takes_part = call.all_come() || !idles;
      const View& view = open.views[rank];
      const int64_t most = view.most_bytes / view.etype_bytes;
      const int64_t room = call.family == Family::ordered ? most / std::ssize(open.members) : most;
      choose_memory(idles ? 0 : of_rank.magnitude(std::min(room, 4000 / view.etype_bytes)), view, of_rank,
                    access);
      total += access.bytes / view.etype_bytes;
    });
    if (call.family == Family::shared || call.family == Family::ordered) {
      place_shared(open, random, total, call);
    } else {
      place(open, call);
    }
    for (size_t rank = 0; rank < open.members.size(); ++rank) {
      Access& access = call.op.accesses[rank];
      access.file = pieces_of(open.views[rank], access.offset * open.views[rank].etype_bytes, access.bytes);
    }
    if (file.writing) apply(file, call);
    if (call.op.accesses[open.rank].takes_part)
      make(file, open, std::move(call));
    else if (call.family == Family::shared)
      patient_barrier(open.comm);
    check_positions(open);
  }

  // Memory for so many etypes, or some less unless `exactly`.
  void choose_memory(int64_t etypes, const View& view, Random& random, Access& access) const {
    const int64_t bytes = etypes * view.etype_bytes;
    access.memory = random.chance(35) ? basic("BYTE")
                                      : random_memory_type(random, std::max<int64_t>(bytes, 1), Form::memory);
    Flat flat = flatten(access.memory);
    if (flat.size == 0) {
      access.count = static_cast<int>(random.between(0, 3));
      return;
    }
    const int64_t group = view.etype_bytes / std::gcd(view.etype_bytes, flat.size);
    access.count = static_cast<int>(bytes / flat.size / group * group);
    lay_out(flat, access);
    if (access.buffer.size() > 3000 || !disjoint(access.buffer)) {
      access.memory = basic("BYTE");
      access.count = static_cast<int>(bytes);
      flat = flatten(access.memory);
      lay_out(flat, access);
    }
    access.bytes = access.file_bytes = access.count * flat.size;
  }

  static void lay_out(const Flat& flat, Access& access) {
    access.buffer.clear();
    for (int64_t i = 0; i < access.count; ++i) {
      for (const Piece& piece : flat.pieces)
        append(access.buffer, {i * flat.extent() + piece.offset, piece.length});
    }
  }

  // By an offset, or by the individual pointers, some of which are moved first.
  void place(Open& open, Call& call) {
    for_each_rank(open, [&](size_t rank, Random& random) {
      random = Random(random.next());
      Access& access = call.op.accesses[rank];
      const View& view = open.views[rank];
      const int64_t most = (view.most_bytes - access.bytes) / view.etype_bytes;
      access.offset = random.chance(30) ? 0 : random.magnitude(most);
      if (call.family == Family::explicit_offset || !access.takes_part) return;
      int64_t& position = open.positions[rank];
      if (position <= most && random.chance(60)) {
        access.offset = position;
      } else if (rank == open.rank) {
        stage_ = "MPI_File_seek";
        const bool from_here = random.chance(50);
        check(MPI_File_seek(open.file, from_here ? access.offset - position : access.offset,
                            from_here ? MPI_SEEK_CUR : MPI_SEEK_SET));
      }
      position = access.offset + access.bytes / view.etype_bytes;
    });
  }

  void place_shared(Open& open, Random& random, int64_t total, Call& call) {
    const View& view = open.views[0];
    const int64_t most = view.most_bytes / view.etype_bytes - total;
    if (open.shared > most || random.chance(10)) {
      // A seek is collective too.
      if (open.split) end_split(open);
      const int64_t target = random.magnitude(most);
      stage_ = "MPI_File_seek_shared";
      const bool from_here = random.chance(50);
      check(MPI_File_seek_shared(open.file, from_here ? target - open.shared : target,
                                 from_here ? MPI_SEEK_CUR : MPI_SEEK_SET));
      open.shared = target;
    }
    for (Access& access : call.op.accesses) {
      access.offset = open.shared;
      open.shared += access.bytes / view.etype_bytes;
    }
  }

  void apply(OneFile& file, const Call& call) const {
    for (const Access& access : call.op.accesses) {
      for (const Piece& piece : access.file) {
        file.model.grow(piece.offset + piece.length - file.base);
        for (int64_t i = piece.offset - file.base; i < piece.offset + piece.length - file.base; ++i)
          file.model.set(i, file.value(i));
      }
    }
  }

  void make(OneFile& file, Open& open, Call call) {
    const Access& access = call.op.accesses[open.rank];
    const std::string name = call.name();
    auto started = std::make_unique<Started>(
        Started{step_,
                name,
                call,
                UserBuffer(access, mix(mix(seed_, step_), static_cast<uint64_t>(rank_))),
                {},
                0,
                MPI_DATATYPE_NULL});
    if (file.writing) {
      for_each_place(
          access, [&](int64_t from, int64_t to) { started->buffer.at(to) = file.value(from - file.base); });
      started->bytes = access.bytes;
    }
    started->expected = started->buffer.bytes();
    if (!file.writing) {
      for_each_place(access, [&](int64_t from, int64_t to) {
        if (from >= file.bytes()) return;
        started->expected[static_cast<size_t>(to - started->buffer.low())] = file.model[from - file.base];
        ++started->bytes;
      });
    }
    stage_ = name;
    started->type = build(access.memory);
    void* address = started->buffer.origin();
    MPI_Status status;
    if (call.way == Way::blocking) {
      check(call_blocking(open.file, call, access, address, started->type, &status));
      check_outcome(*started, status);
    } else if (call.way == Way::split) {
      check(call_begin(open.file, call, access, address, started->type));
      open.split = std::move(started);
    } else {
      check(call_start(open.file, call, access, address, started->type, &started->request));
      under_way_.push_back(std::move(started));
    }
    if (call.family == Family::shared) patient_barrier(open.comm);
  }

  // Calls visit(place in the file, place in the buffer) for every byte, in their order.
  template <typename Visit>
  static void for_each_place(const Access& access, Visit visit) {
    size_t piece = 0;
    int64_t in_piece = 0;
    for (const Piece& there : access.file) {
      for (int64_t i = 0; i < there.length; ++i) {
        visit(there.offset + i, access.buffer[piece].offset + in_piece);
        if (++in_piece == access.buffer[piece].length) {
          ++piece;
          in_piece = 0;
        }
      }
    }
  }

  static int call_blocking(MPI_File file, const Call& call, const Access& access, void* address,
                           MPI_Datatype type, MPI_Status* status) {
    const bool writes = call.op.kind == OpKind::write;
    if (call.family == Family::shared)
      return (writes ? MPI_File_write_shared(file, address, access.count, type, status)
                     : MPI_File_read_shared(file, address, access.count, type, status));
    if (call.family == Family::ordered)
      return (writes ? MPI_File_write_ordered(file, address, access.count, type, status)
                     : MPI_File_read_ordered(file, address, access.count, type, status));
    return blocking_call(file, call.op, access, address, type, status);
  }

  static int call_start(MPI_File file, const Call& call, const Access& access, void* address,
                        MPI_Datatype type, MPI_Request* request) {
    if (call.family != Family::shared) return start_call(file, call.op, access, address, type, request);
    return call.op.kind == OpKind::write ? MPI_File_iwrite_shared(file, address, access.count, type, request)
                                         : MPI_File_iread_shared(file, address, access.count, type, request);
  }

  static int call_begin(MPI_File file, const Call& call, const Access& access, void* address,
                        MPI_Datatype type) {
    if (call.family != Family::ordered) return begin_call(file, call.op, access, address, type);
    return call.op.kind == OpKind::write ? MPI_File_write_ordered_begin(file, address, access.count, type)
                                         : MPI_File_read_ordered_begin(file, address, access.count, type);
  }

  void end_split(Open& open) {
    const std::unique_ptr<Started> started = std::move(open.split);
    stage_ = "the end of " + started->name;
    MPI_Status status;
    void* address = started->buffer.origin();
    const Call& call = started->call;
    if (call.family != Family::ordered) {
      check(end_call(open.file, call.op, address, &status));
    } else {
      check(call.op.kind == OpKind::write ? MPI_File_write_ordered_end(open.file, address, &status)
                                          : MPI_File_read_ordered_end(open.file, address, &status));
    }
    check_outcome(*started, status);
  }

  void check_outcome(Started& started, MPI_Status& status) {
    const std::string after = " after " + started.name + " of step " + std::to_string(started.step);
    MPI_Count bytes = -1, type_bytes = 0;
    MPI_Get_elements_x(&status, MPI_BYTE, &bytes);
    expect_equal("bytes in the status" + after, started.bytes, bytes);
    MPI_Type_size_x(started.type, &type_bytes);
    if (type_bytes > 0) {
      int count = -1;
      MPI_Get_count(&status, started.type, &count);
      expect_equal("MPI_Get_count" + after,
                   started.bytes % type_bytes ? MPI_UNDEFINED : started.bytes / type_bytes, count);
    }
    int cancelled = -1;
    MPI_Test_cancelled(&status, &cancelled);
    expect_equal("MPI_Test_cancelled" + after, 0, cancelled);
    for (size_t i = 0; i < started.expected.size(); ++i) {
      if (started.buffer.bytes()[i] == started.expected[i]) continue;
      fail("byte " + std::to_string(static_cast<int64_t>(i) + started.buffer.low()) + " of the buffer" +
           after + ": expected " + std::to_string(started.expected[i]) + ", found " +
           std::to_string(started.buffer.bytes()[i]));
    }
    free_type(&started.type);
  }

  // Waits for some of what is under way on all files.
  void complete_some(Random& random) {
    const uint64_t chosen_by = random.next();
    complete(random, [&](const Started& started) { return mix(chosen_by, started.step) % 2 == 0; });
  }

  template <typename Chosen>
  void complete(Random& random, Chosen chosen) {
    std::vector<std::unique_ptr<Started>> now, later;
    for (auto& started : under_way_) (chosen(*started) ? now : later).push_back(std::move(started));
    under_way_ = std::move(later);
    const uint64_t common = random.next(), own = mix(common, static_cast<uint64_t>(rank_));
    Random how(options_.same_order ? common : own), order(own);
    const int64_t way = how.between(0, 4);
    if (way != 0 || !options_.same_order) order.shuffle(now);
    std::vector<MPI_Request> requests;
    for (const auto& started : now) requests.push_back(started->request);
    std::vector<MPI_Status> statuses(requests.size());
    const int all = static_cast<int>(requests.size());
    stage_ = std::string("waiting by ") + std::vector<const char*>{"MPI_Wait", "MPI_Waitall", "MPI_Waitany",
                                                                   "MPI_Waitsome",
                                                                   "MPI_Testall"}[static_cast<size_t>(way)];
    if (way == 0) {
      for (size_t i = 0; i < requests.size(); ++i) check(MPI_Wait(&requests[i], &statuses[i]));
    } else if (way == 1) {
      check(MPI_Waitall(all, requests.data(), statuses.data()));
    } else if (way == 2) {
      for (int left = all; left > 0; --left) {
        int index = -1;
        MPI_Status status;
        check(MPI_Waitany(all, requests.data(), &index, &status));
        statuses[static_cast<size_t>(index)] = status;
      }
    } else if (way == 3) {
      std::vector<int> indices(requests.size());
      std::vector<MPI_Status> some(requests.size());
      for (int left = all; left > 0;) {
        int done = 0;
        check(MPI_Waitsome(all, requests.data(), &done, indices.data(), some.data()));
        for (int i = 0; i < done; ++i)
          statuses[static_cast<size_t>(indices[static_cast<size_t>(i)])] = some[static_cast<size_t>(i)];
        left -= done;
      }
    } else {
      for (int done = 0; !done;) {
        check(MPI_Testall(all, requests.data(), &done, statuses.data()));
        if (!done) usleep(20);
      }
    }
    for (size_t i = 0; i < now.size(); ++i) check_outcome(*now[i], statuses[i]);
  }

  // Nothing of the file is under way any more.
  void finish(OneFile& file) {
    for (Open& open : file.opens) {
      if (open.split) end_split(open);
    }
    Random random(mix(seed_, step_ + 9000));
    complete(random, [&](const Started& started) { return started.call.op.open == number_of(file); });
  }

  void check_positions(const Open& open) {
    stage_ += ", then MPI_File_get_position";
    MPI_Offset position = -1;
    check(MPI_File_get_position(open.file, &position));
    expect_equal("individual pointer", open.positions[open.rank], position);
    const View& view = open.views[open.rank];
    if (view.flat.size == 0) return;
    stage_ = "MPI_File_get_byte_offset";
    MPI_Offset place = -1;
    check(MPI_File_get_byte_offset(open.file, position, &place));
    expect_equal("byte offset", pieces_of(view, position * view.etype_bytes, 1)[0].offset, place);
  }

  void close(OneFile& file) {
    turn(file, false);
    for (Open& open : file.opens) {
      stage_ = "MPI_File_get_position_shared";
      MPI_Offset position = -1;
      check(MPI_File_get_position_shared(open.file, &position));
      expect_equal("shared pointer", open.shared, position);
      meet(file);
      stage_ = "MPI_File_close";
      check(MPI_File_close(&open.file));
    }
    meet(file);
    if (file.opens[0].rank == 0) {
      verify(file);
      unlink(file.path.c_str());
    }
    for (Open& open : file.opens) free_comm(world_, &open.comm);
  }

  void verify(const OneFile& file) const {
    const int found = ::open(file.path.c_str(), O_RDONLY | O_CLOEXEC);
    expect_equal("file size", file.bytes(), found < 0 ? -1 : lseek(found, 0, SEEK_END));
    std::vector<uint8_t> bytes(static_cast<size_t>(file.model.size()));
    expect_equal("bytes the comparison could read", file.model.size(),
                 pread(found, bytes.data(), bytes.size(), file.base));
    ::close(found);
    for (int64_t i = 0; i < file.model.size(); ++i) {
      if (bytes[static_cast<size_t>(i)] != file.model[i])
        fail("byte " + std::to_string(i) + " of " + file.path + ": expected " +
             std::to_string(file.model[i]) + ", found " + std::to_string(bytes[static_cast<size_t>(i)]));
    }
  }

  const Options& options_;
  const MPI_Comm world_;
  int rank_ = 0, ranks_ = 1;
  int64_t index_ = 0;
  uint64_t seed_ = 0, step_ = 0;
  mutable std::string stage_;
  std::vector<OneFile> files_;
  std::vector<std::unique_ptr<Started>> under_way_;
};

bool parse(int argc, char** argv, Options& options) {
  const char* folder = std::getenv("CONCILIO_TEST_DIR");
  options.folder = folder ? folder : "/tmp";
  options.program = argv[0];
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--threads") {
      options.threads = true;
    } else if (word == "--same-order") {
      options.same_order = true;
    } else if (i + 1 == argc) {
      return false;
    } else if (word == "--seed") {
      options.seed = std::strtoull(argv[++i], nullptr, 0);
    } else if (word == "--first") {
      options.first = std::atoll(argv[++i]);
    } else if (word == "--cases") {
      options.cases = std::atoll(argv[++i]);
    } else if (word == "--players") {
      options.players = std::atoi(argv[++i]);
      options.threads = true;
    } else {
      return false;
    }
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  if (!parse(argc, argv, options)) {
    std::fputs("several_files [--seed S] [--first I] [--cases K] [--threads] [--same-order] [--players N]\n",
               stderr);
    return 2;
  }
  int provided;
  MPI_Init_thread(&argc, &argv, options.threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
  std::vector<MPI_Comm> worlds(static_cast<size_t>(options.players));
  for (MPI_Comm& world : worlds) MPI_Comm_dup(MPI_COMM_WORLD, &world);
  std::vector<std::thread> players;
  const auto play = [&](int number) {
    Runner runner(options, worlds[static_cast<size_t>(number)]);
    for (int64_t i = number; i < options.cases; i += options.players) runner.run(options.first + i);
  };
  for (int number = 1; number < options.players; ++number) players.emplace_back(play, number);
  play(0);
  for (std::thread& player : players) player.join();
  for (MPI_Comm& world : worlds) MPI_Comm_free(&world);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) std::printf("several_files: %lld cases passed\n", static_cast<long long>(options.cases));
  MPI_Finalize();
  return 0;
}
