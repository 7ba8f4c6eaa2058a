// Leveled messages to stderr, each with the rank: "concilio[3] warning: ...". Where there is no memory for
// one it is left out.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "base/exceptions.h"

namespace concilio {

enum class LogLevel : int { error, warning, info, debug };

void set_log_level(LogLevel level);
void set_log_rank(int rank);  // of MPI_COMM_WORLD; -1 (the start): not known yet
bool log_enabled(LogLevel level);
void log_line(LogLevel level, std::string_view text);
// The same, but a text is written only the first time this process says it.
void log_once(LogLevel level, const std::string& text);
// The same, but once for all processes of a job on this node.
void log_once_on_node(LogLevel level, const std::string& text);
// What every process would say alike: a warning of rank 0 of MPI_COMM_WORLD, or where ranks are not known
// yet; info of the others. Once.
void warn_for_all(const std::string& text);

template <typename... Args>
void log(LogLevel level, fmt::format_string<Args...> format, Args&&... args) {
  if (!log_enabled(level)) return;
  if_there_is_memory([&] { log_line(level, fmt::format(format, std::forward<Args>(args)...)); });
}

}  // namespace concilio
