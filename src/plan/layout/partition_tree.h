// The partition tree of memory-conscious collective I/O (section 3.2): the file region of an aggregation
// group divided by recursive bisection. A leaf is a portion of the region, for one aggregator; an inner
// vertex stood for a portion before it was split.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pattern/access.h"

namespace concilio {

class PartitionTree {
 public:
  static constexpr int none = -1;
  struct Vertex {
    Interval file;  // the portion
    int parent = none, left = none, right = none;
    int aggregator = none;  // rank, of a leaf that has one
    int node = none;
    bool is_leaf() const { return left == none; }
  };

  // Leaves between neighbouring `borders`: ascending, at least two.
  explicit PartitionTree(const std::vector<int64_t>& borders);

  int root() const { return root_; }
  const Vertex& vertex(int i) const { return vertices_[static_cast<size_t>(i)]; }
  Vertex& vertex(int i) { return vertices_[static_cast<size_t>(i)]; }
  std::vector<int> leaves() const;  // by offset

  // Remerging: the leaf leaves the tree, and its portion is taken over. If its sibling is a leaf, by that
  // one, in their parent's place (figure 5a); else by the leaf of the sibling's subtree that borders on it
  // (figure 5b). Returns the leaf that took over. Not for the only vertex.
  int take_over(int leaf);

  // Drawn with one line a vertex, indented. Of a tree with many leaves the upper part alone; how many leaves
  // lie below a vertex is said there.
  std::string text() const;

 private:
  int split(const std::vector<int64_t>& borders, size_t first, size_t last, int parent);
  void replace(int vertex, int by);
  int leaves_below(int vertex) const;
  std::vector<Vertex> vertices_;
  int root_ = 0;
};

}  // namespace concilio
