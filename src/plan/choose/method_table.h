// The table of methods. For each method it says when the method is legal, what it costs, and what speaks for
// it.
#pragma once

#include <span>

#include "plan/choose/candidate.h"
#include "plan/choose/cost.h"
#include "plan/choose/reason.h"

namespace concilio::plan {

// Each method has three functions, in choose/methods/NAME.cpp. The obstacle says why the method is not legal,
// and is empty if it is legal. The cost of two-phase I/O is that of `layout`. The merit is what a reason says
// for the method if the price decided.
#define METHOD(name, ranks, writes, summary)                                           \
  Phrase obstacle_to_##name(const Facts& facts);                                       \
  Cost cost_of_##name(const Facts& facts, const Layout& layout, const Prices& prices); \
  Phrase merit_of_##name(const Facts& facts, const Layout& layout);
#include "base/methods.def"

struct MethodRow {
  Method method;
  Phrase (*obstacle)(const Facts& facts);
  Cost (*cost)(const Facts& facts, const Layout& layout, const Prices& prices);
  Phrase (*merit)(const Facts& facts, const Layout& layout);
};

std::span<const MethodRow> method_rows();  // in the order of Method
const MethodRow& method_row(Method method);

struct Choice {
  Method method = Method::independent;
  bool wished = false;            // a hint decided
  Phrase wish;                    // the hint that decided, or that ruled out another method
  std::optional<Method> refused;  // a hint forces this method, and it is not possible
};
// At least one of the candidates must be legal.
Choice choose_method(const Facts& facts, const Candidates& candidates);

}  // namespace concilio::plan
