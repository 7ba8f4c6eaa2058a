// The table of methods: when each is legal, and what it costs.
#pragma once

#include <span>
#include <string>

#include "plan/choose/candidate.h"
#include "plan/choose/cost.h"

namespace concilio {

struct MethodRow {
  Method method;
  std::string (*obstacle)(const Facts& facts);  // why it is not legal; empty: it is
  Cost (*cost)(const Facts& facts, const Layout& layout, const Prices& prices);
};

std::span<const MethodRow> method_rows();  // in the order of Method
const MethodRow& method_row(Method method);

struct Choice {
  Method method = Method::independent;
  std::string because;  // a wish that decided, or could not be met; empty: the price alone
  bool wished = false;  // decided by a wish
};
// `candidates` in the order of Method, at least one legal.
Choice choose_method(const Facts& facts, std::span<const Candidate> candidates);

}  // namespace concilio
