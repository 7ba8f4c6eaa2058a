#include "base/log.h"

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <mutex>
#include <unordered_set>

#include "base/exceptions.h"
#include "base/job/first_on_node.h"

namespace concilio {

namespace {

std::atomic<LogLevel> current_level{LogLevel::warning};
std::atomic<int> current_rank{-1};

const char* level_name(LogLevel level) {
  switch (level) {
    case LogLevel::error:
      return "error";
    case LogLevel::warning:
      return "warning";
    case LogLevel::info:
      return "info";
    case LogLevel::debug:
      return "debug";
  }
  return "error";
}

}  // namespace

void set_log_level(LogLevel level) {
  current_level.store(level, std::memory_order_relaxed);
}

void set_log_rank(int rank) {
  current_rank.store(rank, std::memory_order_relaxed);
}

bool log_enabled(LogLevel level) {
  return level <= current_level.load(std::memory_order_relaxed);
}

namespace {

void write_line(LogLevel level, std::string_view text) {
  const int rank = current_rank.load(std::memory_order_relaxed);
  const std::string line = rank < 0 ? fmt::format("concilio {}: {}\n", level_name(level), text)
                                    : fmt::format("concilio[{}] {}: {}\n", rank, level_name(level), text);
  // A line is one system call, so that the lines of several ranks and threads do not mix. If stderr cannot be
  // written to, there is nowhere left to report that.
  const int saved_errno = errno;
  std::string_view rest = line;
  while (!rest.empty()) {
    const ssize_t written = write(STDERR_FILENO, rest.data(), rest.size());
    if (written > 0) {
      rest.remove_prefix(static_cast<size_t>(written));
    } else if (errno != EINTR) {
      break;
    }
  }
  errno = saved_errno;
}

// Whether this process logs the text for the first time.
bool first_here(const std::string& text) {
  // These are never destroyed, since a thread may still log while the process ends.
  static auto& mutex = *new std::mutex;
  static auto& said = *new std::unordered_set<std::string>;
  const std::lock_guard guard(mutex);
  return said.insert(text).second;
}

}  // namespace

void log_line(LogLevel level, std::string_view text) {
  if (!log_enabled(level)) return;
  if_there_is_memory([&] { write_line(level, text); });
}

void log_once(LogLevel level, const std::string& text) {
  if (!log_enabled(level)) return;
  if_there_is_memory([&] {
    if (first_here(text)) log_line(level, text);
  });
}

void log_once_on_node(LogLevel level, const std::string& text) {
  if (!log_enabled(level)) return;
  if_there_is_memory([&] {
    if (first_here(text) && first_on_node(text)) log_line(level, text);
  });
}

void warn_for_all(const std::string& text) {
  log_once(current_rank.load(std::memory_order_relaxed) > 0 ? LogLevel::info : LogLevel::warning, text);
}

}  // namespace concilio
