// Several opens of one file at the same time, by communicators of every kind. Data sieving through one open
// must not overwrite what was written through another.
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

// The number of rounds of each rank. With so many, every situation fails if writers do not respect each
// other.
int rounds() {
  const int enough = std::max(300, 3200 / (context.ranks + 1));
  return context.brief ? enough / 10 : enough;
}

enum class Way {
  plain,       // slot by slot, each a contiguous piece of the file
  sieved,      // all slots in one call, with holes between them
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

// One of `places` writers that fill a file, whose slots alternate. Before every round a writer checks that
// its slots still hold what it wrote in the round before, since nobody else writes there.
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
  // The same with nonblocking calls.
  void start() {
    begin_round();
    auto call = way_ == Way::collective ? MPI_File_iwrite_at_all : MPI_File_iwrite_at;
    OK(call(*file_, 0, data_.data(), bytes, MPI_BYTE, &under_way_));
  }
  void wait() { OK(MPI_Wait(&under_way_, MPI_STATUS_IGNORE)); }

  // Checks the file when nobody writes any more.
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
    if (found == data_) return;
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

// Calls `round` this many times, and then until all ranks have, so that no rank writes alone at the end.
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

// Every rank opens the file by itself, and the even ones use data sieving.
void each_by_itself(const char* name, MPI_Comm comm, const Info& hints_of_sieving) {
  const std::string path = context.fresh_file(name);
  const Info none;
  Writer writer(path, way_of_rank(), context.rank, context.ranks, comm, sieves() ? hints_of_sieving : none);
  together([&] { writer.write(); });
  writer.judge();
}

// A communicator that its destructor frees.
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

// Two handles of all ranks. The even ranks use data sieving through one handle, and the odd ones write
// through the other.
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

// The windows of a collective call have holes, into which other ranks write through opens of their own.
SITUATION(SeveralOpens, CollectiveBesidePlain, not_own) {
  const std::string path = context.fresh_file("opens-collective");
  const Communicator half(part_of_world(context.rank % 2));
  Writer writer(path, sieves() ? Way::collective : Way::plain, context.rank, context.ranks,
                sieves() ? static_cast<MPI_Comm>(half) : MPI_COMM_SELF);
  if (sieves()) {
    // The same number of calls on each rank.
    for (int i = 0; i < 2 * rounds(); ++i) writer.write();
    MPI_Request all;
    MPI_Ibarrier(MPI_COMM_WORLD, &all);
    MPI_Wait(&all, MPI_STATUS_IGNORE);
    barrier();
  } else {
    together([&] { writer.write(); });
  }
  writer.judge();
  barrier();  // all even ranks close their handle together
}

// Every rank writes through an open of its own, while a collective call that it takes part in proceeds.
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

// Two handles of one process, used by two threads.
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

// Two handles of one process. A call of one begins before a call of the other has ended.
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

// Ranks open the file for plain writes while others use data sieving on it.
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

// Ranks open the file for data sieving while others write to it.
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

// A process that closes one of its handles must keep the locks of the other. POSIX releases all locks of a
// process on a file when the process closes any descriptor of it.
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

// This program may be one of several jobs, each started by a launcher of its own, that work in one folder;
// two_jobs.sh says which one. The jobs meet through files.
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
  // Each job has ranks that use data sieving and ranks that write plainly.
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
