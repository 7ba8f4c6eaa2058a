// Why a call takes its method: what decided, against which other method, and in which numbers. It becomes a
// sentence only if somebody reads it (plan/show/reason_text.h), because planning a small call must cost
// little.
#pragma once

#include <optional>

#include "plan/choose/phrase.h"
#include "plan/facts/method.h"

namespace concilio::plan {

// What decided. Reports count the calls that have the same grounds together.
struct Grounds {
  Method method = Method::independent;
  std::optional<Method> refused;  // the hint concilio_method asks for this one, and it is not possible
  Phrase obstacle;                // why that one is not possible
  Phrase wish;                    // a hint that decided, or that ruled out another method
  Phrase merit;                   // what speaks for the method; empty if a hint decided
  bool operator==(const Grounds&) const = default;
};

// The time that a call by a method is expected to take.
struct Expected {
  double seconds = 0;
  bool measured = false;  // measured in earlier calls; if false, predicted from prices
};

struct Comparison {
  Expected taken;
  std::optional<Method> other;  // the fastest of the other methods that are possible
  Expected of_other;
  bool trial = false;  // the other one is expected to be faster; the call is a trial of the one taken
};

struct Reason {
  Grounds grounds;
  std::optional<Comparison> comparison;  // empty if there was nothing to choose
};

}  // namespace concilio::plan
