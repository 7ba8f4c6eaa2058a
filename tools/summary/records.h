// What the library reports of each file that was closed: one line of JSON in the file that CONCILIO_REPORT
// names.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/counters.h"
#include "plan/choose/candidate.h"

namespace concilio::tools {

struct Reason {
  std::string operation;  // "read", "write"
  std::string method;     // "two_phase", ...
  bool collective = false;
  std::string text;
  int64_t calls = 0;
  std::vector<Candidate> candidates;  // those of the last of the calls
};

struct FileRecord {
  std::string file;
  int64_t ranks = 0;
  int64_t nodes = 0;
  std::string mpi;
  int64_t times_opened = 1;
  double open_seconds = 0;
  Counters sum;      // summed over the ranks
  Counters slowest;  // the maximum over the ranks
  int64_t peak_bytes_per_rank = 0;
  int64_t peak_bytes_per_node = 0;              // of all ranks of the node together
  int64_t peak_description_bytes_per_rank = 0;  // of the datatypes of views and buffers
  std::vector<Reason> reasons;
  std::map<std::string, std::string> hints;
};

struct Records {
  std::vector<FileRecord> files;  // in the order in which the files were closed
  int64_t unreadable_lines = 0;
};

Records parse_records(std::string_view lines);
// Merges the records of one file name into one: counts and times are added, and of peaks the greatest is
// taken.
std::vector<FileRecord> by_name(const std::vector<FileRecord>& files);
nlohmann::json to_json(const FileRecord& record);

// The methods that the program's calls took, the most frequent first: "two_phase, sieve". Empty if there was
// no call.
std::string methods_taken(const FileRecord& record);

}  // namespace concilio::tools
