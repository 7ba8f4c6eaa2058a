// What this rank records of the program's calls, for `concilio run --record`: a line of JSON a call, in a
// file of its own in the folder that CONCILIO_RECORD names (docs/record.md). From the lines of all ranks
// `concilio simulate --record` makes the same calls again.
//
// A line is written by one write(), so that what a program did until something ended it is there. Nothing
// here makes a call of the program fail: where there is no memory for a line, or no room, the record ends.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "base/function_ref.h"
#include "base/json_text.h"
#include "base/text/record_words.h"
#include "base/waiting.h"
#include "mpiio/api.h"
#include "pattern/datatype.h"

namespace concilio::mpiio {

class File;

class CallRecord {
 public:
  // Null where nobody asks for a record, where it has ended, and where there is no MPI_COMM_WORLD, by whose
  // ranks records name ranks.
  static CallRecord* of_process();

  // A call of the program, from its begin to its end. What passes between two of them is the program's own
  // time. `record` may be null, for a file that is not recorded.
  class Timing {
   public:
    explicit Timing(CallRecord* record) : record_(record), idle_ns_(record ? record->idle_ns() : 0) {}
    ~Timing() {
      if (told_) record_->last_end_ns_ = now_ns();
    }
    Timing(const Timing&) = delete;
    // For the line that tells of the call. A call without one, such as a test that was too early, counts as
    // the program's own time.
    int64_t idle_ns() const {
      told_ = record_ != nullptr;
      return idle_ns_;
    }

   private:
    CallRecord* const record_;
    const int64_t idle_ns_;
    mutable bool told_ = false;
  };

  // All of these write one line. Those of a file are for files whose number is not 0.
  //
  // Returns the file's number in the record; 0: it is not recorded, since a rank of it is in another job.
  int64_t opened(File& file, int64_t size, const Timing& timing);
  void viewed(const File& file, const Timing& timing);
  enum class Kind { blocking, nonblocking, split };  // in the order of recorded_kinds
  // What a call moves, as far as it is known. One that has failed moves nothing.
  struct Moved {
    bool failed;
    int64_t position, bytes;        // in the view's data
    const pattern::DataType* type;  // of the buffer; null where data are converted
  };
  // Returns the call's number, by which wait lines name it.
  int64_t moved(const File& file, Kind kind, const Call& call, const Moved& moved, const Timing& timing);
  // The place in the file of a split collective call that takes its place only when it is carried out.
  void placed(int64_t number, int64_t position);
  // The program has been told that the call is complete.
  void waited(int64_t number, const Timing& timing);
  // A call of this name with one argument; below 0: it has none.
  void changed(const File& file, std::string_view call, int64_t argument, const Timing& timing);
  void removed(const std::string& path, const Timing& timing);

 private:
  CallRecord() = default;
  static CallRecord* make();
  int64_t idle_ns() const { return now_ns() - last_end_ns_; }
  // Adds a line whose members `write` writes, behind those of the types that it names for the first time.
  void add(FunctionRef<void(JsonText&)> write);
  // The number of a datatype: its nest and its extent. Within add().
  int64_t number_of_type(const pattern::DataType& type);
  void append(std::string_view lines);
  void end();

  int descriptor_ = -1;
  std::mutex mutex_;
  int64_t written_ = 0;
  std::atomic<bool> ended_ = false;
  std::atomic<int64_t> files_ = 0, calls_ = 0, last_end_ns_ = 0;
  std::map<std::string, int64_t> types_;
  std::string new_types_;
};

}  // namespace concilio::mpiio
