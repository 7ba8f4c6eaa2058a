// The random adversary: cases of the byte oracle on simulated hosts, whose ranks are delayed, whose storage
// fails or moves less than it was asked for, and in which memory is short. Every rank must return, ranks
// must agree on what failed, and every byte must be one that it may be (judge.h). All of it follows from
// the seed, so that a case that fails does so again.
#include <mpi.h>
#include <smpi/smpi.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <fstream>
#include <memory>
#include <optional>
#include <simgrid/s4u.hpp>

#include "common/expect_mpi.h"
#include "common/mpi_type.h"
#include "common/random.h"
#include "judge.h"
#include "mpi/simulated_waiting.h"
#include "oracle/calls.h"
#include "oracle/user_buffer.h"
#include "trial.h"
#include "want_of_memory.h"

namespace adversary {
namespace {

using namespace oracle;

struct Options {
  TrialOptions of_trials;
  int64_t first = 0, cases = 100;
  bool describe = false;
  std::string folder;
};

void pause(int64_t ns) {
  simgrid::s4u::this_actor::sleep_for(static_cast<double>(ns) * 1e-9);
}

[[noreturn]] void fail(const Options& options, const Trial& trial, const std::string& what) {
  std::string stages;
  for (size_t rank = 0; rank < trial.stages.size(); ++rank)
    stages += "  rank " + std::to_string(rank) + " is at " + trial.stages[rank] + "\n";
  const char* prefix = std::getenv("CONCILIO_TEST_PREFIX");
  const std::string command =
      std::string(prefix ? prefix : "adversary") + " --seed " + std::to_string(options.of_trials.seed) +
      (options.of_trials.disturbed ? "" : " --undisturbed") + (options.of_trials.relays ? " --relays" : "") +
      (options.of_trials.by_turns ? " --by-turns" : "");
  std::fprintf(stderr, "ADVERSARY: case %lld: %s\n%s%sagain: %s --first %lld --cases %lld\n",
               static_cast<long long>(trial.number), what.c_str(), describe(trial).c_str(), stages.c_str(),
               command.c_str(), static_cast<long long>(options.first),
               static_cast<long long>(trial.number - options.first + 1));
  std::fflush(stderr);
  _exit(1);
}

// The ranks of one case, from the first open to the last close.
class Player {
 public:
  Player(const Options& options, Trial& trial, Judge& judge, MPI_Comm team)
      : options_(options), trial_(trial), judge_(judge), team_(team) {
    MPI_Comm_rank(team, &rank_);
    const auto& disturbance = trial.disturbance;
    const uint64_t number = tests::mix(trial.plan.seed, static_cast<uint64_t>(rank_) + 1000);
    delays_.emplace(number);
    concilio::mpi::delay_waiting(number, disturbance.longest_delay_ns);
  }
  ~Player() { concilio::mpi::delay_waiting(0, 0); }
  Player(const Player&) = delete;

  void play() {
    for (const Opening& opening : trial_.plan.openings) {
      opens_.push_back({&opening, opens_.size(), make_comm(team_, opening.openers)});
      open(opens_.back());
    }
    rename();
    for (size_t op = 0; op < trial_.plan.ops.size(); ++op) run_op(op);
    for (Opened& opened : opens_) close(opened);
    for (Opened& opened : opens_) free_comm(team_, &opened.comm);
    meet();
    look();
    MPI_Barrier(team_);
  }

 private:
  // A nonblocking write, and what must live until it is complete.
  struct UnderWay {
    MPI_Request request;
    UserBuffer buffer;
    std::vector<uint8_t> before;
    Outcome* outcome;
  };

  struct Opened {
    const Opening* opening;
    size_t number;
    MPI_Comm comm;
    MPI_File file = MPI_FILE_NULL;
    const View* view = nullptr;
    std::optional<UnderWay> under_way{};
  };

  // The record of the next call, which is the same on all ranks.
  Record& next_record(Call call, const Opened& opened, size_t op, bool collective) {
    if (next_ == trial_.records.size()) {
      trial_.records.push_back({call, opened.number, op, collective, {}});
      trial_.records.back().of_rank.resize(static_cast<size_t>(trial_.plan.ranks));
    }
    return trial_.records[next_++];
  }
  Outcome& of_this_rank(Record& record) const { return record.of_rank[static_cast<size_t>(rank_)]; }
  std::string& stage() { return trial_.stages[static_cast<size_t>(rank_)]; }

