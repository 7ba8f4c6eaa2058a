// One open file: what MPI-IO knows of it. How bytes move is exec's.
#pragma once

#include <mpi.h>

#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/budget.h"
#include "base/counters.h"
#include "base/settings/config.h"
#include "base/strand.h"
#include "exec/collective.h"
#include "exec/enter.h"
#include "exec/open_file.h"
#include "mpi/types/representation.h"
#include "mpiio/api.h"
#include "mpiio/call_history.h"
#include "mpiio/deferred.h"
#include "mpiio/errors.h"
#include "mpiio/opening.h"
#include "plan/facts/wishes.h"
#include "store/store.h"

namespace concilio::mpiio {

// What a view shows of the file.
struct Shown {
  int64_t etype_bytes = 1;
  Access access = Access::contiguous(0);
  const Representation* representation = nullptr;  // nullptr: the bytes of memory
};

// A file view (MPI 4.1, section 14.3): etype and filetype are our own duplicates.
struct View {
  MPI_Offset displacement = 0;
  MPI_Datatype etype = MPI_BYTE, filetype = MPI_BYTE;
  std::string datarep = "native";
  const Representation* representation = nullptr;  // of that name
  // To reads and to writes. A data representation of the user's may leave one of them native.
  Shown reads{}, writes{};

  const Shown& shown(Operation operation) const { return operation == Operation::read ? reads : writes; }
  Charge charge;  // for what is known of the datatypes
  // To calls that move no data.
  const Shown& shown() const { return reads.representation ? reads : writes; }

  View() = default;
  View(const View&) = delete;
  ~View();
};

class File {
  template <typename F>
  auto locked(F&& f) const {
    std::lock_guard lock(state_);
    return f();
  }

 public:
  // Collective over comm. On success the file is registered and `find` knows its handle.
  static Result<File*> open(MPI_Comm comm, const std::string& path, int amode, MPI_Info info);
  ~File();

  MPI_File handle() const { return reinterpret_cast<MPI_File>(const_cast<File*>(this)); }
  const std::string& path() const { return storage_->path(); }
  int amode() const { return amode_; }
  Team& team() { return *team_; }
  Storage& storage() { return *storage_; }
  Collective& collective() { return collective_; }  // only within collectives()
  Counters& counters() { return counters_; }
  const Budget& budget() const { return *budget_; }
  // Of its budget, what is known of the datatypes of views and buffers.
  Budget& descriptions() { return *descriptions_; }
  // A charge for one more; says so where they are more than the memory limit.
  Charge describes(int64_t bytes);

  // Collective operations take turns here, those that block and those that go on by themselves, in the order
  // in which the program calls them. Nonblocking independent ones have a strand of their own, since no other
  // rank may be needed for them to complete.
  //
  // Runs a collective operation here, after those before it. Its first meeting is enter().
  template <typename Work>
  auto run_collective(Work&& work) {
    if (threads_) return collectives_.run(work);
    std::optional<decltype(work())> result;
    const auto run = [&] {
      result.emplace(work());
      return result->ok() || result->error().kind != ErrorKind::not_yet;
    };
    Deferred::Operation operation{std::cref(run)};  // a reference needs no memory
    deferred_.finish(deferred_.add(*team_, operation));
    return std::move(*result);
  }
  // Has it run, by itself or when the program waits for it: its number then, else 0.
  uint64_t go_on(std::function<Outcome()> work, std::function<void(Outcome)> then);
  // What waits for the program to wait for it.
  Deferred& deferred() { return deferred_; }
  Strand& independents() { return independents_; }
  // Runs work that all ranks do together and that changes the file's state, after all operations that came
  // before, once all ranks have come for it.
  template <typename Work>
  Status in_turn(CallKind kind, Work&& work) {
    independents_.wait();
    return run_collective([&]() -> Status {
      if (auto status = enter(*team_, kind); !status) return status;
      return work();
    });
  }

