// Several ways of moving one pattern, measured in turn in one process, so that drift meets all alike; the far
// slower ones after the others.
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
  // Where its repetitions take less than this in all, a method goes on, up to ten times as many.
  double measured_seconds = 0;
  double timeout_seconds = 60;  // that all calls of a method may take together, by its first
  double skip_factor = 50;      // a method predicted to take so many times the cheapest's time is left out
};

// "auto,list,posix" -> the methods. Empty where the text is no list of them, and then `error` says why.
std::vector<std::string> parse_methods(const std::string& text, std::string& error);

// Of one method and operation; the same on all ranks.
struct MethodTimes {
  std::string method;
  double first_seconds = 0;
  std::vector<double> seconds;
  std::vector<std::string> taken;  // by the library in each of these calls; empty text: unknown
  std::string first_taken;
  PerMethod predicted = {};       // see Took
  double predicted_seconds = -1;  // for what was taken; negative: unknown
  std::string left_out;           // why it was not measured on
  std::string failure;            // of a call, or wrong bytes
};

struct MethodsOutcome {
  std::string failure;  // of what comes before the methods
  int64_t total_bytes = 0;
  std::vector<MethodTimes> write, read;  // empty where not asked for
};
// A line each; empty: all went well.
std::vector<std::string> failures_of(const MethodsOutcome& outcome);

// Collective over MPI_COMM_WORLD; the outcome is the same on all ranks.
MethodsOutcome run_methods(const Pattern& pattern, const RunOptions& options, const MethodsOptions& methods);

// The library's own choice over the best of its methods, itself among them; 0: not measured.
double regret(const std::vector<MethodTimes>& times);

}  // namespace concilio::bench
