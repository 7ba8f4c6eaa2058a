// In which form data travel between nodes.
#pragma once

#include "plan/layout/layout.h"

namespace concilio::plan {

// Whether nodes can tell each other beforehand what their ranks ask for: the descriptions are short, or lists
// that are much shorter than the data and for which nodes have memory; and, as far as the facts tell, no two
// ranks ask for the same bytes. (Bytes that many ranks of a node ask for travel to the node once if they
// travel as an image of the window, and else once for each rank.)
bool may_describe(const Facts& facts);
// Whether the user asks for another exchange than that of descriptions.
bool wants_no_descriptions(const Wishes& wishes);

// Whether several ranks ask for the same bytes, as far as the facts tell.
bool overlap(const Facts& facts);

// The form that the user asks for or, without a wish, descriptions. Images where nodes cannot describe, and
// on a single node, where nothing travels.
ExchangeStrategy exchange_of(const Facts& facts);

// Whether a node may have data in a realm. Yes, if it is not known where the nodes' data lie.
bool may_have_data_in(const Realm& realm, const Facts& facts, int node);

// How many messages travel between nodes for the windows of a group, at most: between aggregators and nodes
// or relays, and between these and the other nodes of their clusters.
struct Messages {
  int64_t of_aggregators = 0, within_clusters = 0;
  int64_t all() const;
};
Messages most_messages(const Facts& facts, const Layout& layout, const Group& group);
// The same if clusters had so many nodes.
Messages most_messages(const Facts& facts, const Layout& layout, const Group& group, int64_t combined);

}  // namespace concilio::plan
