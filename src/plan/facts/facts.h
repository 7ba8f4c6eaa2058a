// Everything that planning depends on. All ranks hold equal Facts before they plan, so that plan(Facts) is
// the same on every rank with no further message. Fixed-size parts are plain data: they travel as bytes.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "pattern/access.h"
#include "pattern/operation.h"
#include "plan/facts/experience.h"

namespace concilio {

enum class Choice3 : int32_t { automatic, enable, disable };

// What one rank asks, or many ranks together: combine() is associative and commutative. 0 bytes: `first`,
// `end`, `granule`, `anchor` are of no meaning.
struct Digest {
  int64_t first = 0, end = 0;   // file offsets touched lie in [first, end)
  int64_t bytes = 0;            // sum over ranks
  int64_t file_pieces = 0;      // sum over ranks of the contiguous pieces in the file (upper bound)
  int64_t memory_pieces = 0;    // likewise in memory
  int64_t span = 0;             // sum over ranks of end - first
  int64_t ranks = 0;            // ranks
  int64_t ranks_with_data = 0;  // ranks that have bytes
  int64_t max_rank_bytes = 0;   // largest rank's
  int64_t max_rank_file_pieces = 0;
  int64_t granule = 0, anchor = 0;  // see Access::granule
  int64_t monotone = 1;             // every rank's file access is monotone
  // A repeated pattern: every rank asks what it asked in the call before, moved by the same number of bytes.
  int64_t repeats = 1;
  int64_t shift_min = 0, shift_max = 0;
  // The most that any rank takes of the memory limit to stage its data, and whether any comes with another
  // request for the same call: then all do, those that are through with none.
  int64_t staging_bytes = 0, more = 0;
  // The first error of any rank: its kind (0: none) and the lowest rank that has one.
  int64_t error_kind = 0, error_rank = 0;
};
Digest combine(const Digest& a, const Digest& b);

// The range of a call in 256 equal parts: how many bytes lie in each, and the tightest interval that holds
// them.
inline constexpr int bucket_count = 256;
struct Bucket {
  int64_t first = INT64_MAX, end = INT64_MIN, bytes = 0;
};
Bucket combine(const Bucket& a, const Bucket& b);
// Border i of the buckets of [first, end): 0 <= i <= bucket_count.
int64_t bucket_border(int64_t first, int64_t end, int i);

struct NodeFacts {
  int64_t ranks = 1;
  int64_t free_bytes = INT64_MAX;  // the smaller of MemAvailable and what its cgroup leaves
  std::vector<int> candidates;     // ranks that may aggregate, in order of preference; never empty
  // Where the bytes lie that this node's ranks ask for: a few intervals that hold them all, ascending and
  // disjoint. No node has any where this was not gathered.
  std::vector<Interval> spans;
  int64_t bytes = 0;
};
// As many intervals and candidates as a node tells of.
inline constexpr int most_node_spans = 8;
inline constexpr int most_candidates = 8;

struct Aggregator {
  int rank;
  int node;  // index into Facts::nodes
};

// How file bytes become realms; the rows are in plan/layout/realms.cpp.
enum class RealmPolicy : int32_t { automatic, even, aligned, persistent, cyclic, balanced, tree, user };

// Realms of the file, not of one call: fixed for the life of an open, so that a byte always goes through the
// same aggregator (persistent file realms: Coloma et al., "A New Flexible MPI Collective I/O
// Implementation", section 5.2). Together they own every byte,
// each once.
struct FixedRealms {
  std::vector<Access> owned;  // monotone; one a realm
  std::vector<Aggregator>
      aggregators;          // of each; none yet where the user has given realms and no call has run
  int64_t alignment = 1;    // their borders are multiples of it
  int64_t piece_bytes = 1;  // no piece of any is shorter, but the first of the file may be
  RealmPolicy policy = RealmPolicy::persistent;  // that made them
};

struct StorageFacts {
  enum class Kind : int32_t { local, memory, network, parallel, unknown } kind = Kind::unknown;
  int64_t block_bytes = 4096;
  int64_t stripe_bytes = 0;  // 0: not striped
  int64_t stripe_targets = 0;
  // Whether requests reach the device one by one, with no page cache between; as models of devices are.
  int64_t uncached = 0;
  int64_t rotational = 0;            // a local device that seeks
  int64_t aggregators_per_node = 0;  // measured: more of them on a node gain little (N_ah); 0: not known
};

// Who aggregates; the rows are in plan/layout/placement.h.
enum class Placement : int32_t { memory, spread, first };

// The user's wishes; 0 and automatic leave it to the plan.
struct Wishes {
  int64_t window_bytes = 0;                     // cb_buffer_size
  int64_t aggregators = 0;                      // cb_nodes
  int64_t aggregators_per_node = 0;             // cb_config_list, concilio_aggregators_per_node: N_ah
  int64_t alignment_bytes = 0;                  // romio_cb_fr_alignment
  Choice3 alltoallw = Choice3::automatic;       // romio_cb_alltoall
  RealmPolicy realms = RealmPolicy::automatic;  // concilio_realms, romio_cb_pfr, romio_cb_fr_types
  int64_t realm_block_bytes = 0;                // romio_cb_fr_types: blocks of cyclic and persistent realms
  Placement placement = Placement::memory;      // concilio_placement
  bool groups = true;                           // concilio_groups
  int64_t write_behind_bytes = 0;               // concilio_write_behind
  int64_t group_bytes = 4 << 20;                // concilio_group_bytes, Msg_group of the paper
  int64_t domain_bytes = 1 << 20;               // concilio_domain_bytes, Msg_ind
  int64_t memory_min_bytes = 16 << 20;          // concilio_memory_min, Mem_min
  int64_t memory_limit_bytes = 8 << 20;         // of one rank
  // concilio_node_memory: what nodes have available, in place of what they measure; node i has entry i modulo
  // the list. Whoever gathers facts goes by it.
  std::vector<int64_t> node_memory_bytes{};
  int64_t sieve_buffer_bytes = 0;           // ind_rd_buffer_size or ind_wr_buffer_size
  Choice3 collective = Choice3::automatic;  // romio_cb_read or romio_cb_write
  Choice3 sieving = Choice3::automatic;     // romio_ds_read or romio_ds_write
  bool no_independent = false;              // romio_no_indep_rw
  int32_t forced_method = -1;               // concilio_method: a Method, or -1
};

struct Prices;  // plan/facts/prices.h

// Settings of two-phase that are tried beside the usual ones, see plan/choose/cheapest_layout.h; 0: the usual
// one. Unlike wishes they give way where memory or the call want it.
struct Trial {
  int64_t aggregators_per_node = 0;
  int64_t window_bytes = 0;
  RealmPolicy realms = RealmPolicy::automatic;
};

struct Facts {
  Operation operation = Operation::write;
  bool collective = true;  // false: one rank alone; Digest of that rank; two_phase is not legal
  bool locks_work = true;  // sieving writes need locks
  bool others_write =
      false;             // others may be writing between the ranks' bytes, which must not be rewritten then
  bool atomic = false;   // MPI atomic mode
  bool may_map = false;  // ranks can map the file for this operation
  int64_t cores_per_node = 1;
  Digest digest;
  std::vector<Bucket> buckets;  // bucket_count of them, or none where they were not gathered
  std::vector<NodeFacts> nodes;
  StorageFacts storage;
  // By an earlier call of the same open, with the policy that was in force; and by the user, whose realms
  // stay known while another policy is.
  std::shared_ptr<const FixedRealms> fixed, given;
  Wishes wishes;
  Trial trial;
  std::shared_ptr<const Prices> prices;  // measured; null: those built in for the kind of storage
  Experience experience;
};

}  // namespace concilio
