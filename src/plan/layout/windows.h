// Windows: how large the buffers of the aggregators are, and which file bytes a round brings into them.
//
// Every node of a group holds an image of every window, so that the poorest node bounds them all; an
// aggregator holds some more, so that its own host bounds its own. Within these bounds and the budget windows
// differ from aggregator to aggregator with what its host can spare, but none is smaller than a quarter of
// the largest it works beside: all would wait for it.
#pragma once

#include "plan/layout/layout.h"

namespace concilio {

// Sizes the windows of a group's realms, which lie in layout.realms, and what follows from it: their maps and
// images, the group's segment and rounds. Returns whether all fits; if not, windows are the smallest there
// are.
bool size_windows(const Facts& facts, Layout& layout, Group& group);

// Of `wanted` realms, how many a group may have memory for, each with the smallest window: a bound from
// above, to begin with. At least 1.
int64_t most_realms(const Facts& facts, const Layout& layout, const Group& group, int64_t wanted);
// The same of realms of the file, from below: for as many there is memory in any call to come, whatever its
// bytes.
int64_t most_lasting_realms(const Facts& facts, const Layout& layout, const Group& group, int64_t wanted);

// How many realms a group should have instead, where so many leave windows so small that messages between
// nodes would cost more than the aggregators beyond that gain; `now` where they do not.
int64_t realms_with_room(const Layout& layout, const Group& group);

// Data bytes that the first window of a realm is short of window_bytes, so that it ends at an aligned offset.
int64_t window_pad(const Realm& realm);
int64_t rounds_of(const Realm& realm);

// Of the rank that needs most: private memory and its share of its node's segment.
int64_t peak_bytes(const Facts& facts, const Layout& layout);
// Of all ranks of a node together.
int64_t node_bytes(const Layout& layout, int node);

}  // namespace concilio
