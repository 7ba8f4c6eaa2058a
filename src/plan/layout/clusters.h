// Small shares are brought together on their way (two-layer aggregation: TAM, Kang et al., arXiv 1907.12656).
//
// Where many nodes have a little each in every window, messages cost more than their bytes. So the nodes of a
// group, in their order, form clusters of Layout::combined_nodes neighbours (the last may have fewer). Data
// for the window of an aggregator in another cluster go through one node of their own cluster, the relay of
// that realm: it gets one message of each node of its cluster in a round, with all that the node has for the
// realms of this relay, and sends one message to each of their aggregators. Reads go the same way back. The
// realms of other clusters are dealt to the nodes of a cluster in turn, so each node relays about as much as
// it has itself. With n nodes, an aggregator on each, and clusters of k, a round takes about
// n (2 (k - 1) + n / k - 1) messages instead of n (n - 1).
#pragma once

#include <span>

#include "plan/layout/layout.h"

namespace concilio::plan {

// The nodes of a node's cluster, ascending, where clusters have `combined` nodes. It must be a node of the
// group.
std::span<const int> cluster_of(const Group& group, int64_t combined, int node);
// The node that relays between a node and a realm of its group, which may be the node itself; direct: none
// does, since the aggregator is in the same cluster, or the node has no neighbours.
inline constexpr int direct = -1;
int relay_of(const Layout& layout, const Group& group, size_t realm, int node);

// The most nodes of a cluster. A relay is told what all of them ask for, and tells it to aggregators.
int64_t most_combined(const Facts& facts, const Layout& layout);
// Why the nodes of a layout cannot form clusters; empty text if they can.
const char* obstacle_to_clusters(const Facts& facts, const Layout& layout);
// Has the nodes form clusters, which must be possible. The layout takes no more memory: a relay's two buffers
// and the arenas, which become shorter, take what the arenas have taken.
void form_clusters(const Facts& facts, Layout& layout, int64_t nodes);
// The length of the parcels of a node then.
int64_t parcel_bytes_in_cluster(int64_t parcel_bytes);

}  // namespace concilio::plan
