// How much internal memory a two-phase call takes on each node, and how much it may take. The code that
// carries out a layout keeps to these numbers.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "plan/layout/layout.h"

namespace concilio::plan {

// The most parts that any window of a realm has.
int64_t most_parts(const Realm& realm, int64_t window_bytes);
// The size of a coverage map: one byte for each granule, and two more for every part of a window whose
// borders cut granules, rounded up to whole cache lines.
int64_t map_bytes(const Realm& realm, int64_t window_bytes, int64_t granule);
// The size of an image: the map, a message head and the window, see exec/windows/images.h.
int64_t image_bytes(int64_t window_bytes, int64_t map_bytes);
// The room for a message from another node: a wish, and the image that answers it.
int64_t message_bytes(int64_t image_bytes);
// The longest description of what a map marks: exec/windows/coverage.h.
int64_t coverage_bytes(int64_t map_bytes);
// The room behind an image that nodes exchange, in which a node describes what it covers, or what it wants.
int64_t wish_bytes(int64_t map_bytes);
// In an exchange by MPI_Alltoallw: what the leader of each node of a group tells the others, and is told.
std::map<int, int64_t> letters_of(const Layout& layout, const Group& group);
// Whether a node has an image of a realm's windows: if nodes exchange by descriptions, only the aggregator's
// own has.
bool has_image(const Layout& layout, const Realm& realm, int node);

// The following sizes are those of an exchange by descriptions, see exec/two_phase/parcels.h.
//
// A description of this length is short: nodes tell it each other whatever memory they have.
inline constexpr int64_t short_description_bytes = 4096;
// The longest description of a rank's request that nodes tell each other. Longer ones than
// short_description_bytes are lists of pieces. They pay where they are much shorter than the data, since
// otherwise marks for each window are shorter, and every rank has memory for those of its node.
int64_t longest_description(const Facts& facts);
// What each rank's description may take, before the first round, if the longest has this length.
int64_t room_for_description(int64_t description_bytes);
// What a rank keeps of each rank that it knows of, besides the nest: see exec/two_phase/descriptions.h.
inline constexpr int64_t kept_head_bytes = 80;
// What the descriptions of so many ranks take at most, in a rank that keeps them or in a message.
int64_t descriptions_bytes(const Facts& facts, int64_t ranks);
// What each rank of a node may keep of what all of them ask for.
int64_t most_of_own_descriptions(const Facts& facts, const NodeFacts& node);
// Whether each rank has memory for what all ranks of its node ask for.
bool has_room_for_own_descriptions(const Facts& facts);
// What a rank may take for descriptions: for those that it keeps, and before the first round for those that
// arrive and those that it passes on. For each of these uses it may be as much as the ranks of its group can
// ask for, but all are no more than a part of the rank's memory. If that is too little, nodes do without
// descriptions.
inline constexpr int64_t description_uses = 3;
int64_t room_for_descriptions(const Facts& facts, int64_t ranks);
// That part.
int64_t most_for_descriptions(const Facts& facts);
// What precedes the data of a parcel.
int64_t parcel_head_bytes(Operation operation);
inline constexpr int64_t parcel_alignment = 64;
inline constexpr int64_t least_parcel_bytes = 4096;
// The longest stream that a node puts into one parcel. It follows from the node's memory: a node that has
// aggregators keeps a small part of it for parcels, and a node without any has it for nothing else. Two
// parcels have room for the descriptions of the node's ranks, which lie there before the first round.
int64_t parcel_bytes(const Layout& layout, const Facts& facts, const NodeFacts& node, bool aggregates);
// The room for parcels of this length, of which a node has two.
int64_t arena_bytes(int64_t parcel_bytes);
// Both, and their counters. Where nodes form clusters, a relay has two more buffers of this length, for what
// it gets and for what it sends in a round.
int64_t arenas_bytes(int64_t parcel_bytes, bool clusters);
// The room for all parcels of one window; an aggregator has one for each slot.
int64_t staging_part_bytes(const Layout& layout, const Group& group, int64_t window_bytes);

// By how much the first window of a realm is shorter than the others.
int64_t pad_bytes(const Realm& realm, int64_t window_bytes);
// The part of a node's segment that one realm takes: an image for each slot, and counters for two.
int64_t slots_bytes(int64_t slots, int64_t image_bytes);
// The memory that is private to the realm's aggregator. In a write this holds the old bytes of one window,
// for the holes in it, if there may be any, and the data that may be held back. If other nodes send to it,
// this also holds the parcels of as many windows as there are slots and what it is told of the ranks'
// requests, or, in an exchange of images, two of their messages, each at most an image long: one is received
// while the other is merged. With MPI_Alltoallw bytes come from window to window.
int64_t staging_bytes(const Layout& layout, const Group& group, const Realm& realm);
// All these sizes for a realm with windows of this size.
struct Sizes {
  int64_t window_bytes, slots, map_bytes, image_bytes, slots_bytes, staging_bytes;
};
Sizes sizes_of(const Layout& layout, const Group& group, const Realm& realm, int64_t window_bytes);
// The same for a realm of several windows, whatever their size.
Sizes sizes_of_several(const Layout& layout, const Group& group, const Realm& realm, int64_t window_bytes);

// The segment that the ranks of a node share.
int64_t segment_bytes(const Layout& layout, const Group& group, int node);
// The same for all nodes of a group at once.
std::map<int, int64_t> segments_of(const Layout& layout, const Group& group);

// What two-phase I/O may take on one node.
struct NodeLimit {
  int64_t rank_bytes;  // for each rank: its private memory and an equal share of the segment
  int64_t node_bytes;  // for all its ranks together
};
NodeLimit node_limit(const Facts& facts, const NodeFacts& node);
// Of more available memory than this, a node's plans make no other use.
int64_t enough_memory(const Facts& facts, const NodeFacts& node);

// What one rank may take: its limit, but no more than its share of half its node's free memory, and never
// less than memory_floor_bytes. `warning` is set if the floor was needed.
struct MemoryLimit {
  int64_t bytes;
  std::string warning;
};
MemoryLimit memory_limit(const Facts& facts);

int64_t sieve_buffer_bytes(const Facts& facts);

}  // namespace concilio::plan
