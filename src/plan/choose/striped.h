// What the windows of a layout cost a file that is striped over several targets.
//
// A window moves by as many targets at once as it has stripes. Aggregators whose windows have few stripes
// meet at some targets while others are idle. So large windows are better than their fewer requests tell, and
// an aggregator whose windows are small, since its host has little memory, is the last to end.
#pragma once

#include <optional>

#include "plan/facts/prices.h"
#include "plan/layout/layout.h"

namespace concilio::plan {

// Nothing where storage has no known stripes, where its prices were measured, which have all of this in them,
// or where windows are not moved as a whole.
std::optional<double> seconds_on_targets(const Facts& facts, const Layout& layout, const Prices& prices);

}  // namespace concilio::plan
