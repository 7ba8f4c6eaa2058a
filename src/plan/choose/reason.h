// Why a call takes the method that it takes: what decided, against what, in which numbers. A sentence is made
// of it only where somebody reads it (plan/show/reason_text.h), as planning a small call must cost little.
#pragma once

#include <optional>

#include "plan/choose/phrase.h"
#include "plan/facts/method.h"

namespace concilio {

// What decided. Calls of one program that were decided alike are told of together.
struct Grounds {
  Method method = Method::independent;
  std::optional<Method> refused;  // what the hint concilio_method asks for, where it is not possible
  Phrase obstacle;                // to that
  Phrase wish;                    // a hint that decided, or that ruled out what else would have been taken
  Phrase merit;                   // what speaks for the method; empty where a hint decided
  bool operator==(const Grounds&) const = default;
};

// What a method takes, as far as that is known.
struct Expected {
  double seconds = 0;
  bool measured = false;  // else predicted
};

struct Comparison {
  Expected taken;
  std::optional<Method> other;  // the best of those that were possible besides
  Expected of_other;
  bool trial = false;  // the other is faster as far as is known, but little is known of the one taken
};

struct Reason {
  Grounds grounds;
  std::optional<Comparison> comparison;  // none where there was nothing to choose
};

}  // namespace concilio
