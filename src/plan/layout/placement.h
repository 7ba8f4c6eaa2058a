// Placement: which rank aggregates a realm. The rows of the table:
//
//   memory  the host with most available memory among those whose data lie in the realm, if it has enough for
//           one aggregator more (memory-conscious collective I/O, section 3.3)
//   spread  as far apart among the hosts as they go
//   first   the first hosts, as ROMIO does
//
// A host takes on at most as many aggregators as aggregators_per_node() says (N_ah of that paper).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "plan/facts/facts.h"

namespace concilio {

// How many aggregators a node takes on in a group of `nodes` nodes.
int64_t aggregators_per_node(const Facts& facts, const NodeFacts& node, size_t nodes);

// The hosts of one aggregation group and what they have taken on so far.
class Hosts {
 public:
  // nodes: indices into facts.nodes. Facts must outlive this. all_candidates: of a node every candidate may
  // aggregate, however few are asked for.
  Hosts(const Facts& facts, std::span<const int> nodes, bool all_candidates);

  // How many aggregators they take on together; with `memory`, those alone that have memory for them.
  int64_t most(bool with_memory) const;
  // The host with most memory among those with data in `bytes`, where it has enough; nothing if there is
  // none.
  std::optional<Aggregator> with_most_memory(std::span<const Interval> bytes);
  // The same where it must be somebody: of those with data and too little memory, else of all that have
  // room, else nobody.
  std::optional<Aggregator> best_of_all(std::span<const Interval> bytes);
  // One aggregator of the host at index `i` of the group; nothing if it has taken on all it may.
  std::optional<Aggregator> on(size_t i);
  size_t size() const { return hosts_.size(); }

 private:
  struct Host {
    int node;
    std::vector<int> candidates;  // each rank once
    int64_t taken = 0;
    std::span<const Interval> spans;
    int64_t free_bytes;
  };
  bool fits_one_more(const Host& host) const;
  bool has_data_in(const Host& host, std::span<const Interval> bytes) const;
  template <typename Suits>
  std::optional<Aggregator> richest(Suits&& suits);

  const Facts& facts_;
  bool knows_data_ = false;    // where the hosts' data lie
  bool anybody_fits_ = false;  // some host has memory for an aggregator; if none has, it is no criterion
  std::vector<Host> hosts_;    // by available memory, most first, then by index
  std::vector<size_t> by_index_;
  size_t first_with_room_ = 0;  // hosts_ before it are full
};

struct PlacementRow {
  Placement placement;
  const char* name;
  const char* summary;
  bool by_memory;  // hosts short of memory take on nothing, and the partition tree merges their portions
  // An aggregator for each of `realms`, the file bytes of one each; fewer where the hosts are full.
  std::vector<Aggregator> (*place)(Hosts& hosts, std::span<const std::vector<Interval>> realms);
};
std::span<const PlacementRow> placement_rows();  // in the order of Placement
const PlacementRow& placement_row(Placement placement);

}  // namespace concilio
