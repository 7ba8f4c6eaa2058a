// What the library reports of each file that was closed: one line of JSON in the file that CONCILIO_REPORT
// names.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/activity/live_record.h"
#include "base/activity/rank_times.h"
#include "base/result.h"
#include "plan/choose/candidate.h"

namespace concilio::tools {

struct Reason {
  std::string operation;  // "read", "write"
  std::string method;     // "two_phase", ...
  bool collective = false;
  std::string text;
  int64_t calls = 0;
  std::vector<plan::Candidate> candidates;  // those of the last of the calls
};

// What the independent calls of an operation would take as one collective call, by price, and what they
// should have taken as they were made, by the same prices.
struct OneCall {
  std::string operation, method;
  double seconds = 0, lone_seconds = 0;
};

// A rank that had a file open when the program ended, and the call that it was in then.
struct OpenRank {
  int64_t rank = 0;  // of MPI_COMM_WORLD
  LiveCall call = LiveCall::none;
  double seconds = 0;  // for which it was in the call
};
// "a collective write"; null if the rank is in no call.
const char* name_of(LiveCall call);

// The rank of a file that waited least for the others in collective calls. They waited for it.
struct LateRank {
  int64_t rank = -1;  // -1: unknown
  double waited_seconds = 0, own_seconds = 0;
};

struct FileRecord {
  std::string file;
  int64_t ranks = 0;
  int64_t nodes = 0;
  std::string mpi;
  int64_t times_opened = 1;
  int64_t brief_opens = 0;  // of them: those of which only totals are known
  int64_t left_out = 0;     // calls that the activities tell as if they were like others
  double open_seconds = 0;
  Counters sum;      // summed over the ranks
  Counters slowest;  // the maximum over the ranks
  // Of the rank whose calls took longest. Its last call may not have ended when the program did.
  RankTimes slowest_rank;
  double unended_seconds = 0;
  int64_t peak_bytes_per_rank = 0;
  int64_t peak_bytes_per_node = 0;              // of all ranks of the node together
  int64_t peak_description_bytes_per_rank = 0;  // of the datatypes of views and buffers
  std::vector<Reason> reasons;
  std::vector<OneCall> one_calls;  // of the operations for which that is known
  std::map<std::string, std::string> hints;
  // JSON as the library wrote it (base/activity/activity_json.h, base/settings/given_hints.h), which only
  // pages and traces read; empty if there is none. An activity for each time that the file was opened.
  std::string hints_given;
  std::vector<std::string> activities;
  LateRank late_rank;
  std::string first_error;           // of a call that failed, or of the open
  std::vector<OpenRank> open_ranks;  // that had not closed the file when the program ended
};

struct Records {
  std::vector<FileRecord> files;  // in the order in which the files were closed
  int64_t unreadable_lines = 0;
};

Records parse_records(std::string_view lines);

// What `concilio run --report` writes of a run.
struct Report {
  std::string version;  // of Concilio
  std::vector<std::string> command;
  std::optional<int> exit_status;
  Records records;
};
// As JSON. Activities, which have many numbers, are one line each.
std::string text_of(const Report& report);
// Reads what text_of() gave, or the lines of the file that CONCILIO_REPORT names.
Result<Report> parse_report(std::string_view text);

// One record a name: counts and times added, peaks the greatest.
std::vector<FileRecord> by_name(const std::vector<FileRecord>& files);
std::string text_of(const FileRecord& record);
// The same without its activities.
nlohmann::json json_of(const FileRecord& record);

// Of the slowest rank, in the program's calls and opens.
double seconds_of(const FileRecord& record);

// The methods that the program's calls took, most frequent first: "two_phase, sieve". Empty: no call.
std::string methods_taken(const FileRecord& record);

}  // namespace concilio::tools