  // The state of the file, which threads of the program may look at and change at once. Each function is
  // atomic.
  // As calls that begin now find it; it outlives them.
  std::shared_ptr<const OpenFile> opened() const {
    return locked([&] { return opened_; });
  }
  // What calls that begin later find. On all ranks alike; within in_turn.
  void set_atomic(bool atomic);
  Config config() const {
    return locked([&] { return config_; });
  }
  Wishes wishes(Operation operation) const {
    return locked([&] { return wishes_[static_cast<size_t>(operation)]; });
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
    locked([&] { view_.swap(view); });
  }
  int64_t position() const {
    return locked([&] { return position_; });
  }  // individual pointer, etypes
  // Moves the individual pointer by `etypes` from where use(position) agrees to; its complaint otherwise.
  Status advance(int64_t etypes, const std::function<Status(int64_t)>& use);
  // Moves it from one place to another, if it is still there.
  void retreat(int64_t from, int64_t to);
  void set_position(int64_t position) {
    locked([&] { position_ = position; });
  }
  SharedCounter& shared_pointer() { return team_->counter(); }  // etypes

  // The split collective that has begun and not ended.
  struct Split {
    Direction direction;
    Pointer pointer;
    std::shared_future<Outcome> outcome;
    uint64_t number = 0;  // of what is deferred
  };
  // False if there is one already.
  bool begin_split(Split split);
  void number_split(uint64_t number) {
    locked([&] {
      if (split_) split_->number = number;
    });
  }
  std::optional<Split> take_split();

  // Whether calls on this file may go on by themselves: what has_thread_multiple() said at the open.
  bool threads() const { return threads_; }
  bool reads() const { return amode_reads(amode_); }
  bool writes() const { return amode_writes(amode_); }

  // Collective: what aggregators hold back of earlier writes is written. Within in_turn, or at the close.
  Status settle();
  // The same for this rank alone, after all that it has begun; needs no MPI.
  Status settle_alone();
  // Collective: the first error of any rank, on every rank.
  Status agree(const Status& mine);
  // Takes the hints of info objects given after the open, the same on every rank. Collective; within in_turn.
  Status adopt_hints(MPI_Info info);
  // The settings of what comes later. On all ranks alike; within in_turn.
  void change_config(const Config& changed);
  void remember(Operation operation, bool collective, const Plan& plan);
  // Closes on every rank; collective. The file stays registered until it is deleted, by the caller. Kind
  // not_same, with `stays_open`: other ranks are in another call, and nothing was closed.
  Status close(bool& stays_open);
  // Closes on this rank alone, without MPI, which has ended: other ranks' files are their own affair.
  Status abandon();

  const CallHistory& history() const { return history_; }
  int64_t open_ns() const { return open_ns_; }
  // What was wrong with what the program last failed to settle (control.h), on this rank.
  std::string complaint() const {
    return locked([&] { return complaint_; });
  }
  void set_complaint(const std::string& text) {
    locked([&] { complaint_ = text; });
  }

 private:
  File() = default;
  Status open_storage(bool concurrent);
  void take_settings(OpenFile& opened) const;
  void take_wishes();
  mutable std::mutex state_;
  Strand collectives_, independents_;
  Deferred deferred_;
  bool threads_ = false;
  std::shared_ptr<Team> team_;
  Config config_;
  Wishes wishes_[2];  // what it wishes, by operation
  Counters counters_;
  std::unique_ptr<Budget> budget_, descriptions_;
  std::unique_ptr<Store> store_;
  std::unique_ptr<Storage> storage_;
  std::unique_ptr<Rewriting> rewriting_;
  std::shared_ptr<const OpenFile> opened_;
  Collective collective_;
  ErrorHandler handler_;
  std::shared_ptr<const View> view_ = std::make_shared<const View>();
  std::optional<Split> split_;
  FileIdentity identity_;  // as far as it means the same on every host
  int amode_ = 0;
  int64_t position_ = 0;
  int64_t open_ns_ = 0;
  bool reports_ = false;  // rank 0's environment asks for a report
  CallHistory history_;
  std::string complaint_;
};

// Appends what happened to a file to the report of rank 0; collective over the file's team. report.cpp
void write_report(File& file);

}  // namespace concilio::mpiio
