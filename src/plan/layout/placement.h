// Placement: which rank aggregates a realm. The rows of the table:
//
//   memory  the host with most available memory among those whose data lie in the realm, if it has enough for
//           one aggregator more (memory-conscious collective I/O, section 3.3)
//   spread  as far apart among the hosts as they go
//   first   the first hosts, as ROMIO does
//
// A host takes on at most aggregators_per_node() aggregators (N_ah of that paper).
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "plan/facts/facts.h"
#include "plan/layout/span_index.h"

namespace concilio::plan {

// Whether one aggregator is as fast as several, or faster: Linux lets one write to a file at a time, and on
// tmpfs those that wait for it hinder the one that makes new pages. Two took 1.5 to 1.7 times as long for
// them as one, and as long or a tenth longer to write over old ones. Windows with holes take more work than
// the writing, and several aggregators share it.
bool one_writes_for_all(const Facts& facts);
// How many aggregators a node takes on in a group of `nodes` nodes.
int64_t aggregators_per_node(const Facts& facts, const NodeFacts& node, size_t nodes);

// The memory that a host must have for each aggregator: Mem_min. Without a wish it is what was measured, or
// so much that windows of 1 MiB fit, whose buffers take 5 to 8 MiB, into half of it. Less is tried where
// hosts have less.
inline constexpr int64_t usual_memory_min_bytes = 16 << 20, usual_window_bytes = 1 << 20;
int64_t usual_memory_min(const Facts& facts);
int64_t least_memory(const Facts& facts);
// The memory that a host must have so that its aggregator's windows are as long as is wished or tried.
int64_t memory_for_window(const Facts& facts);

// The hosts of one aggregation group, and which aggregators they have taken on so far.
class Hosts {
 public:
  // nodes: indices into facts.nodes. `facts` must outlive this. all_candidates: every candidate of a node may
  // aggregate, however few aggregators are asked for.
  Hosts(const Facts& facts, std::span<const int> nodes, bool all_candidates);

  // From now on an aggregator takes on up to this many portions, and not only one.
  void allow_portions(int64_t of_each);
  // From now on the hosts with most memory take on `count` portions or some more, with no more aggregators
  // than that, and in proportion to the memory of each, so that the windows of all aggregators come to an end
  // together. Memory beyond that of the windows that are wished or tried makes no difference.
  void allow_portions_by_memory(int64_t count, int64_t most_aggregators);

  // How many aggregators the hosts take on together; with_memory: counts only those that have memory for
  // them.
  int64_t most(bool with_memory) const;
  // An aggregator on the host with most memory among those that have data in `bytes`, if it has enough
  // memory; else nothing. goes_on: the one that was named last, if it may take on more and has data there.
  std::optional<Aggregator> with_most_memory(std::span<const pattern::Interval> bytes, bool goes_on = false);
  // The one that was named last, if it may take on more for the aggregator that it took on last.
  std::optional<Aggregator> that_goes_on();
  // The same as the first if some host must be found: among hosts with data but too little memory, else among
  // all that have room for an aggregator. Nothing if no host has room.
  std::optional<Aggregator> best_of_all(std::span<const pattern::Interval> bytes);
  // An aggregator on the host with index `i` in the group; nothing if that host has taken on all that it may.
  std::optional<Aggregator> on(size_t i);
  size_t size() const { return hosts_.size(); }

 private:
  struct Host {
    int node = 0;
    std::vector<int> candidates;  // each rank once
    int64_t taken = 0;            // portions
    int64_t of_each = 1;          // portions that each candidate may take on
    std::span<const pattern::Interval> spans;
    int64_t free_bytes = 0;
  };
  // Hosts that have room, in the order in which they are asked: those that have taken on least come first, so
  // that no host does the work of all, and of these the one with most memory.
  using Place = std::pair<int64_t, size_t>;  // what a host has taken on, and its index into hosts_
  using Order = std::set<Place>;
  bool is_full(const Host& host) const;
  bool fits_one_more(const Host& host) const;
  bool has_data_in(const Host& host, std::span<const pattern::Interval> bytes) const;
  void put_in_order();
  void enter(size_t i);
  const SpanIndex& spans();
  std::optional<Place> first_with_data(const Order& order, std::span<const pattern::Interval> bytes);
  std::optional<Aggregator> take_on(std::optional<size_t> host);

  const Facts& facts_;
  bool knows_data_ = false;    // it is known where the hosts' data lie
  bool anybody_fits_ = false;  // some host has memory for an aggregator; if none has, memory is no criterion
  std::vector<Host> hosts_;    // by available memory, most first, then by index
  std::vector<size_t> by_index_;
  bool in_order_ = false;       // the orders are up to date
  Order roomy_, short_;         // hosts that have memory for one more, and that have not
  SpanIndex spans_;             // of hosts_; made when it is first needed
  std::optional<size_t> last_;  // the host, in hosts_, that has taken on the last portion
};

struct PlacementRow {
  Placement placement;
  const char* name;
  const char* summary;
  bool by_memory;  // hosts short of memory take on nothing, and the partition tree merges their portions
  // Chooses an aggregator for each of `realms`, given by its file bytes; fewer if the hosts are full.
  std::vector<Aggregator> (*place)(Hosts& hosts, std::span<const std::vector<pattern::Interval>> realms);
};
std::span<const PlacementRow> placement_rows();  // in the order of Placement
const PlacementRow& placement_row(Placement placement);

}  // namespace concilio::plan
