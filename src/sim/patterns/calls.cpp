#include "sim/patterns/calls.h"

#include <fmt/format.h>

#include <algorithm>

namespace concilio::sim {

const char* name_of(Calls calls) {
  return std::ranges::find(calls_words, calls, &CallsWords::calls)->name;
}

std::optional<Calls> calls_named(std::string_view name) {
  for (const CallsWords& words : calls_words) {
    if (name == words.name) return words.calls;
  }
  return std::nullopt;
}

std::string lines_of_calls() {
  std::string text;
  for (const CallsWords& words : calls_words) text += fmt::format("  {}\n      {}\n", words.name, words.help);
  return text;
}

}  // namespace concilio::sim
