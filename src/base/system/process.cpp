#include "base/system/process.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <string>
#include <string_view>

#include "base/system/read_file.h"
#include "base/text/text.h"
#include "base/text/whole_number.h"

namespace concilio {
namespace {

struct ProcessState {
  char state = '?';
  int64_t threads = 0, start_ticks = 0;
};

// Reads /proc/PID/stat. Its second field is the program's name in brackets, which may itself contain brackets
// and blanks.
std::optional<ProcessState> state_of(int64_t pid) {
  constexpr int64_t most_bytes = 4096;
  const auto text = read_file(fmt::format("/proc/{}/stat", pid), most_bytes);
  if (!text) return std::nullopt;
  const size_t name_end = text->rfind(')');
  if (name_end == std::string::npos || name_end + 2 >= text->size()) return std::nullopt;
  std::string_view fields(*text);
  fields.remove_prefix(name_end + 2);
  ProcessState found;
  const std::string_view state = take_until(fields, ' ');
  if (state.empty()) return std::nullopt;
  found.state = state.front();
  constexpr int threads_field = 20, start_field = 22;
  for (int field = 4; field <= start_field; ++field) {
    const std::string_view word = take_until(fields, ' ');
    if (field != threads_field && field != start_field) continue;
    const auto number = whole_number(word);
    if (!number) return std::nullopt;
    (field == threads_field ? found.threads : found.start_ticks) = *number;
  }
  return found;
}

uint64_t identity_of(const char* path) {
  struct stat status;
  return stat(path, &status) == 0 ? status.st_ino : 0;
}

uint64_t time_namespace() {
  return identity_of("/proc/self/ns/time");
}

}  // namespace

// A process never changes it. In a container whose /proc is of another namespace, the numbers there are those
// of other processes.
uint64_t pid_namespace() {
  static const uint64_t own = [] {
    char self[32] = "";
    const ssize_t length = readlink("/proc/self", self, sizeof self - 1);
    return length > 0 && self == std::to_string(getpid()) ? identity_of("/proc/self/ns/pid") : 0;
  }();
  return own;
}

ProcessId this_process() {
  const auto state = state_of(getpid());
  return {getpid(), state ? state->start_ticks : 0, pid_namespace(), time_namespace()};
}

bool has_ended(const ProcessId& process) {
  if (process.pid_namespace == 0 || process.pid_namespace != pid_namespace()) return false;
  if (kill(static_cast<pid_t>(process.pid), 0) != 0 && errno == ESRCH) return true;
  const auto state = state_of(process.pid);
  if (!state) return false;
  // If only the first thread has ended, the process goes on with the others.
  if ((state->state == 'Z' || state->state == 'X') && state->threads <= 1) return true;
  const bool comparable = process.start_ticks != 0 && process.time_namespace == time_namespace();
  return comparable && state->start_ticks != process.start_ticks;
}

std::string host_name() {
  char name[256] = "";
  gethostname(name, sizeof name - 1);
  return name;
}

}  // namespace concilio