  void delay() {
    const auto& disturbance = trial_.disturbance;
    int64_t ns = disturbance.slowed_ns[static_cast<size_t>(rank_)];
    if (disturbance.longest_delay_ns > 0 && delays_->chance(50))
      ns += delays_->magnitude(disturbance.longest_delay_ns);
    if (ns > 0) pause(ns);
  }

  // Makes a call of MPI-IO in which an allocation may be made to fail. None does where others need not come
  // before this rank has returned: the library tells them of such an error in the call, and waits for them.
  template <typename Make>
  void attempt(Outcome& outcome, const char* name, Make make, bool others_come = true) {
    const auto& disturbance = trial_.disturbance;
    delay();
    stage() = name;
    const bool lacks_memory =
        rank_ == disturbance.memory_rank && others_come && !again_ && calls_++ >= disturbance.memory_call;
    if (lacks_memory) let_allocation_fail(delays_->between(1, disturbance.memory_most));
    const int code = make();
    if (lacks_memory && let_allocations_succeed()) trial_.allocation_failed = true;
    outcome.called = true;
    if (code != MPI_SUCCESS && !outcome.failed) {
      outcome.failed = true;
      outcome.message = std::string(name) + ": " + message_of(code);
    }
  }

  // All ranks have come. Only then another one may look at what they did.
  void meet() {
    stage() = "a barrier";
    MPI_Barrier(team_);
  }

  void look() {
    if (rank_ != 0) return;
    const std::string mistake = judge_.look();
    if (!mistake.empty()) fail(options_, trial_, mistake);
  }

  // The second time without faults.
  void open(Opened& opened) {
    for (int time = 0; time < 2; ++time) {
      again_ = time > 0;
      Record& record = next_record(Call::open, opened, 0, true);
      attempt(of_this_rank(record), "MPI_File_open", [&] {
        if (opened.file != MPI_FILE_NULL) return int{MPI_SUCCESS};
        return open_file(opened.comm, trial_.path, trial_.plan.amode, *opened.opening, &opened.file);
      });
      meet();
      bool failed = false;
      for (const Outcome& outcome : record.of_rank) failed |= outcome.failed;
      // A rank that thought otherwise would wait for the others.
      if (rank_ == 0) require_agreement(record, opened);
      if (failed && time == 1) fail(options_, trial_, "a file cannot be opened");
      if (failed && rank_ == 0) std::ofstream(trial_.faults_path) << "";
      MPI_Barrier(team_);
      if (!failed) break;
    }
    again_ = false;
    opened.view = nullptr;
  }

  void require_agreement(const Record& record, const Opened& opened) const {
    const Openers openers = opened.opening->openers;
    for (size_t rank = 0; rank < record.of_rank.size(); ++rank) {
      for (size_t other = 0; other < rank; ++other) {
        if (group_of(openers, static_cast<int>(rank)) == group_of(openers, static_cast<int>(other)) &&
            record.of_rank[rank].failed != record.of_rank[other].failed)
          fail(options_, trial_, "MPI_File_open fails on some ranks only");
      }
    }
  }

  // Whoever opens the file only when it needs it must not come to the other one.
  void rename() {
    meet();
    if (rank_ == 0 && trial_.renames) {
      const std::string name = trial_.path;
      trial_.path += ".renamed";
      std::rename(name.c_str(), trial_.path.c_str());
      std::ofstream(name) << "another file";
    }
    MPI_Barrier(team_);
  }

  void close(Opened& opened) {
    finish(opened);
    attempt(of_this_rank(next_record(Call::close, opened, 0, true)), "MPI_File_close",
            [&] { return MPI_File_close(&opened.file); });
    if (opened.file != MPI_FILE_NULL) fail(options_, trial_, "MPI_File_close leaves the handle");
  }

  void finish(Opened& opened) {
    if (!opened.under_way) return;
    Outcome& outcome = *opened.under_way->outcome;
    attempt(outcome, "MPI_Wait", [&] { return wait(&opened.under_way->request); });
    note(outcome, nullptr, opened.under_way->buffer, opened.under_way->before, OpKind::write);
    opened.under_way.reset();
  }

