// How a two-phase call is laid out.
//
// The nodes form aggregation groups, which exchange data only among themselves. The file bytes that the ranks
// of a group may touch are divided into the group's realms, one for each aggregator. Realms are disjoint and
// cover every byte asked for. An aggregator goes through its realm in rounds, with one window of at most
// window_bytes a round, in `slots` alternating buffers (one if it has a single window). The ranks of the
// aggregator's node share them:
//
//   segment of a node = sum over the realms aggregated on it of slots * (window_bytes + map bytes)
//                       + 2 arenas, if its group has other nodes
//
// where the map marks covered granules. Data of other nodes travel in parcels, through their arenas
// (ExchangeStrategy::descriptions); or else every node of the group has images of the windows of all its
// realms, which are sent to the aggregator (writes) or filled from it (reads) where the node has data in
// them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "plan/facts/facts.h"

namespace concilio::plan {

// While one window of a realm is in storage the next is filled or emptied, in so many buffers in turn.
inline constexpr int64_t most_slots = 2;

struct Realm {
  int aggregator = 0;  // rank
  int node = 0;        // index into Facts::nodes
  int group = 0;       // index into Plan::groups
  // The bytes of the whole file that the realm owns, and the data positions in them that the call may touch,
  // ascending and disjoint. If a realm owns all of a range, positions are file offsets.
  pattern::Access owned = pattern::Access::contiguous(0);
  std::vector<pattern::Interval> positions;
  int64_t bytes = 0;  // total length of the positions
  // The realm's borders and, within a stretch, its window borders are multiples of it.
  int64_t alignment = 1;
  int64_t piece_bytes = 0;  // no piece of `owned` is shorter; 0: it has no holes
  // These follow from the size of windows.
  int64_t window_bytes = 0;
  // The first window is shorter by this, so that it ends at an aligned offset; and by what the last one would
  // be shorter instead.
  int64_t pad_bytes = 0;
  // The number of the window that the first round brings; the last one is followed by the first, see
  // plan/layout/stagger.h.
  int64_t start = 0;
  int64_t slots = 1;        // its windows take turns in so many buffers
  int64_t map_bytes = 0;    // coverage map of one image
  int64_t image_bytes = 0;  // one slot on one node: window, head and map, in whole cache lines
};

// Ranks and realms that exchange only among themselves (memory-conscious collective I/O, section 3.1).
struct Group {
  std::vector<int> nodes;                // ascending indices into Facts::nodes
  std::vector<pattern::Interval> spans;  // ascending, disjoint: the file bytes that their ranks may touch
  int64_t data_bytes = 0;                // bytes that the ranks ask for; 0: not known
  int64_t wanted_realms = 0;             // number that the policy was asked for; there may be fewer
  int first_realm = 0, end_realm = 0;
  int64_t segment_bytes = 0;  // shared by the ranks of a node; of the node with the largest
  int64_t rounds = 0;         // of the realm that needs most
  // Reads: before a window is read, its node's ranks mark in its map which of its bytes they want, since
  // these are few. Where nodes exchange by descriptions, aggregators know that without marks.
  bool marks_wanted = false;
};

// How data travel between nodes. The names are those of concilio_exchange.
enum class ExchangeStrategy : int32_t {
  // Nodes have told each other what their ranks ask for; messages hold data alone, and go where there are
  // any.
  descriptions,
  images,    // each message says what it covers of a window
  alltoallw  // the same by MPI_Alltoallw
};

struct Layout {
  Operation operation = Operation::write;
  RealmPolicy policy = RealmPolicy::even;
  Trial trial;  // what it was made with, and what is explained
  std::vector<Group> groups;
  std::vector<int> group_of_node;  // index into groups; -1: the node's ranks ask for nothing and take no part
  std::vector<Realm> realms;       // by group, and ascending within it
  // To be kept for later calls; null: the realms belong to this call.
  std::shared_ptr<const FixedRealms> fixed;
  ExchangeStrategy exchange = ExchangeStrategy::images;
  // For an exchange by descriptions, of each node: the longest parcel, and what all its ranks together keep
  // of what they ask for themselves.
  std::vector<int64_t> parcel_bytes, own_told_bytes;
  // The room for one rank's description, and what a rank may take for all that it is told.
  int64_t description_bytes = 0;
  int64_t told_bytes = 0;
  // So many neighbouring nodes of a group bring their shares of other nodes' windows together, see
  // plan/layout/clusters.h; 1: each node sends its own.
  int64_t combined_nodes = 1;
  // Writes: whether windows may have holes. If not, nothing is kept for the bytes that the file has there,
  // and where ranks ask for some bytes twice and leave others out, a window is written in pieces.
  bool may_have_holes = true;
  pattern::Access::Granule granule;
  int64_t behind_bytes = 0;   // bytes that an aggregator of a write may hold back; 0: none
  int64_t window_bytes = 0;   // of the realm with the largest window
  int64_t rounds = 0;         // of the group that needs most
  int64_t segment_bytes = 0;  // of the group with the largest segment
  int64_t staging_bytes = 0;  // the most that is private to an aggregator or to a rank that carries messages
  // The internal memory of the rank that needs most; an equal part of the segment counts as its share.
  int64_t peak_bytes = 0;
  std::string warning;  // e.g. a memory limit below the floor; empty: none
};

// The least memory of one rank, in bytes, with which two-phase I/O and sieving work.
inline constexpr int64_t memory_floor_bytes = 64 << 10;

// To be called after the realms' positions or windows have changed.
void count_rounds(Layout& layout);

// A repeated pattern can use the same layout, moved by shift_bytes: each window then holds what it held
// before. may_move(): whether that is possible, because the realms belong to the call and positions are file
// offsets. stays_aligned(): whether borders stay aligned.
bool may_move(const Layout& layout);
bool stays_aligned(const Layout& layout, int64_t shift_bytes);
void move(Layout& layout, int64_t shift_bytes);

// The file intervals of a realm's window in a round, ascending; empty if the realm has fewer rounds. They lie
// in the window's buffer one after another in this order. There are at most most_window_parts of them, plus
// one for every stretch of positions.
inline constexpr int64_t most_window_parts = 512;
std::vector<pattern::Interval> window(const Realm& realm, int64_t round);
// The length of that window; 0 if the realm has fewer rounds.
int64_t window_length(const Realm& realm, int64_t round);
// The intervals again; replaces the contents of `into`.
void window(const Realm& realm, int64_t round, std::vector<pattern::Interval>& into);

}  // namespace concilio::plan
