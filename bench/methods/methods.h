// Measures several ways of moving one pattern by turns in one process, so that a drift of the machine affects
// all of them. Far slower ways are measured after the others.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "measure/harness.h"
#include "methods/way.h"

namespace concilio::bench {

struct MethodsOptions {
  std::vector<std::string> methods;  // see parse_methods
  int warm_up = 3;
  // If the repetitions of a method take less than this in total, they are continued, up to ten times as many.
  double measured_seconds = 0;
  double timeout_seconds = 60;  // for all calls of a method, as its first call lets expect
  // A method is left out if it is predicted to take more than so many times as long as the cheapest.
  double skip_factor = 50;
};

// Parses a list of methods, "auto,list,posix". If the text is no such list, returns an empty list and says
// why in `error`.
std::vector<std::string> parse_methods(const std::string& text, std::string& error);

// The results of one method and operation; the same on all ranks.
struct MethodTimes {
  std::string method;
  double first_seconds = 0;
  std::vector<double> seconds;
  // The methods that the library used in each of these calls; an empty text if unknown.
  std::vector<std::string> taken;
  std::string first_taken;
  PerMethod predicted = {};       // see Took
  double predicted_seconds = -1;  // for the method that was used; negative if unknown
  std::string left_out;           // why it was not measured further
  std::string failure;            // a call that failed, or wrong bytes
};

struct MethodsOutcome {
  std::string failure;  // a failure before any method was measured
  int64_t total_bytes = 0;
  std::vector<MethodTimes> write, read;  // empty if not asked for
};
// One line for each failure; empty if there is none.
std::vector<std::string> failures_of(const MethodsOutcome& outcome);

// Collective over MPI_COMM_WORLD; the outcome is the same on all ranks.
MethodsOutcome run_methods(const Pattern& pattern, const RunOptions& options, const MethodsOptions& methods);

// The time of the library's own choice divided by that of the best of the library's methods, of which its
// choice counts as one; 0 if not measured.
double regret(const std::vector<MethodTimes>& times);
// Whether the times of these two do not lie clearly apart, so that a regret above 1 may be chance.
bool regret_may_be_chance(const std::vector<MethodTimes>& times);

}  // namespace concilio::bench
