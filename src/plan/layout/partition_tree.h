// The partition tree of memory-conscious collective I/O (section 3.2): the file region of an aggregation
// group, divided by recursive bisection. A leaf is a portion of the region, for one aggregator; an inner
// vertex was a portion before it was split.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pattern/access.h"

namespace concilio::plan {

class PartitionTree {
 public:
  static constexpr int none = -1;
  struct Vertex {
    pattern::Interval file;  // the portion
    int parent = none, left = none, right = none;
    int aggregator = none;  // the rank that aggregates a leaf, if it has one
    int node = none;
    bool is_leaf() const { return left == none; }
  };

  // Makes a leaf between each two neighbouring `borders`, which ascend; there are at least two.
  explicit PartitionTree(const std::vector<int64_t>& borders);

  int root() const { return root_; }
  const Vertex& vertex(int i) const { return vertices_[static_cast<size_t>(i)]; }
  Vertex& vertex(int i) { return vertices_[static_cast<size_t>(i)]; }
  std::vector<int> leaves() const;  // ordered by file offset

  // Remerging: removes the leaf, and another leaf takes over its portion. If its sibling is a leaf, that one
  // takes over, in their parent's place (figure 5a); else the leaf of the sibling's subtree that borders on
  // the portion does (figure 5b). Returns the leaf that took over. Not for a tree with a single vertex.
  int take_over(int leaf);

  // The tree as text, one indented line for each vertex. Of a tree with many leaves only the upper part is
  // drawn, with the number of leaves below a vertex.
  std::string text() const;

 private:
  int split(const std::vector<int64_t>& borders, size_t first, size_t last, int parent);
  void replace(int vertex, int by);
  int leaves_below(int vertex) const;
  std::vector<Vertex> vertices_;
  int root_ = 0;
};

}  // namespace concilio::plan
