// Messages to stderr with a level and the rank: "concilio[3] warning: ...". A message is left out where there
// is no memory for it.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "base/exceptions.h"

namespace concilio {

enum class LogLevel : int { error, warning, info, debug };

void set_log_level(LogLevel level);
void set_log_rank(int rank);  // rank in MPI_COMM_WORLD; -1, as at the start: not known yet
bool log_enabled(LogLevel level);
void log_line(LogLevel level, std::string_view text);
// The same, but each text is written only the first time that this process logs it.
void log_once(LogLevel level, const std::string& text);
// The same, but each text is written once for all processes of a job on this node.
void log_once_on_node(LogLevel level, const std::string& text);
// Writes, once, what every process would say alike: as a warning on rank 0 of MPI_COMM_WORLD, and where the
// rank is not known yet; as info on the other ranks.
void warn_for_all(const std::string& text);

template <typename... Args>
void log(LogLevel level, fmt::format_string<Args...> format, Args&&... args) {
  if (!log_enabled(level)) return;
  if_there_is_memory([&] { log_line(level, fmt::format(format, std::forward<Args>(args)...)); });
}

}  // namespace concilio
