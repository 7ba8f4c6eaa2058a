// One open file: what MPI-IO's semantics need to know of it. Moving the bytes is the task of exec.
#pragma once

#include <mpi.h>

#include <array>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/budget.h"
#include "base/counters.h"
#include "base/settings/config.h"
#include "base/system/strand.h"
#include "exec/alone/plans_alone.h"
#include "exec/call/open_file.h"
#include "exec/collective.h"
#include "exec/enter.h"
#include "mpi/types/own_type.h"
#include "mpi/types/representation.h"
#include "mpiio/api.h"
#include "mpiio/errors.h"
#include "mpiio/file/call_history.h"
#include "mpiio/file/deferred.h"
#include "mpiio/file/opening.h"
#include "mpiio/file/reserve.h"
#include "mpiio/file/shortcut.h"
#include "mpiio/recording/recording.h"
#include "mpiio/settings/hints.h"
#include "mpiio/settings/info_changes.h"
#include "plan/facts/wishes.h"
#include "store/store.h"

namespace concilio::mpiio {

// Which bytes of the file a view shows, and in which form.
struct Shown {
  int64_t etype_bytes = 1;
  pattern::Access access = pattern::Access::contiguous(0);
  const mpi::Representation* representation = nullptr;  // nullptr: the same bytes as in memory
};

// A file view (MPI 4.1, section 14.3).
struct View {
  MPI_Offset displacement = 0;
  mpi::OwnType etype, filetype;
  std::string datarep = "native";
  const mpi::Representation* representation = nullptr;  // the representation called `datarep`
  // What reads and what writes see. A user's data representation may convert in one direction only.
  Shown reads{}, writes{};

  const Shown& shown(Operation operation) const { return operation == Operation::read ? reads : writes; }
  Charge charge;  // for the descriptions of the datatypes
  // What calls see that move no data.
  const Shown& shown() const { return reads.representation ? reads : writes; }
};

class Started;     // mpiio/transfer/started.h
class CallRecord;  // mpiio/file/call_record.h

class File {
  template <typename F>
  auto locked(F&& f) const {
    std::lock_guard lock(state_);
    return f();
  }

 public:
  // Collective over comm, with the same outcome on all ranks. On success the file is registered, and `find`
  // knows its handle.
  static Result<File*> open(MPI_Comm comm, const char* path, int amode, MPI_Info info);
  ~File();

  MPI_File handle() const { return reinterpret_cast<MPI_File>(const_cast<File*>(this)); }
  const std::string& path() const { return storage_->path(); }
  int amode() const { return amode_; }
  mpi::Team& team() { return *team_; }
  exec::Storage& storage() { return *storage_; }
  exec::Collective& collective() { return collective_; }  // only within collectives()
  exec::PlansAlone& plans_alone(Operation operation) { return plans_alone_[static_cast<size_t>(operation)]; }
  // Where the program's calls on this file are recorded, and the file's number there; null, 0: nowhere.
  CallRecord* record() const { return record_; }
  int64_t record_number() const { return record_number_; }
  Counters& counters() { return recording_.counters(); }
  Recording& recording() { return recording_; }
  const Budget& budget() const { return *budget_; }
  // The part of the budget that is used for the descriptions of datatypes, of views and buffers.
  Budget& descriptions() { return *descriptions_; }
  // A charge for one more description. Warns if all of them together take more than the memory limit.
  Charge describes(int64_t bytes);