  void run_op(size_t number) {
    const Op& op = trial_.plan.ops[number];
    Opened& opened = opens_[static_cast<size_t>(op.open)];
    finish(opened);
    switch (op.kind) {
      case OpKind::set_view:
        for (size_t i = 0; i < opens_.size(); ++i) {
          finish(opens_[i]);
          opens_[i].view = &op.views[i * static_cast<size_t>(trial_.plan.ranks) + static_cast<size_t>(rank_)];
          set_view(opens_[i], number);
        }
        break;
      case OpKind::set_size:
        attempt(of_this_rank(next_record(Call::set_size, opened, number, true)), "MPI_File_set_size",
                [&] { return MPI_File_set_size(opened.file, op.size); });
        break;
      case OpKind::preallocate:
        attempt(of_this_rank(next_record(Call::preallocate, opened, number, true)), "MPI_File_preallocate",
                [&] { return MPI_File_preallocate(opened.file, op.size); });
        break;
      case OpKind::reopen: {
        const View* view = opened.view;
        close(opened);
        open(opened);
        opened.view = view;
        if (view) set_view(opened, number);
        break;
      }
      default:
        transfer(opened, number);
    }
    if (op.settle_after) settle();
  }

  // Another try must succeed, as the case goes on with this view.
  void set_view(Opened& opened, size_t number) {
    MPI_Datatype etype = build(opened.view->etype), filetype = build(opened.view->filetype);
    bool failed = false;
    for (int time = 0; time < 2; ++time) {
      again_ = time > 0;
      Outcome& outcome = of_this_rank(next_record(Call::set_view, opened, number, true));
      attempt(outcome, "MPI_File_set_view", [&] {
        return MPI_File_set_view(opened.file, opened.view->displacement, etype, filetype, "native",
                                 MPI_INFO_NULL);
      });
      int mine = outcome.failed, all = 0;
      MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MAX, team_);
      failed = all != 0;
      if (!failed) break;
    }
    again_ = false;
    if (failed) fail(options_, trial_, "no view can be set");
    free_type(&etype);
    free_type(&filetype);
  }

  void transfer(Opened& opened, size_t number) {
    const Op& op = trial_.plan.ops[number];
    const Access& access = op.accesses[static_cast<size_t>(rank_)];
    Outcome& outcome = of_this_rank(next_record(Call::transfer, opened, number, op.collective));
    if (!access.takes_part) return;
    if (!op.explicit_offset && MPI_File_seek(opened.file, access.offset, MPI_SEEK_SET) != MPI_SUCCESS)
      fail(options_, trial_, "MPI_File_seek fails");
    UserBuffer buffer(access, stream_of(trial_, number, rank_));
    if (op.same_bytes) {
      for_each_cell(access, [&](int64_t at, const Cell& cell) {
        buffer.at(cell.place) = tests::byte_of(trial_.plan.seed, at);
      });
    }
    MPI_Datatype type = build(access.memory);
    if (op.left_under_way) {
      UnderWay& made = opened.under_way.emplace(UnderWay{MPI_REQUEST_NULL, std::move(buffer), {}, &outcome});
      made.before = made.buffer.bytes();
      attempt(
          outcome, "a nonblocking write",
          [&] { return start_call(opened.file, op, access, made.buffer.origin(), type, &made.request); },
          false);
      free_type(&type);
      if (outcome.failed) opened.under_way.reset();
      return;
    }
    const std::vector<uint8_t> before = buffer.bytes();
    MPI_Status status;
    for (int time = 0; time < access.times && !outcome.failed; ++time)
      attempt(outcome, op.kind == OpKind::write ? "a write" : "a read",
              [&] { return call(opened, number, access, buffer.origin(), type, &status); });
    free_type(&type);
    note(outcome, is_nonblocking(number) ? nullptr : &status, buffer, before, op.kind);
  }

  // MPI_Wait may fail for want of memory of its own, and then leaves the request to be waited for again.
  static int wait(MPI_Request* request) {
    const int code = MPI_Wait(request, MPI_STATUS_IGNORE);
    return *request == MPI_REQUEST_NULL ? code : MPI_Wait(request, MPI_STATUS_IGNORE);
  }

