// Several opens of one file at once, by communicators of every kind: what is written through one, those that
// sieve through another must not put back to what it was.
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <memory>
#include <thread>

#include "situations/situation.h"

using namespace situations;

namespace {

constexpr int slot = 512, slots = 48;
constexpr int bytes = slot * slots;

// So many of each rank that every situation fails where writers do not heed each other.
int rounds() {
  return std::max(300, 3200 / (context.ranks + 1));
}

enum class Way {
  plain,       // slot by slot, each a contiguous piece of the file
  sieved,      // all slots in one call, holes between them
  collective,  // the same, by all ranks of the communicator
};

Info hints_of(Way way) {
  switch (way) {
    case Way::sieved:
      return Info{{"concilio_method", "sieve"}, {"romio_ds_write", "enable"}};
    case Way::collective:
      return Info{{"concilio_method", "two_phase"}, {"concilio_flush", "rmw"}, {"romio_ds_write", "enable"}};
    case Way::plain:
      break;
  }
  return Info{};
}

// One of `places` writers that fill a file by turns, slot by slot. Before every round it looks whether its
// slots still hold what it wrote in the round before: nobody else writes there.
class Writer {
 public:
  Writer(std::string path, Way way, int place, int places, MPI_Comm comm = MPI_COMM_SELF)
      : Writer(std::move(path), way, place, places, comm, hints_of(way)) {}
  Writer(std::string path, Way way, int place, int places, MPI_Comm comm, const Info& hints)
      : path_(std::move(path)), way_(way), place_(place), places_(places), comm_(comm) {
    open(hints);
  }

  void open() { open(hints_of(way_)); }
  void close() { file_.reset(); }

  void write() {
    begin_round();
    if (way_ == Way::plain) {
      for (int i = 0; i < slots; ++i) {
        OK(MPI_File_write_at(*file_, i * slot, data_.data() + i * slot, slot, MPI_BYTE, MPI_STATUS_IGNORE));
      }
    } else {
      auto call = way_ == Way::collective ? MPI_File_write_at_all : MPI_File_write_at;
      OK(call(*file_, 0, data_.data(), bytes, MPI_BYTE, MPI_STATUS_IGNORE));
    }
  }
  // The same, but it may go on behind the call's back.
  void start() {
    begin_round();
    auto call = way_ == Way::collective ? MPI_File_iwrite_at_all : MPI_File_iwrite_at;
    OK(call(*file_, 0, data_.data(), bytes, MPI_BYTE, &under_way_));
  }
  void wait() { OK(MPI_Wait(&under_way_, MPI_STATUS_IGNORE)); }

  // When nobody writes any more.
  void judge() {
    look();
    if (lost_bytes_ > 0) {
      note_failure(__FILE__, __LINE__,
                   as_text(lost_bytes_) + " of " + as_text(int64_t{bytes} * round_) + " bytes that writer " +
                       as_text(place_) + " wrote were lost, in " + as_text(lost_rounds_) + " of " +
                       as_text(round_) + " rounds");
    }
  }

 private:
  void open(const Info& hints) {
    file_ = std::make_unique<File>(path_, MPI_MODE_CREATE | MPI_MODE_RDWR, hints, comm_);
    const Type tile = resized_of(contiguous_of(slot, MPI_BYTE), 0, slot * places_);
    OK(MPI_File_set_view(*file_, MPI_Offset{slot} * place_, MPI_BYTE, tile, "native", MPI_INFO_NULL));
  }
  void begin_round() {
    look();
    data_ = values(place_ + int64_t{places_} * round_++, bytes);
  }
  void look() {
    if (round_ == 0) return;
    std::vector<uint8_t> found(bytes);
    OK(MPI_File_read_at(*file_, 0, found.data(), bytes, MPI_BYTE, MPI_STATUS_IGNORE));
    int64_t lost = 0;
    for (size_t i = 0; i < found.size(); ++i) lost += found[i] != data_[i];
    lost_bytes_ += lost;
    lost_rounds_ += lost > 0;
  }

