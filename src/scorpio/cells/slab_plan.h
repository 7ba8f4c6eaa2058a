// What the ranks of an I/O group move in one transfer, and how it is cut into slabs.
#pragma once

#include <vector>

#include "base/result.h"
#include "scorpio/cells/box.h"
#include "scorpio/cells/slab_transfer.h"

namespace concilio::scorpio {

// The plan is the same on all ranks of a group, except where its members say otherwise.
struct SlabPlan {
  std::vector<std::vector<Box>> parts;  // by local rank: the cells that it moves; disjoint in writes
  std::vector<Slab> slabs;              // disjoint, also between groups in writes
  bool direct = false;                  // a group of one rank uses its own memory, without a buffer
  bool meets_others = false;            // on roots, for reads: a later group reads some of the same cells
};

// Collective over all ranks of the layout.
Result<SlabPlan> plan_slabs(const Transfer& transfer, const Box& block);

}  // namespace concilio::scorpio
