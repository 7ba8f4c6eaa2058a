// What the windows of a layout cost a file that is striped over several targets.
//
// A window moves by as many targets at once as it has stripes. Aggregators whose windows have few stripes may
// meet at some targets while others are idle, and one whose windows are small, since its host has little
// memory, may be the last to end. That depends on where the windows lie, so they are played: each aggregator
// takes its windows one after another, as fast as its node's link, its core and the targets let it. Windows
// with holes are played as they are written: their old bytes first, or piece by piece.
#pragma once

#include <optional>

#include "plan/facts/prices.h"
#include "plan/layout/layout.h"

namespace concilio::plan {

// The time until the last aggregator has ended, with what comes to it from other nodes or goes there. Nothing
// where storage has no known stripes, where its prices were measured, which have all of this in them, or
// for reads that want a part of the windows.
std::optional<double> seconds_on_targets(const Facts& facts, const Layout& layout, const Prices& prices);

}  // namespace concilio::plan
