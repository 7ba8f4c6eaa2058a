// One line on stderr for each start of a series; on a terminal each takes the place of the one before.
#pragma once

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <string>

namespace concilio::tools {

class Progress {
 public:
  explicit Progress(size_t starts) : starts_(starts), terminal_(isatty(STDERR_FILENO)) {}
  void next(const std::string& what) {
    fmt::print(stderr, "{}[{}/{}] {}{}", terminal_ ? "\r\033[K" : "", ++done_, starts_, what,
               terminal_ ? "" : "\n");
    std::fflush(stderr);
  }
  void end() const {
    if (terminal_) fmt::print(stderr, "\r\033[K");
  }

 private:
  size_t starts_, done_ = 0;
  bool terminal_;
};

}  // namespace concilio::tools