  std::string path_;
  Way way_;
  int place_, places_;
  MPI_Comm comm_;
  std::unique_ptr<File> file_;
  std::vector<uint8_t> data_;
  MPI_Request under_way_ = MPI_REQUEST_NULL;
  int64_t round_ = 0, lost_bytes_ = 0, lost_rounds_ = 0;
};

// Calls `round` so often, and then until all ranks have: nobody is left writing alone.
void together(const std::function<void()>& round) {
  for (int i = 0; i < rounds(); ++i) round();
  MPI_Request all;
  MPI_Ibarrier(MPI_COMM_WORLD, &all);
  int done = 0;
  for (;;) {
    MPI_Test(&all, &done, MPI_STATUS_IGNORE);
    if (done) break;
    round();
  }
  barrier();
}

bool sieves() {
  return context.rank % 2 == 0;
}

Way way_of_rank() {
  return sieves() ? Way::sieved : Way::plain;
}

// Every rank by itself, the even ones sieving.
void each_by_itself(const char* name, MPI_Comm comm, const Info& hints_of_sieving) {
  const std::string path = context.fresh_file(name);
  const Info none;
  Writer writer(path, way_of_rank(), context.rank, context.ranks, comm, sieves() ? hints_of_sieving : none);
  together([&] { writer.write(); });
  writer.judge();
}

// A communicator that is freed with its scope.
class Communicator {
 public:
  explicit Communicator(MPI_Comm made) : comm_(made) {}
  Communicator(const Communicator&) = delete;
  ~Communicator() { MPI_Comm_free(&comm_); }
  operator MPI_Comm() const { return comm_; }

 private:
  MPI_Comm comm_;
};

MPI_Comm copy_of(MPI_Comm comm) {
  MPI_Comm copy;
  MPI_Comm_dup(comm, &copy);
  return copy;
}

MPI_Comm part_of_world(int part) {
  MPI_Comm made;
  MPI_Comm_split(MPI_COMM_WORLD, part, context.rank, &made);
  return made;
}

}  // namespace

SITUATION(SeveralOpens, SievedBesidePlain, not_own) {
  each_by_itself("opens-sieved", MPI_COMM_SELF, hints_of(Way::sieved));
}

SITUATION(SeveralOpens, AsThePlanHasIt, not_own) {
  each_by_itself("opens-default", MPI_COMM_SELF, Info{});
}

SITUATION(SeveralOpens, ByCopiesOfSelf, not_own) {
  const Communicator copy(copy_of(MPI_COMM_SELF));
  each_by_itself("opens-copies", copy, hints_of(Way::sieved));
}

SITUATION(SeveralOpens, AllSieve, not_own) {
  Writer writer(context.fresh_file("opens-all-sieve"), Way::sieved, context.rank, context.ranks);
  together([&] { writer.write(); });
  writer.judge();
}

// Two handles of all ranks: the even ranks sieve through one, the odd ones write through the other.
SITUATION(SeveralOpens, WorldAndItsCopy, not_own) {
  const std::string path = context.fresh_file("opens-world-and-copy");
  const Communicator copy(copy_of(MPI_COMM_WORLD));
  Writer sieving(path, Way::sieved, context.rank, context.ranks, MPI_COMM_WORLD);
  Writer plain(path, Way::plain, context.rank, context.ranks, copy);
  Writer& mine = sieves() ? sieving : plain;
  together([&] { mine.write(); });
  mine.judge();
  barrier();
}

// A collective call's windows have holes, which others by themselves write into.
SITUATION(SeveralOpens, CollectiveBesidePlain, not_own) {
  const std::string path = context.fresh_file("opens-collective");
  const Communicator half(part_of_world(context.rank % 2));
  Writer writer(path, sieves() ? Way::collective : Way::plain, context.rank, context.ranks,
                sieves() ? static_cast<MPI_Comm>(half) : MPI_COMM_SELF);
  if (sieves()) {
    // As many calls on each rank.
    for (int i = 0; i < 2 * rounds(); ++i) writer.write();
    MPI_Request all;
    MPI_Ibarrier(MPI_COMM_WORLD, &all);
    MPI_Wait(&all, MPI_STATUS_IGNORE);
    barrier();
  } else {
    together([&] { writer.write(); });
  }
  writer.judge();
  barrier();  // the handle of the even ranks is closed by all of them
}

// Every rank writes by itself while a collective call that it takes part in is under way.
SITUATION(SeveralOpens, PlainWhileCollectiveIsUnderWay, not_own) {
  const std::string path = context.fresh_file("opens-nonblocking-collective");
  const int places = 2 * context.ranks;
  Writer shared(path, Way::collective, 2 * context.rank, places, MPI_COMM_WORLD);
  Writer own(path, Way::plain, 2 * context.rank + 1, places);
  for (int i = 0; i < rounds(); ++i) {
    shared.start();
    own.write();
    shared.wait();
  }
  barrier();
  shared.judge();
  own.judge();
  barrier();
}