  // Every rank makes the call in the same form: blocking, nonblocking or split.
  uint64_t form_of(size_t number) const { return tests::mix(trial_.plan.seed, number + 1000) % 10; }
  bool is_nonblocking(size_t number) const {
    const uint64_t form = form_of(number);
    return form >= 6 && (form < 9 || !trial_.plan.ops[number].collective);
  }
  int call(const Opened& opened, size_t number, const Access& access, void* address, MPI_Datatype type,
           MPI_Status* status) const {
    const Op& op = trial_.plan.ops[number];
    const uint64_t form = form_of(number);
    if (is_nonblocking(number)) {
      MPI_Request request;
      const int code = start_call(opened.file, op, access, address, type, &request);
      return code == MPI_SUCCESS ? wait(&request) : code;
    }
    if (form == 9) {
      const int code = begin_call(opened.file, op, access, address, type);
      return code == MPI_SUCCESS ? end_call(opened.file, op, address, status) : code;
    }
    return blocking_call(opened.file, op, access, address, type, status);
  }

  // The status is null where SMPI does not keep what a nonblocking call tells.
  static void note(Outcome& outcome, const MPI_Status* status, const UserBuffer& buffer,
                   const std::vector<uint8_t>& before, OpKind kind) {
    int count = -1;
    if (!outcome.failed && status) MPI_Get_count(status, MPI_BYTE, &count);
    outcome.count = count;
    if (kind == OpKind::read) {
      outcome.bytes = buffer.bytes();
    } else {
      outcome.changed_the_buffer = buffer.bytes() != before;
    }
  }

  // After this, every rank sees through every open what every rank wrote.
  void settle() {
    for (Opened& opened : opens_) finish(opened);
    sync();
    meet();
    for (const Opened& opened : opens_) {
      Outcome& outcome = of_this_rank(next_record(Call::get_size, opened, 0, false));
      MPI_Offset size = 0;
      attempt(outcome, "MPI_File_get_size", [&] { return MPI_File_get_size(opened.file, &size); });
      outcome.count = size;
    }
    meet();
    look();
    meet();
    sync();
    meet();
  }

  void sync() {
    if (trial_.plan.amode & MPI_MODE_RDONLY) return;
    for (const Opened& opened : opens_)
      attempt(of_this_rank(next_record(Call::sync, opened, 0, true)), "MPI_File_sync",
              [&] { return MPI_File_sync(opened.file); });
  }

  const Options& options_;
  Trial& trial_;
  Judge& judge_;
  MPI_Comm team_;
  int rank_ = 0;
  size_t next_ = 0;  // record
  int calls_ = 0;
  bool again_ = false;  // whether a call that failed is made a second time
  std::optional<tests::Random> delays_;
  std::deque<Opened> opens_;
};

// What rank 0 keeps, and every rank uses.
struct Game {
  const Options* options;
  std::unique_ptr<Trial> trial;
  std::unique_ptr<Judge> judge;
  uint64_t hash = 0;
  int64_t with_failures = 0;  // cases
  double hopeless = 0;        // simulated seconds

