// A record of a program's calls, as `concilio run --record` writes it (docs/record.md): read, checked, and
// cut to what all ranks did together, so that it can be done again.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/operation.h"
#include "pattern/access.h"

namespace concilio::sim {

struct RecordedType {
  pattern::NestRef nest = pattern::Nest::empty();
  int64_t extent = 0;
};

// One call of a rank.
struct RecordedCall {
  enum class What { open, view, transfer, wait, set_size, preallocate, sync, set_atomicity, remove, close };
  enum class Kind { blocking, nonblocking, split };
  What what = What::open;
  int64_t idle_ns = 0;  // of the program, before the call
  // An index of Record::opens; -1: the call is of no open file.
  int open = -1;
  int64_t number = 0;  // of a call that is waited for, and in the wait for it
  // A view: its displacement. A transfer: where it begins in the view's data. Else the argument.
  int64_t position = 0;
  // Index of the rank's types; -1: all bytes. A view: the filetype. A transfer: the buffer's datatype.
  int type = -1;
  // Of a transfer.
  Operation operation = Operation::read;
  Kind kind = Kind::blocking;
  bool collective = false;
  int64_t bytes = 0;
  int path = -1;  // remove: index of Record::paths

  // Whether all ranks of the file make this call together.
  bool is_together() const;
};

// A file as it was opened once, by several ranks or one.
struct RecordedOpen {
  std::vector<int> ranks;  // in the order of the communicator
  int path = 0;            // index of Record::paths
  std::vector<std::string> modes;
  int64_t size = 0;  // of the file when it was opened
  std::map<std::string, std::string> hints;
};

struct RecordedPath {
  std::string name;
  int64_t extent = 0;         // behind the last byte that any call reached
  bool of_all_ranks = false;  // each rank has opened it, alone or with others
};

struct Record {
  int64_t nodes = 1;
  std::vector<std::vector<RecordedCall>> calls;  // by rank
  std::vector<std::vector<RecordedType>> types;  // by rank
  std::vector<RecordedOpen> opens;
  std::vector<RecordedPath> paths;
  // Calls that not all ranks of their file have made, and those behind them, are left out: of `total_calls`,
  // so many. Why: a rank's record was full, or the program ended before its time.
  int64_t left_out = 0, total_calls = 0;
  bool full = false;

  int ranks() const { return static_cast<int>(calls.size()); }
  bool is_by_all(const RecordedOpen& open) const { return std::ssize(open.ranks) == ranks(); }
};

// Reads the text of a file of this name. The error names the line that is wrong, says why, and what to do.
Result<Record> parse_record(std::string_view text, const std::string& name);

// What a rank's transfers ask for in turn: `visit` gets each one and the part of the file it is of.
using VisitTransfer = std::function<void(const RecordedCall& call, const pattern::Access& file)>;
void for_each_transfer(const Record& record, int rank, const VisitTransfer& visit);
// The access of a view; of the view that a file has when it is opened, where `view` is null.
pattern::Access access_of_view(const Record& record, int rank, const RecordedCall* view);

}  // namespace concilio::sim