// Two handles of one process, in two threads.
SITUATION(SeveralOpens, TwoThreadsOfAProcess, not_own) {
  if (!context.threads) return;
  const std::string path = context.fresh_file("opens-threads");
  const int places = 2 * context.ranks;
  for (MPI_Comm other : {MPI_COMM_SELF, MPI_COMM_WORLD}) {
    Writer sieving(path, Way::sieved, 2 * context.rank, places, MPI_COMM_SELF);
    Writer plain(path, Way::plain, 2 * context.rank + 1, places, other);
    std::thread thread([&] {
      for (int i = 0; i < rounds(); ++i) plain.write();
    });
    for (int i = 0; i < 2 * rounds(); ++i) sieving.write();
    thread.join();
    barrier();
    sieving.judge();
    plain.judge();
    barrier();
  }
}

// Two handles of one process, a call of one begun before a call of the other.
SITUATION(SeveralOpens, NonblockingOfAProcess, not_own) {
  const std::string path = context.fresh_file("opens-nonblocking");
  const int places = 2 * context.ranks;
  for (MPI_Comm other : {MPI_COMM_SELF, MPI_COMM_WORLD}) {
    Writer sieving(path, Way::sieved, 2 * context.rank, places, other);
    Writer plain(path, Way::plain, 2 * context.rank + 1, places, MPI_COMM_SELF);
    for (int i = 0; i < rounds(); ++i) {
      sieving.start();
      plain.write();
      sieving.wait();
    }
    barrier();
    sieving.judge();
    plain.judge();
    barrier();
  }
}

// Those that write plainly open the file while others are at sieving it.
SITUATION(SeveralOpens, PlainOneOpensInTheMiddle, not_own) {
  Writer writer(context.fresh_file("opens-late-plain"), way_of_rank(), context.rank, context.ranks);
  together([&] {
    if (!sieves()) {
      writer.close();
      writer.open();
    }
    writer.write();
  });
  writer.judge();
}

// Those that sieve open the file while others are at writing it.
SITUATION(SeveralOpens, SievingOneOpensInTheMiddle, not_own) {
  Writer writer(context.fresh_file("opens-late-sieving"), way_of_rank(), context.rank, context.ranks);
  together([&] {
    if (sieves()) {
      writer.close();
      writer.open();
    }
    writer.write();
  });
  writer.judge();
}

// A process that closes one of its handles keeps what protects the other: POSIX gives up all locks of a
// process on a file when it closes any of its descriptors.
SITUATION(SeveralOpens, AnotherHandleIsClosedMeanwhile, not_own) {
  const std::string path = context.fresh_file("opens-closed");
  Writer writer(path, way_of_rank(), context.rank, context.ranks);
  together([&] {
    { const File other(path, MPI_MODE_RDWR, MPI_INFO_NULL, MPI_COMM_SELF); }
    writer.write();
  });
  writer.judge();
}

namespace {

// This program may be one of several jobs, each started by a launcher of its own, at work in one folder:
// two_jobs.sh says which. They meet by files.
struct Jobs {
  int job = 0, jobs = 1;
  std::string folder;

  static Jobs from_environment() {
    Jobs found{0, 1, context.folder};
    if (const char* folder = std::getenv("CONCILIO_TEST_JOBS_FOLDER")) {
      found.folder = folder;
      found.job = std::atoi(std::getenv("CONCILIO_TEST_JOB"));
      found.jobs = std::atoi(std::getenv("CONCILIO_TEST_JOBS"));
    }
    return found;
  }
  int place() const { return job * context.ranks + context.rank; }
  int places() const { return jobs * context.ranks; }
  std::string mark(const char* of, int place) const { return folder + "/" + of + "." + as_text(place); }
  void come(const char* to) const { std::ofstream(mark(to, place())).flush(); }
  bool all_at(const char* meeting) const {
    for (int i = 0; i < places(); ++i) {
      if (!exists(mark(meeting, i))) return false;
    }
    return true;
  }
};

}  // namespace

SITUATION(SeveralOpens, SeveralJobs, not_own) {
  const Jobs jobs = Jobs::from_environment();
  for (const char* meeting : {"begin", "end"}) unlink(jobs.mark(meeting, jobs.place()).c_str());
  barrier();
  // Sieving and plain writers in each job.
  const bool sieving = jobs.place() % 2 == 0;
  Writer writer(jobs.folder + "/opens-jobs", sieving ? Way::sieved : Way::plain, jobs.place(), jobs.places());
  jobs.come("begin");
  while (!jobs.all_at("begin")) usleep(1000);
  for (int i = 0; i < rounds(); ++i) writer.write();
  jobs.come("end");
  while (!jobs.all_at("end")) writer.write();
  barrier();
  writer.judge();
}
