// What stripes cost that realms, or requests, of several nodes share.
//
// Where a file system locks stripes, the node that wrote in a stripe last has its lock. Another node that
// comes to it waits until that write is over, and until the lock has been given back. Borders of realms lie
// between stripes, but those of groups lie where their nodes' data end.
#pragma once

#include <cstdint>

#include "plan/facts/prices.h"
#include "plan/layout/layout.h"

namespace concilio::plan {

// How often a realm's aggregator comes to a stripe that an aggregator of another node comes to as well: of
// the realm with most of them. Reads count as writes do, since they find the locks of writes.
int64_t most_shared_stripes(int64_t stripe_bytes, const Layout& layout);
// How much longer that aggregator takes. 0 where stripes have no locks, as far as is known.
double seconds_of_shared_stripes(const Facts& facts, const Layout& layout, const Prices& prices);

// How long nodes wait for each other's stripes where each rank writes for itself, in so many requests
// altogether. Reads find the locks of what was written before, by whatever method, and count as none.
double seconds_of_taken_stripes(const Facts& facts, double requests);

}  // namespace concilio::plan