  // Collective operations, both blocking and nonblocking ones, are carried out one after another, in the
  // order in which the program calls them. Nonblocking independent operations have a strand of their own,
  // because they must be able to complete without other ranks.
  static constexpr auto never_apart = [] { return false; };
  // Carries out a collective operation here, after those before it. Its first meeting is enter(), unless
  // is_apart() says, when those before it are done, that it needs no other rank.
  template <typename Work, typename IsApart = decltype(never_apart)>
  auto run_collective(Work&& work, const IsApart& is_apart = never_apart) {
    if (threads_) return collectives_.run(work);
    std::optional<decltype(work())> result;
    const auto attempt = [&] {
      result.emplace(work());
      return result->ok() || result->error().kind != ErrorKind::not_yet;
    };
    Deferred::Here operation(attempt, is_apart);
    deferred_.finish(deferred_.add(*team_, operation));
    return std::move(*result);
  }
  // Runs `work`, which carries out a collective call of this operation and needs no other rank, if such a
  // call is made apart now and can have its turn at once. Else returns nothing.
  template <typename Work>
  auto in_turn_apart(Operation operation, Work&& work) -> decltype(work()) {
    const auto if_apart = [&]() -> decltype(work()) {
      if (!collective_.apart().next(operation)) return {};
      return work();
    };
    // Most calls are none, and need not wait for their turn to find that out.
    if (!collective_.apart().next(operation)) return {};
    if (threads_) return collectives_.run(if_apart);
    if (deferred_.waiting() > 0) return {};
    return if_apart();
  }
  // With threads, collective operations are posted to this strand.
  Strand& collectives() { return collectives_; }
  // Without, they are kept here until the program waits for them.
  Deferred& deferred() { return deferred_; }
  Strand& independents() { return independents_; }
  // For the start of one operation while there is no other memory.
  const std::shared_ptr<Reserve>& reserve() const { return reserve_; }
  // Carries out work that all ranks do together and that changes the file's state. It begins after all
  // operations before it are done, and when all ranks have come for it.
  template <typename Work>
  Status in_turn(exec::CallKind kind, Work&& work) {
    return in_turn(
        kind, [](exec::Terms&) { return Status(); }, [&](const exec::Terms&) { return work(); });
  }
  // The same for work that depends on what the ranks tell each other when they come. prepare(terms) says what
  // this rank tells; if it returns an error, all ranks return that and none works. work() gets what all tell.
  template <typename Prepare, typename Work>
  Status in_turn(exec::CallKind kind, const Prepare& prepare, Work&& work) {
    independents_.wait();
    return run_collective([&]() -> Status {
      exec::Terms terms;
      const Status mine = without_exceptions([&]() -> Status { return prepare(terms); });
      if (auto status = enter(*team_, kind, collective_.apart(), terms, mine); !status) return status;
      return work(terms);
    });
  }

  // The state of the file. Several threads of the program may read and change it at the same time; each
  // function is atomic.
  //
  // The state that a call beginning now works with. It stays alive as long as the call holds it.
  std::shared_ptr<const exec::OpenFile> opened() const {
    return locked([&] { return settings_.opened; });
  }
  // Sets the atomic mode of the calls that begin later. If some rank lacks memory for it, nothing changes on
  // any. Collective, with the same argument on all ranks; within in_turn.
  Status set_atomic(bool atomic);
  std::shared_ptr<const Config> config() const {
    return locked([&] { return settings_.config; });
  }
  // Whether the user has set it from outside the program, which can then not change it.
  bool fixed_by_user(Key key) const {
    return locked([&] { return settings_.config->fixed_by_user(key); });
  }
  plan::Wishes wishes(Operation operation) const {
    return locked([&] { return settings_.wishes[static_cast<size_t>(operation)]; });
  }
  ErrorHandler handler() const {
    return locked([&] { return handler_; });
  }
  void set_handler(const ErrorHandler& handler) {
    locked([&] { handler_ = handler; });
  }
  std::shared_ptr<const View> view() const {
    return locked([&] { return view_; });
  }
  void set_view(std::shared_ptr<const View> view) {
    locked([&] {
      view_.swap(view);
      clear_shortcut();
    });
  }
  // The individual pointer, in etypes.
  int64_t position() const { return position_; }
  // Calls use(position) with the individual pointer, and once more if another thread has moved the pointer
  // meanwhile. If use() succeeds, moves the pointer by `etypes`. Returns what use() returns.
  template <typename Use>
  auto advance(int64_t etypes, Use&& use) {
    for (int64_t before = position_;;) {
      auto used = use(before);
      if (!used || position_.compare_exchange_weak(before, before + etypes)) return used;
    }
  }
  // Moves the individual pointer from `from` to `to`, if it is still at `from`.
  void retreat(int64_t from, int64_t to) { position_.compare_exchange_strong(from, to); }
  void set_position(int64_t position) { position_ = position; }
  mpi::SharedCounter& shared_pointer() { return team_->counter(); }  // in etypes

  // The split collective that has begun and not ended.
  struct Split {
    Direction direction;
    Pointer pointer;
    std::shared_ptr<Started> call;
  };
  // Returns false if a split collective has begun already.
  bool begin_split(Split split);
  std::optional<Split> take_split();

  // Whether operations on this file may proceed by themselves, on Concilio's threads: the value of
  // has_thread_multiple() at the open.
  bool threads() const { return threads_; }
  Shortcut& shortcut() { return shortcut_; }
  // Where plain writes are announced; null if nobody else can be rewriting: there is one rank, with one
  // thread.
  mpi::WritersBoard* board() { return board_; }
  // Counts the time of the last calls by the shortcut that were not timed, for which no other stands.
  void count_untimed();
  // Adds to a counter; without other threads at less cost.
  void count(Counter counter, int64_t more) {
    if (threads_)
      counters()[counter] += more;
    else
      counters()[counter].add_alone(more);
  }
  bool reads() const { return amode_reads(amode_); }
  bool writes() const { return amode_writes(amode_); }

