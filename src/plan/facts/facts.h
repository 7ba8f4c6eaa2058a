// Everything that planning depends on. All ranks hold equal Facts before they plan, so that plan(Facts) is
// the same on every rank without further messages. Parts of fixed size are plain data: they are sent as
// bytes.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/operation.h"
#include "pattern/access.h"
#include "plan/facts/experience.h"

namespace concilio::plan {

enum class Choice3 : int32_t { automatic, enable, disable };

// What one rank, or many ranks together, ask for. combine() is associative and commutative. If `bytes` is 0,
// `first`, `end`, `granule` and `anchor` have no meaning.
struct Digest {
  int64_t first = 0, end = 0;   // all file offsets asked for lie in [first, end)
  int64_t bytes = 0;            // sum over ranks
  int64_t file_pieces = 0;      // sum over ranks of the contiguous pieces in the file (upper bound)
  int64_t memory_pieces = 0;    // likewise in memory
  int64_t span = 0;             // sum over ranks of end - first
  int64_t ranks = 0;            // number of ranks
  int64_t ranks_with_data = 0;  // ranks that have bytes
  int64_t max_rank_bytes = 0;   // the most that one rank asks for
  int64_t max_rank_file_pieces = 0;
  int64_t granule = 0, anchor = 0;  // see Access::granule
  int64_t description_bytes = 0;    // the most memory that any rank's description of its bytes takes
  int64_t monotone = 1;             // every rank's file access is monotone
  int64_t stretches = 1;            // every rank's view is without holes, so that any request is one stretch
  // How the call is like one before: the least of all ranks. Where the pattern repeats, every rank asks for
  // what it asked for in that call, shifted by the same number of bytes; the plan of that may be outdated,
  // so that another must be made. Otherwise every rank may have kept a plan that serves any call of one small
  // piece a rank.
  enum Likeness : int64_t { nothing_kept, plan_kept, plan_outdated, pattern_repeats };
  int64_t likeness = pattern_repeats;
  int64_t shift_min = 0, shift_max = 0;
  int64_t kept = -1;  // the plans that every rank has kept for what it asks for, one bit for each
  // The most that any rank takes of the memory limit to stage its data, and whether any rank will make
  // another request for the same call. Then all ranks make one, if need be an empty one.
  int64_t staging_bytes = 0, more = 0;
  // Whether any rank has written for itself since the last meeting, on storage whose clients keep caches.
  int64_t wrote_alone = 0;
  // The first error of any rank: its kind (0: none), and the lowest rank that has one.
  int64_t error_kind = 0, error_rank = 0;
};
Digest combine(const Digest& a, const Digest& b);

// The file range of a call in 256 equal parts: how many bytes asked for lie in each, and the tightest
// interval that holds them.
inline constexpr int bucket_count = 256;
struct Bucket {
  int64_t first = INT64_MAX, end = INT64_MIN, bytes = 0;
};
Bucket combine(const Bucket& a, const Bucket& b);
// Border i of the buckets of [first, end), 0 <= i <= bucket_count.
int64_t bucket_border(int64_t first, int64_t end, int i);

struct NodeFacts {
  int64_t ranks = 1;
  int64_t free_bytes = INT64_MAX;  // the smaller of MemAvailable and of what the node's cgroup leaves
  std::vector<int> candidates;     // ranks that may aggregate, in order of preference; never empty
  // A few intervals, ascending and disjoint, that hold all bytes that this node's ranks ask for. If this was
  // not gathered, no node has any.
  std::vector<pattern::Interval> spans;
  int64_t bytes = 0;
};
// The most intervals and candidates that one node tells the others.
inline constexpr int most_node_spans = 32;
inline constexpr int most_candidates = 8;

struct Aggregator {
  int rank;
  int node;  // index into Facts::nodes
};

// How file bytes are divided into file realms; the rows are in plan/layout/realms.cpp.
enum class RealmPolicy : int32_t { automatic, even, aligned, persistent, cyclic, balanced, tree, user };

// File realms that belong to the file and not to one call: they stay the same as long as the file is open, so
// that a byte always goes through the same aggregator (persistent file realms: Coloma et al., "A New Flexible
// MPI Collective I/O Implementation", section 5.2). Together they own every byte exactly once.
struct FixedRealms {
  std::vector<pattern::Access> owned;  // monotone; one a realm
  // One for each realm; empty if the user has given the realms and no call has run yet.
  std::vector<Aggregator> aggregators;
  int64_t alignment = 1;    // borders between realms are multiples of it
  int64_t piece_bytes = 1;  // no piece of any realm is shorter, except the first of the file
  RealmPolicy policy = RealmPolicy::persistent;  // the policy that made them
};

struct StorageFacts {
  enum class Kind : int32_t { local, memory, network, parallel, unknown } kind = Kind::unknown;
  int64_t block_bytes = 4096;
  int64_t stripe_bytes = 0;  // 0: not striped
  int64_t stripe_targets = 0;
  // What it takes to get a stripe's lock from another node that wrote in the stripe; 0: stripes have no
  // locks.
  int64_t revoke_ns = 0;
  // How long an open keeps the server busy that opens files for all clients; 0: there is none, as far as is
  // known.
  int64_t open_ns = 0;
  // Whether requests reach the device one by one without a page cache in between, as in the models of
  // devices.
  int64_t uncached = 0;
  int64_t rotational = 0;  // a local device that seeks
  // As measured; 0: not known.
  int64_t aggregators_per_node = 0;  // N_ah: more aggregators on a node gain little
  int64_t memory_min_bytes = 0;      // Mem_min: what a host should have for an aggregator
};

// How aggregators are placed; the rows are in plan/layout/placement.h.
enum class Placement : int32_t { memory, spread, first };

// In which form data travel between nodes; see ExchangeStrategy in plan/layout/layout.h.
enum class ExchangeWish : int32_t { automatic, descriptions, images, alltoallw };

// The user's wishes; 0 and automatic leave the choice to the plan. N_ah, Msg_group, Msg_ind and Mem_min are
// parameters of memory-conscious collective I/O.
struct Wishes {
  int64_t window_bytes = 0;                         // cb_buffer_size
  int64_t aggregators = 0;                          // cb_nodes
  int64_t aggregators_per_node = 0;                 // cb_config_list, concilio_aggregators_per_node: N_ah
  int64_t alignment_bytes = 0;                      // romio_cb_fr_alignment
  Choice3 alltoallw = Choice3::automatic;           // romio_cb_alltoall
  ExchangeWish exchange = ExchangeWish::automatic;  // concilio_exchange
  int64_t combine_nodes = 0;                        // concilio_combine_nodes
  RealmPolicy realms = RealmPolicy::automatic;      // concilio_realms, romio_cb_pfr, romio_cb_fr_types
  int64_t realm_block_bytes = 0;            // romio_cb_fr_types: blocks of cyclic and persistent realms
  Placement placement = Placement::memory;  // concilio_placement
  bool groups = true;                       // concilio_groups
  bool pipelining = true;                   // concilio_pipelining
  int64_t write_behind_bytes = 0;           // concilio_write_behind
  int64_t group_bytes = 4 << 20;            // concilio_group_bytes, Msg_group
  int64_t domain_bytes = 1 << 20;           // concilio_domain_bytes, Msg_ind
  int64_t memory_min_bytes = 0;             // concilio_memory_min, Mem_min
  int64_t memory_limit_bytes = 8 << 20;     // for one rank
  // concilio_node_memory: the available memory of the nodes, in place of what they measure; node i has entry
  // i modulo the length of the list. It is used where facts are gathered.
  std::vector<int64_t> node_memory_bytes{};
  int64_t sieve_buffer_bytes = 0;           // ind_rd_buffer_size or ind_wr_buffer_size
  Choice3 collective = Choice3::automatic;  // romio_cb_read or romio_cb_write
  Choice3 sieving = Choice3::automatic;     // romio_ds_read or romio_ds_write
  bool no_independent = false;              // romio_no_indep_rw
  int32_t forced_method = -1;               // concilio_method: a Method, or -1
};

struct Prices;  // plan/facts/prices.h

// Settings of two-phase I/O that are tried beside the usual ones, see plan/choose/cheapest_layout.h; 0: the
// usual one. Unlike wishes, they give way if memory or the call requires it.
struct Trial {
  int64_t aggregators_per_node = 0;
  int64_t memory_min_bytes = 0;
  int64_t window_bytes = 0;
  RealmPolicy realms = RealmPolicy::automatic;
  bool one_group = false;  // of all nodes
  // Nodes whose data lie in the same stripe are in the same group.
  bool whole_stripes = false;
  bool by_memory = false;  // hosts with more memory get more of the file
  // Every realm begins with its first window, see plan/layout/stagger.h.
  bool from_front = false;

  bool operator==(const Trial&) const = default;
};

struct Facts {
  Operation operation = Operation::write;
  bool collective = true;  // false: one rank alone, with its own Digest; two_phase is not legal
  bool locks_work = true;  // sieving writes need locks
  // Others may be writing between the ranks' bytes, which must then not be rewritten.
  bool others_write = false;
  bool atomic = false;   // MPI atomic mode
  bool may_map = false;  // ranks can map the file for this operation
  int64_t cores_per_node = 1;
  Digest digest;
  std::vector<Bucket> buckets;  // bucket_count of them, or none if they were not gathered
  std::vector<NodeFacts> nodes;
  StorageFacts storage;
  // Realms made by an earlier call of the same open, with the policy of that time; and realms given by the
  // user, which are kept while another policy is used.
  std::shared_ptr<const FixedRealms> fixed, given;
  Wishes wishes;
  Trial trial;
  std::shared_ptr<const Prices> prices;  // measured prices; null: the built-in ones for this kind of storage
  Experience experience;
};

// The ranks of the fullest node; at least 1.
int64_t most_ranks_of_node(const Facts& facts);

}  // namespace concilio::plan
