// What a layout of two-phase I/O costs.
#pragma once

#include "plan/choose/cost.h"

namespace concilio::plan {

// By sums over all windows and messages.
Cost summed_cost_of_two_phase(const Facts& facts, const Layout& layout, const Prices& prices);

// The same; but where the windows of a layout can be played at the file's targets (choose/striped.h), the
// terms of what is played are as long together as that takes.
struct TwoPhaseCost {
  Cost cost;
  bool played;
};
TwoPhaseCost played_cost_of_two_phase(const Facts& facts, const Layout& layout, const Prices& prices);

}  // namespace concilio::plan
