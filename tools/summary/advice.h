// What a user or a programmer can change so that the calls on a file take less time.
#pragma once

#include <string>
#include <vector>

#include "summary/records.h"

namespace concilio::tools {

struct Advice {
  // One line that begins with what is slow or with an option of `concilio run`, and has the text to paste. It
  // is empty if the record shows nothing that is known to help.
  std::string text;
  // How much less time the calls of the slowest rank would take; where that is not known, what they took in
  // all.
  double seconds = 0;
  bool at_most = true;
  // What can be put into a program, one line for each language or library.
  std::vector<std::string> to_paste{};
  // What the calls would take then and what they take now, and how far that can be trusted; empty if it is
  // not known.
  std::string expectation{};
};
Advice advice_on(const FileRecord& file);
// "about 50 ms to be won", or "at most 4 s to be won".
std::string to_be_won(const Advice& advice);

}  // namespace concilio::tools
