// Even realms: the aggregate access region, from the first to the last byte asked for, in equal parts (Thakur
// et al., "Data Sieving and Collective I/O in ROMIO", section 4.2). Borders of large realms lie at multiples
// of a stripe or block. For accesses that are spread evenly over their range.
#include "plan/layout/realms.h"

namespace concilio::plan {

Division divide_even(const Region& region, Hosts&) {
  return in_equal_parts(region, unit_for(region.facts, region.range().length() / region.wanted));
}

}  // namespace concilio::plan
