// How much of a window the ranks of each node ask for.
//
// Nodes tell each other in which stretches of the file their data lie, and how many bytes there are. These
// count as spread evenly over the stretches. So in some windows lie data of few nodes and in others of many,
// as where an array is decomposed into blocks.
#pragma once

#include <span>
#include <vector>

#include "plan/layout/layout.h"
#include "plan/layout/span_index.h"

namespace concilio::plan {

class Shares {
 public:
  // The part of a node, or of all nodes of a group but the aggregator's.
  struct Share {
    int node;  // all_others: of all
    double bytes;
  };
  static constexpr int all_others = -1;

  // Both must outlive this.
  Shares(const Facts& facts, const Layout& layout);
  // Whether groups have so many nodes that other nodes than the aggregator's are told together.
  bool others_together() const { return others_together_; }
  // The shares of a realm's window, which consists of these stretches: first that of the aggregator's node.
  // Together they are as many bytes as the window has.
  void of_window(const Realm& realm, std::span<const pattern::Interval> stretches, std::vector<Share>& into);

 private:
  struct Stretch {
    pattern::Interval file;
    int node;
    double density;
  };
  void add(const Realm& realm, pattern::Interval part);
  bool is_in_group(int node, int group) const {
    return layout_.group_of_node.empty() || layout_.group_of_node[static_cast<size_t>(node)] == group;
  }

  const Facts& facts_;
  const Layout& layout_;
  bool others_together_;
  std::vector<Stretch> stretches_;  // of all nodes; none if they are not known
  SpanIndex index_;                 // of stretches_, if nodes are told one by one
  std::vector<size_t> first_of_;    // by node: its first stretch
  std::vector<double> bytes_of_;    // by node, of the present window
  std::vector<int> found_;          // nodes that have some
};

}  // namespace concilio::plan
