// Aggregation groups (memory-conscious collective I/O, section 3.1): sets of nodes whose ranks exchange data
// only among themselves.
//
// The border between two groups lies where no node's data reach across it. Nodes whose spans overlap belong
// to one group. If data are laid out serially by rank, every node can be a group of its own, and a border
// never splits a node; if all data are interleaved there is one group. A node describes its data by a few
// intervals, so that repeating patterns are recognised too (one variable after another, each laid out by
// rank): a group may then hold several stretches of the file. Neighbouring groups are joined up to about
// Wishes::group_bytes.
#pragma once

#include <span>
#include <vector>

#include "plan/layout/layout.h"

namespace concilio::plan {

// Divides `spans`, the file bytes that the call touches, into groups, which ascend by their first byte. The
// result is one group of all nodes if groups are not wished, if realms belong to the file (`of_file`), or if
// it is not known where each node's data lie. Realms, segment and rounds are not filled in.
std::vector<Group> aggregation_groups(const Facts& facts, std::span<const pattern::Interval> spans,
                                      bool of_file);

}  // namespace concilio::plan
