// Expectations of SCORPIO calls: that they succeed, or that they fail and say why.
#pragma once

#include <scorpio.h>

#include <cstdint>
#include <string>
#include <vector>

#include "common/expect.h"

// Expects that `code` is FAILURE, and that the message contains all of `words`.
inline void expect_failure(int64_t code, const std::vector<std::string>& words, const char* file, int line,
                           const char* call) {
  if (code != FAILURE) {
    note_failure(file, line, std::string(call) + " returned " + std::to_string(code));
    return;
  }
  const std::string message = scorpio_last_error();
  for (const std::string& word : words) {
    if (message.find(word) == std::string::npos)
      note_failure(file, line, std::string(call) + " does not say \"" + word + "\"");
  }
}

#define WELL(call) EXPECT((call) == 0)
#define FAILS(call, ...) \
  expect_failure((call), std::vector<std::string>{__VA_ARGS__}, __FILE__, __LINE__, #call)
