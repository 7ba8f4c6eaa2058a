// One case of the oracle, how it is disturbed, and what the calls of its ranks returned. The simulated ranks
// share a process, and one runs at a time, so they all use the one object.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "oracle/oracle_case.h"

namespace adversary {

struct Disturbance {
  std::string faults;              // in the language of src/store/wrappers/fault.h
  bool errors = false;             // whether calls may fail
  int64_t longest_delay_ns = 0;    // of a rank, before a call and where it waits
  std::vector<int64_t> slowed_ns;  // how much later each rank makes every call
  // One of the first `memory_most` allocations fails, in each call of a rank from one on.
  int memory_rank = -1;
  int memory_call = 0;
  int memory_most = 0;
};

// What a rank's call returned.
struct Outcome {
  bool called = false;
  bool failed = false;
  std::string message;
  int64_t count = 0;                // bytes that the status tells of (-1: not known), or the size of the file
  std::vector<uint8_t> bytes;       // the buffer of a read, afterwards
  bool changed_the_buffer = false;  // of a write
};

enum class Call { open, transfer, set_view, set_size, preallocate, sync, get_size, close };

// A call that ranks make, each for itself or together.
struct Record {
  Call call = Call::open;
  size_t opening = 0;
  size_t op = 0;  // of the case, for what is one
  bool collective = true;
  std::vector<Outcome> of_rank;
};

struct Trial {
  int64_t number = 0;
  oracle::Case plan;
  Disturbance disturbance;
  std::string path, faults_path;
  // Whether the file has another name, and another file its old one, once it is open.
  bool renames = false;
  bool apart = false;       // whether ranks may hear of each other's errors only when they meet
  bool holds_back = false;  // whether writes may be held back until a sync
  std::deque<Record> records;
  std::vector<std::string> stages;  // what each rank is doing
  bool allocation_failed = false;
};

struct TrialOptions {
  uint64_t seed = 1;
  bool disturbed = true;
  bool relays = false;  // whether neighbouring nodes bring small shares together; else the cases are the same
  bool by_turns = false;  // see oracle::CaseOptions
};

// Follows from the options and `number` alone.
Trial make_trial(const TrialOptions& options, int64_t number, int most_ranks);
std::string describe(const Trial& trial);

// The data of a rank in an operation.
uint64_t stream_of(const Trial& trial, size_t op, int rank);
// Ranks with the same number open a file together.
int group_of(oracle::Openers openers, int rank);

}  // namespace adversary
