// The table of methods: when each is legal, what it costs, and what speaks for it.
#pragma once

#include <span>

#include "plan/choose/candidate.h"
#include "plan/choose/cost.h"
#include "plan/choose/reason.h"

namespace concilio {

// Three functions a method, in choose/methods/NAME.cpp. An obstacle is why the method is not legal; empty: it
// is. Two-phase is priced as `layout` lays it out. The merit is what a reason says where the price decided.
#define METHOD(name, ranks, summary)                                                   \
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
  bool wished = false;            // decided by a wish
  Phrase wish;                    // that decided, or ruled out another; empty: the price alone
  std::optional<Method> refused;  // forced, and not possible
};
// `candidates` in the order of Method, at least one legal.
Choice choose_method(const Facts& facts, const Candidates& candidates);

}  // namespace concilio
