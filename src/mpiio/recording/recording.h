// Where this rank counts what happens to one open file: in memory that `concilio run` reads if the program
// ends before it closes the file (CONCILIO_LIVE), else in memory of its own.
#pragma once

#include <memory>
#include <string>

#include "base/activity/live_record.h"

namespace concilio::mpiio {

class Recording {
 public:
  // `alone`: no other thread of the rank calls meanwhile.
  explicit Recording(bool alone);
  // A record that was shown and not finished stays: nobody has closed the file.
  ~Recording();
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  Counters& counters() { return record_->counters; }
  // Null where nobody asks for a report, and where so many files are open that their activities would take
  // too much memory.
  Activity* activity() { return activity_; }
  // The memory that `concilio run` reads; null if there is none.
  static LiveRecords* shown();
  // How many rows of activities rank 0 may bring together at the close of a file. With the text that they
  // become, and all that is recorded of open files, they take no more than what recording may take.
  static int64_t most_rows();
  // From now on `concilio run` sees the record. `rank`: in MPI_COMM_WORLD; the others are of the file.
  void show(const std::string& path, int rank, int ranks, size_t nodes, int64_t open_ns);
  // The report tells of the file now.
  void finish() { record_->state.store(LiveRecord::State::taken, std::memory_order_release); }

  // Counts a call that failed. Thread-safe.
  void add_failure(const std::string& message);
  // The message of the first failed call; empty if there is none.
  std::string_view first_error() const;

  struct Place;
  // Tells which call this rank is in, as long as this exists.
  class Call {
   public:
    Call(Recording& recording, LiveCall call, int64_t start_ns) : record_(*recording.record_) {
      record_.call_since_ns.store(start_ns, std::memory_order_relaxed);
      record_.call.store(call, std::memory_order_relaxed);
    }
    ~Call() { record_.call.store(LiveCall::none, std::memory_order_relaxed); }
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

   private:
    LiveRecord& record_;
  };

 private:
  Recording();
  LiveRecord* record_;
  std::unique_ptr<LiveRecord> own_;  // where there is no other memory
  Place* place_ = nullptr;
  Activity* activity_ = nullptr;
  std::atomic<bool> failed_ = false;
};

}  // namespace concilio::mpiio
