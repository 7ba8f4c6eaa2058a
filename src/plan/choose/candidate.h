// A method that was considered for a call.
#pragma once

#include <cstdint>
#include <string>

#include "plan/facts/method.h"

namespace concilio {

struct Candidate {
  Method method;
  bool legal = false;
  double seconds = 0;  // predicted
  std::string why;     // why not legal, or what the price is made of
  // Of earlier calls of the same pattern (Experience): how many took it, and how long they took.
  int64_t calls = 0;
  double measured_seconds = 0;
};

}  // namespace concilio
