// How a two-phase call is laid out.
//
// The nodes form aggregation groups, which exchange only among themselves; the file bytes that the ranks of a
// group may touch are divided into its realms, one for an aggregator. Realms are disjoint and cover every
// byte asked for. A realm goes through its aggregator in rounds of windows of at most its window_bytes, in
// `slots` alternating buffers. On every node of the group there is one image of every realm's window, in a
// segment that the node's ranks share:
//
//   segment of a node = sum over the realms of its group of slots * (window_bytes + map bytes)
//
// where the map marks covered granules. An image on the aggregator's own node is the window itself; the
// others are sent to it (writes) or filled from it (reads), one message a node, realm and round.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "plan/facts/facts.h"

namespace concilio {

struct Realm {
  int aggregator = 0;  // rank
  int node = 0;        // index into Facts::nodes
  int group = 0;       // index into Plan::groups
  // The bytes it owns of the whole file, and which of their data positions the call may touch: ascending,
  // disjoint. Where a realm owns all of a range, positions are file offsets.
  Access owned = Access::contiguous(0);
  std::vector<Interval> positions;
  int64_t bytes = 0;        // sum of the positions
  int64_t alignment = 1;    // its borders and, within a stretch, its window borders are multiples of it
  int64_t piece_bytes = 0;  // no piece of `owned` is shorter; 0: it has no holes
  // Set by the size of windows.
  int64_t window_bytes = 0;
  int64_t map_bytes = 0;    // coverage map of one image
  int64_t image_bytes = 0;  // one slot on one node: window, map, rounded to cache lines
};

// Ranks and realms that exchange only among themselves (memory-conscious collective I/O, section 3.1).
struct Group {
  std::vector<int> nodes;       // ascending indices into Facts::nodes
  std::vector<Interval> spans;  // ascending, disjoint: the file bytes that their ranks may touch
  int64_t data_bytes = 0;       // that they ask for; 0: not known
  int64_t wanted_realms = 0;    // what the policy was asked for; there may be fewer
  int first_realm = 0, end_realm = 0;
  int64_t segment_bytes = 0;  // shared by the ranks of a node; the same on every node of the group
  int64_t rounds = 0;         // of the realm that needs most
};

// How images travel between nodes.
enum class ExchangeStrategy : int32_t { messages, alltoallw };

struct Layout {
  Operation operation = Operation::write;
  RealmPolicy policy = RealmPolicy::even;
  std::vector<Group> groups;
  std::vector<int> group_of_node;  // index into groups; -1: its ranks ask for nothing and take no part
  std::vector<Realm> realms;       // by group, and ascending in it
  std::shared_ptr<const FixedRealms> fixed;  // to be kept for the calls to come; null: realms are the call's
  ExchangeStrategy exchange = ExchangeStrategy::messages;
  int slots = 2;
  Access::Granule granule;
  int64_t behind_bytes = 0;   // that an aggregator may hold back of what it is to write; 0: nothing
  int64_t window_bytes = 0;   // of the realm with the largest
  int64_t rounds = 0;         // of the group that needs most
  int64_t segment_bytes = 0;  // of the group with the largest
  int64_t staging_bytes = 0;  // private to an aggregator or to a rank that carries messages; the most
  // Internal memory of the rank that needs most; its share of the segment is an equal part.
  int64_t peak_bytes = 0;
  std::string warning;  // e.g. a memory limit below the floor; empty: none
};

// The least memory of one rank that two-phase and sieving work in, bytes.
inline constexpr int64_t memory_floor_bytes = 64 << 10;

// After the realms' positions or windows have changed.
void count_rounds(Layout& layout);

// The same layout `shift` bytes further on, for a repeated pattern. It may move where realms are the call's
// own and positions are file offsets; and whether borders stay aligned.
bool may_move(const Layout& layout);
bool stays_aligned(const Layout& layout, int64_t shift_bytes);
void move(Layout& layout, int64_t shift_bytes);

// The file intervals of realm window `round`, ascending; empty if the realm has fewer rounds. They lie in the
// window's buffer one after another, in this order; at most most_window_parts and one for every stretch of
// positions.
inline constexpr int64_t most_window_parts = 512;
std::vector<Interval> window(const Realm& realm, int64_t round);
// The same, in place of what `into` holds.
void window(const Realm& realm, int64_t round, std::vector<Interval>& into);

}  // namespace concilio
