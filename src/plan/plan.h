// Pure planning: plan(Facts) -> Plan, deterministic, without MPI, files, clocks or environment. The
// simulator, `explain` and the tests run the same code as the ranks.
//
// Two-phase, as a plan states it. The file bytes that a call may touch are divided into realms, one for an
// aggregator; they are disjoint and cover every byte asked for. A realm goes through its aggregator in
// `rounds` windows of at most window_bytes, in `slots` alternating buffers. On every node there is one image
// of every realm's window, in a segment that the node's ranks share:
//
//   segment of a node = realms * slots * (window_bytes + map bytes)
//
// where the map marks covered granules. An image on the aggregator's own node is the window itself; the
// others are sent to it (writes) or filled from it (reads), one message a node, realm and round.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plan/facts.h"

namespace concilio {

struct Realm {
  int aggregator = 0;           // rank
  int node = 0;                 // index into Facts::nodes
  std::vector<Interval> spans;  // ascending, disjoint: the file bytes of this realm that the call may touch
  int64_t bytes = 0;            // sum of the spans
};

struct Candidate {
  Method method;
  bool legal = false;
  double seconds = 0;  // predicted
  std::string why;     // why not legal, or what the price is made of
};

struct Plan {
  Operation operation = Operation::write;
  Method method = Method::independent;
  std::string reason;                 // one sentence: why this method
  std::vector<Candidate> candidates;  // every method, in the order of Method

  // two_phase only
  std::vector<Realm> realms;
  int64_t window_bytes = 0;
  int slots = 2;
  int64_t rounds = 0;     // of the realm that needs most
  int64_t alignment = 1;  // realm borders and, within a span, window borders are multiples of it
  Access::Granule granule;
  int64_t map_bytes = 0;      // coverage map of one image
  int64_t image_bytes = 0;    // one slot of one realm on one node: window, map, rounded to cache lines
  int64_t segment_bytes = 0;  // shared by the ranks of a node; the same on every node
  int64_t staging_bytes = 0;  // private to an aggregator or to a rank that carries messages

  // sieve only
  int64_t sieve_buffer_bytes = 0;

  int64_t peak_bytes =
      0;  // internal memory of the rank that needs most (shared segment divided by its ranks)

  std::string warning;  // e.g. a memory limit below the floor; empty: none
};

// The least memory of one rank that two-phase and sieving work in, bytes.
inline constexpr int64_t memory_floor_bytes = 64 << 10;

// Whether a plan needs the buckets: whether two-phase would be chosen if the bytes asked for lay densely.
bool needs_buckets(const Facts& facts);
Plan plan(const Facts& facts);

// The same plan `shift` bytes further on, for a repeated pattern.
void move(Plan& plan, int64_t shift_bytes);

// The file intervals of realm window `round`, ascending; empty if the realm has fewer rounds. They lie in the
// window's buffer one after another, in this order. O(spans of the realm), of which there are at most
// bucket_count.
std::vector<Interval> window(const Plan& plan, const Realm& realm, int64_t round);

// For people and for programs: method, reason, candidates with prices, realms, rounds, memory.
std::string explain_text(const Facts& facts, const Plan& plan);
std::string explain_json(const Facts& facts, const Plan& plan);

}  // namespace concilio
