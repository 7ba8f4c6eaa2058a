// The partition tree of a group, as the tree policy builds and remerges it; `concilio explain` draws it.
#pragma once

#include "plan/layout/partition_tree.h"
#include "plan/layout/realms.h"

namespace concilio::plan {

struct Remerged {
  PartitionTree before, after;  // after: every leaf has an aggregator
  int64_t taken_over = 0;       // number of leaves that were removed
  int64_t alignment = 1;
};
Remerged partition(const Region& region, const Hosts& hosts);

}  // namespace concilio::plan
