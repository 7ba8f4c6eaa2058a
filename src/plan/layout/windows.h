// Windows: how large the aggregators' collective buffers are, and which file bytes a round brings into them.
//
// If nodes exchange by descriptions, an aggregator's window depends on the memory of its own host alone. In
// an exchange of images, every node of a group holds an image of every window, so the node with least memory
// limits all windows. An aggregator needs more memory, so its own host limits its own window further. Within
// these limits and the budget, windows differ between aggregators with the memory that their hosts can spare.
// But no window is smaller than a quarter of the largest in its group, since all would wait for it.
#pragma once

#include <cstdint>
#include <vector>

#include "plan/layout/layout.h"

namespace concilio::plan {

// Sizes the windows of a group's realms, which are in layout.realms, and what goes with them: their maps and
// images, the parcels of the group's nodes, and the group's rounds. Returns whether everything
// fits; if not, the windows have the smallest size.
bool size_windows(const Facts& facts, Layout& layout, Group& group);

// How many of `wanted` realms a group may have memory for, each with the smallest window: an upper bound to
// begin with. At least 1.
int64_t most_realms(const Facts& facts, const Layout& layout, const Group& group, int64_t wanted);
// The same for realms of the file, as a lower bound: for this many there is memory in any later call,
// whatever its bytes.
int64_t most_lasting_realms(const Facts& facts, const Layout& layout, const Group& group, int64_t wanted);

// How many realms a group should have instead of its present number, if those leave windows so small that
// messages between nodes would cost more than the additional aggregators gain; else the present number.
int64_t realms_with_room(const Layout& layout, const Group& group);

int64_t rounds_of(const Realm& realm);

// The memory of the rank that needs most: its private memory and its share of its node's segment.
int64_t peak_bytes(const Facts& facts, const Layout& layout);
// Fills in what the segments of the groups and of the whole layout take, what is private to an aggregator,
// and the peak.
void add_up_memory(const Facts& facts, Layout& layout);
// Whether that is no more than ranks and nodes may take.
bool is_within_limits(const Facts& facts, const Layout& layout);
// The memory of all ranks of a node together; and that for every node.
int64_t node_bytes(const Layout& layout, int node);
std::vector<int64_t> bytes_of_nodes(const Layout& layout);

}  // namespace concilio::plan