  // Writes what aggregators hold back of earlier writes. Returns an error of that, or of an earlier call that
  // was made apart. Collective; within in_turn, or at the close.
  Status settle();
  // The same for this rank alone, after all operations that it has begun; needs no MPI.
  Status settle_alone();
  // Deletes the file, if its name still leads to it.
  Status remove();
  // Returns the first error of any rank, on every rank. Collective.
  Status agree(const Status& mine);
  // Whether this info object may hold other hints than those that this rank gave last. Within in_turn.
  bool gives_new_hints(MPI_Info info);
  // What this rank gave last; nothing if the settings have changed since in another way. Within in_turn.
  const std::optional<Hints>& given_hints() const { return given_hints_; }
  // Adopts hints of info objects that were given after the open, the same on every rank. They may withdraw a
  // promise that allowed aggregators to hold writes back, so settle() comes first. Collective; within
  // in_turn.
  Status adopt_hints(MPI_Info info);
  // Sets the settings of later operations to what `changed` has on this rank; if it has null, they stay. If
  // some rank has an error, or lacks memory, nothing changes on any. Collective; within in_turn.
  Status change_config(Result<std::shared_ptr<Config>> changed);
  // As CallHistory::remember().
  void remember(Operation operation, bool collective, const plan::Plan& plan,
                const std::shared_ptr<const plan::Plan>& lasting = nullptr);
  // The same for a call with plan_of_one_stretch().
  void remember_one_stretch(Operation operation, bool collective) {
    count(Counter::method_independent, 1);
    history_.remember_one_stretch(operation, collective, !threads_);
  }
  // Closes the file on every rank; collective. The file stays registered until the caller deletes it. If
  // other ranks are in another call, nothing is closed: it returns an error of kind not_same and sets
  // `stays_open`.
  Status close(bool& stays_open);
  // Closes the file on this rank alone, after MPI has ended, without MPI and without regard to other ranks.
  Status abandon();

  const CallHistory& history() const { return history_; }
  int64_t open_ns() const { return open_ns_; }
  // The message of the program's last request (control.h) that failed on this rank.
  std::string complaint() const {
    return locked([&] { return complaint_; });
  }
  void set_complaint(const std::string& text) {
    locked([&] { complaint_ = text; });
  }

 private:
  File(const char* path, int amode);
  // A file's settings, and what follows from them.
  struct Settings {
    std::shared_ptr<const Config> config;
    std::array<plan::Wishes, 2> wishes;  // what the hints ask of a plan, by operation
    std::shared_ptr<const exec::OpenFile> opened;
  };
  bool tells_only_by_sync() const;
  Status open_storage(const std::shared_ptr<Config>& config, bool concurrent);
  // `opened` says all that does not depend on the settings.
  Settings settings_from(std::shared_ptr<const Config> config, exec::OpenFile opened) const;
  void remember_hints(MPI_Info info);
  void set_memory_limit(const Config& config);
  void clear_shortcut();
  mutable std::mutex state_;
  Strand collectives_, independents_;
  const bool threads_;
  std::shared_ptr<mpi::Team> team_;
  Recording recording_;
  const std::unique_ptr<Budget> budget_, descriptions_;
  exec::KeptBuffer sieve_room_;
  const std::unique_ptr<store::Store> store_;
  const std::unique_ptr<exec::Storage> storage_;
  std::unique_ptr<exec::Rewriting> rewriting_;
  Settings settings_;
  std::optional<Hints> given_hints_;
  InfoState known_info_;  // an info object that holds just these
  exec::Collective collective_;
  std::array<exec::PlansAlone, 2> plans_alone_;  // of independent calls, by operation
  Shortcut shortcut_;
  mpi::WritersBoard* board_ = nullptr;
  ErrorHandler handler_;
  std::shared_ptr<const View> view_ = std::make_shared<const View>();
  store::FileIdentity identity_;  // only what is the same on every host
  const int amode_;
  std::atomic<int64_t> position_ = 0;
  int64_t open_ns_ = 0;
  int64_t size_at_open_ = 0;
  CallRecord* record_ = nullptr;
  int64_t record_number_ = 0;
  bool reports_ = false;  // whether rank 0's environment asks for a report
  CallHistory history_;
  std::string complaint_;
  const std::shared_ptr<Reserve> reserve_;
  // What was started refers to all of the above.
  std::optional<Split> split_;
  Deferred deferred_;
};

}  // namespace concilio::mpiio