  void begin(int64_t number, int most_ranks) {
    const double begun = MPI_Wtime();
    judge.reset();
    trial = std::make_unique<Trial>(make_trial(options->of_trials, number, most_ranks));
    // Each operation may wait for a lock that a rank cannot give back, as long as exec::Storage is patient.
    constexpr double usual_seconds = 4000, lock_seconds = 600;
    hopeless = begun + usual_seconds + lock_seconds * static_cast<double>(trial->plan.ops.size());
    trial->path = options->folder + "/adversary";
    trial->faults_path = trial->path + ".plan";
    std::ofstream(trial->faults_path) << trial->disturbance.faults;
    unlink((trial->faults_path + ".struck").c_str());
    judge = std::make_unique<Judge>(*trial);
  }
};

// Without a rank that can go on, the simulation ends. As long as one waits for a time to pass, it does not;
// but a case that takes too long has come to nothing. The simulator watches until the process ends.
void watch(const std::shared_ptr<Game>& game) {
  simgrid::s4u::Engine::on_deadlock_cb([game] {
    if (game->trial) fail(*game->options, *game->trial, "ranks wait for ever");
  });
  simgrid::s4u::Engine::on_time_advance_cb([game](double) {
    if (game->trial && simgrid::s4u::Engine::get_clock() > game->hopeless)
      fail(*game->options, *game->trial, "ranks wait for ever, and look again and again");
  });
}

void play_case(Game& game, int64_t number) {
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (rank == 0) game.begin(number, ranks);
  MPI_Barrier(MPI_COMM_WORLD);
  if (game.options->describe) {
    if (rank == 0)
      std::printf("case %lld: %s", static_cast<long long>(number), describe(*game.trial).c_str());
    return;
  }
  // Those who play, and their order, which says who shares a host with whom.
  std::vector<int> order(static_cast<size_t>(ranks));
  for (int i = 0; i < ranks; ++i) order[static_cast<size_t>(i)] = i;
  tests::Random random(game.trial->plan.seed);
  if (random.chance(50)) random.shuffle(order);
  int place = 0;
  while (order[static_cast<size_t>(place)] != rank) ++place;
  MPI_Comm team;
  MPI_Comm_split(MPI_COMM_WORLD, place < game.trial->plan.ranks ? 0 : MPI_UNDEFINED, place, &team);
  if (team != MPI_COMM_NULL) {
    Player(*game.options, *game.trial, *game.judge, team).play();
    MPI_Comm_free(&team);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    uint64_t time = 0;
    const double now = MPI_Wtime();
    std::memcpy(&time, &now, sizeof time);
    game.with_failures += game.judge->saw_failures();
    game.hash = tests::mix(tests::mix(game.hash, game.judge->hash()), time);
  }
}

Options options_of(int argc, char** argv) {
  Options options;
  const char* folder = std::getenv("CONCILIO_TEST_DIR");
  options.folder = folder ? folder : "/tmp";
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--describe") options.describe = true;
    if (word == "--undisturbed") options.of_trials.disturbed = false;
    if (word == "--relays") options.of_trials.relays = true;
    if (word == "--by-turns") options.of_trials.by_turns = true;
    if (i + 1 == argc) continue;
    if (word == "--seed") options.of_trials.seed = std::strtoull(argv[i + 1], nullptr, 0);
    if (word == "--first") options.first = std::atoll(argv[i + 1]);
    if (word == "--cases") options.cases = std::atoll(argv[i + 1]);
  }
  return options;
}

void play(const Options& options) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  // The ranks share an address space.
  const auto mine = std::make_shared<Game>(Game{&options, {}, {}});
  Game* game = mine.get();
  MPI_Bcast(&game, sizeof game, MPI_BYTE, 0, MPI_COMM_WORLD);
  if (rank == 0) watch(mine);
  for (int64_t number = options.first; number < options.first + options.cases; ++number)
    play_case(*game, number);
  // The disturbances must reach the library.
  constexpr int64_t enough_cases = 40;
  const bool disturbs = options.of_trials.disturbed && !options.describe;
  if (rank == 0 && disturbs && options.cases >= enough_cases && mine->with_failures == 0) {
    std::fprintf(stderr, "ADVERSARY: nothing was disturbed: no call failed in any case\n");
    std::fflush(stderr);
    _exit(1);
  }
  if (rank == 0)
    std::printf("adversary: %lld cases, in %lld of them calls failed, hash %016llx\n",
                static_cast<long long>(options.cases), static_cast<long long>(mine->with_failures),
                static_cast<unsigned long long>(mine->hash));
  mine->trial.reset();
}

}  // namespace
}  // namespace adversary

// adversary [--seed S] [--first CASE] [--cases N] [--relays] [--by-turns] [--undisturbed] [--describe]
int main(int argc, char** argv) {
  const adversary::Options options = adversary::options_of(argc, argv);
  // These must be set before Concilio reads them.
  setenv("CONCILIO_FAULT", ("@" + options.folder + "/adversary.plan").c_str(), 1);
  // Requests take as long as some messages, so that ranks come between each other's.
  setenv("CONCILIO_THROTTLE", "request=0.02", 0);
  MPI_Init(&argc, &argv);
  adversary::play(options);
  MPI_Finalize();
  return 0;
}
