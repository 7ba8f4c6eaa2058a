// Realms: which file bytes go through which aggregator. Even realms divide the aggregate access region, the
// range from the first to the last byte asked for, evenly (Thakur et al., "Data Sieving and Collective I/O in
// ROMIO", section 4.2), with borders at multiples of an alignment (Coloma et al., "A New Flexible MPI
// Collective I/O Implementation", section 5.2).
#pragma once

#include <cstdint>
#include <vector>

#include "plan/plan.h"

namespace concilio {

// The stretches of the file that hold every byte asked for, ascending and disjoint: the tight intervals of
// the buckets, joined across gaps too small to be worth a request; [first, end) where there are no buckets;
// none for a call without bytes. All lie in [first, end).
std::vector<Interval> file_spans(const Facts& facts);
int64_t total_bytes(const std::vector<Interval>& intervals);

struct Aggregator {
  int rank;
  int node;  // index into Facts::nodes
};
// How many aggregators the call is worth, from the wishes, the nodes and the bytes to move; at least 1 if
// there is any candidate.
int64_t wanted_aggregators(const Facts& facts, int64_t span_bytes);
// At most `count` of them, taken from the nodes in turn, each rank once; in order of node, so that
// neighbouring realms lie on one node.
std::vector<Aggregator> pick_aggregators(const Facts& facts, int64_t count);

struct RealmSet {
  std::vector<Realm> realms;  // those that have bytes, ascending
  int64_t alignment = 1;      // borders between them are multiples of it
};
// At most `count` even realms over `spans`, which must not be empty.
RealmSet even_realms(const Facts& facts, const std::vector<Interval>& spans, int64_t count);

}  // namespace concilio
