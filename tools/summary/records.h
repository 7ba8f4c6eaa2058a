// What the library reports of each file it closed: one JSON line a file in the file named by CONCILIO_REPORT.
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
  std::vector<Candidate> candidates;  // of the last of the calls
};

struct FileRecord {
  std::string file;
  int64_t ranks = 0;
  int64_t nodes = 0;
  std::string mpi;
  int64_t times_opened = 1;
  double open_seconds = 0;
  Counters sum;      // over the ranks
  Counters slowest;  // the maximum over the ranks
  int64_t peak_bytes_per_rank = 0;
  int64_t peak_bytes_per_node = 0;              // of all its ranks together
  int64_t peak_description_bytes_per_rank = 0;  // of the datatypes of views and buffers
  std::vector<Reason> reasons;
  std::map<std::string, std::string> hints;
};

struct Records {
  std::vector<FileRecord> files;  // in the order of closing
  int64_t unreadable_lines = 0;
};

Records parse_records(std::string_view lines);
// One record a name: counts and times added, peaks the greatest.
std::vector<FileRecord> by_name(const std::vector<FileRecord>& files);
nlohmann::json to_json(const FileRecord& record);

// The methods that the program's calls took, most frequent first: "two_phase, sieve". Empty: no call.
std::string methods_taken(const FileRecord& record);

}  // namespace concilio::tools
