// Files that were open so briefly that a record of each close would have taken more time than recording may
// (base/activity/time_allowance.h). Their first ranks keep the totals of all their ranks, and tell them with
// the next record of the file, or when MPI ends. `concilio run` finds those of a program that was killed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/activity/closed_totals.h"
#include "base/function_ref.h"
#include "base/json_text.h"

namespace concilio::mpiio {

// Adds to what is kept of the file: add(totals) what was counted. `opens`: 0 of a file that could not be
// opened. Thread-safe, like all of these.
void keep_brief_opens(std::string_view path, int ranks, size_t nodes, int64_t opens,
                      std::string_view first_error, FunctionRef<void(ClosedTotals&)> add);
// What else is kept of a file.
struct EarlierOpens {
  int64_t opens = 0;
  int32_t ranks = 0, nodes = 0;  // at most
  std::string first_error;       // empty: there was none
};
// Moves what is kept of the file to `totals` and to the result.
EarlierOpens take_brief_opens(std::string_view path, ClosedTotals& totals);
// Calls append(line) for each file of which something is kept, and keeps nothing any longer.
void tell_brief_opens(FunctionRef<void(JsonText)> append);

}  // namespace concilio::mpiio
