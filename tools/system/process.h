// Running other programs: to their end with our own input and output, or with the output caught.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "system/environment.h"

namespace concilio::tools {

using Words = std::vector<std::string>;

// Exit statuses of the command itself, as shells use them.
inline constexpr int exit_failure = 1;
inline constexpr int exit_usage = 2;
inline constexpr int exit_timeout = 124;
inline constexpr int exit_not_executable = 126;
inline constexpr int exit_not_found = 127;

// Runs `words` with this process's stdin, stdout and stderr, and returns its exit status, 128 + N where
// signal N ended it. SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2 that reach this process alone (not from the
// terminal, which the child shares) are passed on.
Result<int> run_to_end(const Words& words, const Environment& environment);

// Becomes `words`. Returns only where that failed.
Error replace_by(const Words& words, const Environment& environment);

struct Captured {
  // exit_timeout where the time ran out and the program was ended; never 0 where a signal told it to stop
  int exit_status = 0;
  std::string output;  // stdout
  std::string errors;  // stderr
};

// Whether what is caught is also passed on to this process's own stdout and stderr as it comes.
enum class Echo { no, yes };

// Runs `words` in a process group of its own, with no input, and catches what it writes. At the timeout the
// whole group is ended; signals that tell this process to stop go to the whole group.
Result<Captured> capture(const Words& words, const Environment& environment, double timeout_seconds,
                         Echo echo = Echo::no);

}  // namespace concilio::tools
