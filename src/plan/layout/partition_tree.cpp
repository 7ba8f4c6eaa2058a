#include "plan/layout/partition_tree.h"

#include <fmt/format.h>

#include "base/settings/config.h"
#include "base/text/bytes.h"

namespace concilio::plan {

PartitionTree::PartitionTree(const std::vector<int64_t>& borders) {
  root_ = split(borders, 0, borders.size() - 1, none);
}

// Makes the vertices of the portion from border `first` to border `last`.
int PartitionTree::split(const std::vector<int64_t>& borders, size_t first, size_t last, int parent) {
  const int made = static_cast<int>(vertices_.size());
  vertices_.push_back({{borders[first], borders[last]}, parent});
  if (last - first < 2) return made;
  const size_t middle = first + (last - first + 1) / 2;
  const int left = split(borders, first, middle, made);
  const int right = split(borders, middle, last, made);
  vertex(made).left = left;
  vertex(made).right = right;
  return made;
}

std::vector<int> PartitionTree::leaves() const {
  std::vector<int> out, open{root_};
  while (!open.empty()) {
    const int i = open.back();
    open.pop_back();
    if (vertex(i).is_leaf()) {
      out.push_back(i);
    } else {
      open.push_back(vertex(i).right);
      open.push_back(vertex(i).left);
    }
  }
  return out;
}

void PartitionTree::replace(int old, int by) {
  const int parent = vertex(old).parent;
  vertex(by).parent = parent;
  if (parent == none) {
    root_ = by;
  } else if (vertex(parent).left == old) {
    vertex(parent).left = by;
  } else {
    vertex(parent).right = by;
  }
}

int PartitionTree::take_over(int leaf) {
  const int parent = vertex(leaf).parent;
  const bool was_left = vertex(parent).left == leaf;
  const int sibling = was_left ? vertex(parent).right : vertex(parent).left;
  const pattern::Interval portion = vertex(leaf).file;
  replace(parent, sibling);
  // All vertices from the sibling down to the leaf that borders on the portion now include it. If the sibling
  // is a leaf, it is the only one.
  for (int i = sibling;;) {
    Vertex& heir = vertex(i);
    (was_left ? heir.file.begin : heir.file.end) = was_left ? portion.begin : portion.end;
    if (heir.is_leaf()) return i;
    i = was_left ? heir.left : heir.right;
  }
}

namespace {
// A tree with more leaves is drawn down to the depth at which a balanced tree has this many vertices.
constexpr size_t most_leaves_drawn = 32;
constexpr int depth_drawn = 4;
}  // namespace

int PartitionTree::leaves_below(int top) const {
  int leaves = 0;
  std::vector<int> open{top};
  while (!open.empty()) {
    const Vertex& here = vertex(open.back());
    open.pop_back();
    if (here.is_leaf()) {
      ++leaves;
    } else {
      open.push_back(here.left);
      open.push_back(here.right);
    }
  }
  return leaves;
}

std::string PartitionTree::text() const {
  std::string out;
  const bool whole = leaves().size() <= most_leaves_drawn;
  struct Open {
    int vertex;
    std::string indent;
    const char* branch;
    const char* below;
    int depth;
  };
  std::vector<Open> open{{root_, "", "", "", 0}};
  while (!open.empty()) {
    const Open at = open.back();
    open.pop_back();
    const Vertex& here = vertex(at.vertex);
    out += fmt::format("{}{}{}-{} ({})", at.indent, at.branch, here.file.begin, here.file.end,
                       format_bytes(here.file.length()));
    if (here.aggregator != none) out += fmt::format(": rank {} on node {}", here.aggregator, here.node);
    const bool cut = !whole && at.depth == depth_drawn && !here.is_leaf();
    if (cut) out += fmt::format(": {} portions", leaves_below(at.vertex));
    out += '\n';
    if (here.is_leaf() || cut) continue;
    const std::string indent = at.indent + at.below;
    open.push_back({here.right, indent, "`- ", "   ", at.depth + 1});
    open.push_back({here.left, indent, "|- ", "|  ", at.depth + 1});
  }
  return out;
}

}  // namespace concilio::plan
