// Runs other programs to their end, with our own input and output or with their output captured.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "system/environment.h"

namespace concilio::tools {

using Words = std::vector<std::string>;

// Exit statuses of the command itself, which are those that shells use.
inline constexpr int exit_failure = 1;
inline constexpr int exit_usage = 2;
inline constexpr int exit_timeout = 124;
inline constexpr int exit_not_executable = 126;
inline constexpr int exit_not_found = 127;

// A program that is not there.
Error command_not_found(const std::string& name);

// Whether SIGINT, SIGTERM, SIGHUP, SIGUSR1 and SIGUSR2 are passed on to a child. What the terminal sends
// reaches the child too, and is never passed on. `no`: neither is anything else, as whoever sends it sends it
// to both.
enum class Forward { no, yes };

// Runs `words` with this process's stdin, stdout and stderr. Returns its exit status, or 128 + N if signal N
// ended it. This process outlives the signals that may be passed on.
Result<int> run_to_end(const Words& words, const Environment& environment, Forward forward = Forward::yes);

// Replaces this process by `words`. Returns only if that failed.
Error replace_by(const Words& words, const Environment& environment);

struct Captured {
  // exit_timeout if the program was ended because the time ran out. Of a launcher, see status_after_signals.
  int exit_status = 0;
  std::string output;  // stdout
  std::string errors;  // stderr
};

// The signal that told this process to stop while it ran its last program, and that was passed on; 0: none.
// Whoever runs several programs ends then, with exit status 128 + the signal.
int stop_signal();
// `exit_status`, as a rule of the last program, which is a launcher; after such a signal, 128 + the signal:
// launchers that are told to stop end with statuses that say nothing, some of them with 0.
int status_after_signals(int exit_status);

// Whether captured output is also passed on to this process's own stdout and stderr as it comes.
enum class Echo { no, yes };

// Runs `words` in a process group of its own, with no input, and captures its output. At the timeout the
// whole group is killed. Signals that tell this process to stop are sent to the whole group.
Result<Captured> capture(const Words& words, const Environment& environment, double timeout_seconds,
                         Echo echo = Echo::no);

}  // namespace concilio::tools
