// What methods cost, in seconds: sums of named terms, each from the facts, the plan and the prices.
#pragma once

#include <string>
#include <vector>

#include "plan/flush.h"
#include "plan/plan.h"
#include "plan/prices.h"

namespace concilio {

// A predicted time as the sum of its named parts.
struct Cost {
  struct Term {
    const char* name;
    double seconds;
  };
  std::vector<Term> terms;
  double seconds() const;
  std::string text() const;  // "requests 1.05 s + storage 13 ms"
};

// One function a method. Two-phase is priced as `layout` lays it out.
Cost cost_of_independent(const Facts& facts, const Plan& layout, const Prices& prices);
Cost cost_of_list(const Facts& facts, const Plan& layout, const Prices& prices);
Cost cost_of_sieve(const Facts& facts, const Plan& layout, const Prices& prices);
Cost cost_of_two_phase(const Facts& facts, const Plan& layout, const Prices& prices);

// How the images of a layout travel between nodes: as is wished, else the cheaper way.
ExchangeStrategy choose_exchange(const Facts& facts, const Plan& layout, const Prices& prices);

double price(Method method, const Facts& facts, const Prices& prices);

// 0.0123 -> "12 ms".
std::string format_seconds(double seconds);

}  // namespace concilio
