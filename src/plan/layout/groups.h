// Aggregation groups (memory-conscious collective I/O, section 3.1): nodes whose ranks exchange only among
// themselves.
//
// The border between two groups lies where no node's data reach across it. Nodes whose spans overlap belong
// together; where data is laid out serially by rank that leaves every node alone, so that a border never
// splits a node, and where all is interwoven there is one group. A node tells of its data as a few intervals,
// so that patterns which repeat (one variable after another, each laid out by rank) are seen through as well:
// a group may hold several stretches of the file. Neighbours are then taken together up to about
// Wishes::group_bytes.
#pragma once

#include <span>
#include <vector>

#include "plan/layout/layout.h"

namespace concilio {

// Groups over `spans`, the file bytes that the call touches; ascending by their first byte. One group of all
// nodes where groups are not wished, where realms belong to the file (`of_file`), and where it is not known
// whose data lie where. Realms, segment and rounds are not filled in.
std::vector<Group> aggregation_groups(const Facts& facts, std::span<const Interval> spans, bool of_file);

}  // namespace concilio
