#include "scorpio/cells/box.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "base/checked.h"

namespace concilio::scorpio {
namespace {

constexpr int64_t very_many = std::numeric_limits<int64_t>::max();

// Joins boxes that touch along dimension d and are the same in all other dimensions. Returns whether there
// were any.
bool join_along(size_t d, std::vector<Box>& boxes) {
  const auto others_before = [d](const Box& a, const Box& b) {
    for (size_t i = 0; i < a.ndims(); ++i) {
      if (i == d) continue;
      if (a.start[i] != b.start[i]) return a.start[i] < b.start[i];
      if (a.count[i] != b.count[i]) return a.count[i] < b.count[i];
    }
    return a.start[d] < b.start[d];
  };
  const auto continues = [d](const Box& a, const Box& b) {
    for (size_t i = 0; i < a.ndims(); ++i) {
      if (i != d && (a.start[i] != b.start[i] || a.count[i] != b.count[i])) return false;
    }
    return a.end(d) == b.start[d];
  };
  std::sort(boxes.begin(), boxes.end(), others_before);
  size_t kept = 0;
  for (size_t i = 1; i < boxes.size(); ++i) {
    if (continues(boxes[kept], boxes[i])) {
      boxes[kept].count[d] += boxes[i].count[d];
    } else if (++kept != i) {
      boxes[kept] = std::move(boxes[i]);
    }
  }
  const bool joined = !boxes.empty() && kept + 1 < boxes.size();
  if (joined) boxes.resize(kept + 1);
  return joined;
}

void join_neighbours(std::vector<Box>& boxes) {
  if (boxes.empty()) return;
  bool joined = true;
  while (joined && boxes.size() > 1) {
    joined = false;
    for (size_t d = boxes.front().ndims(); d-- > 0;) joined |= join_along(d, boxes);
  }
}

bool by_first_dimension(const Box& a, const Box& b) {
  return a.start < b.start;
}

// Returns disjoint boxes with the cells of `boxes`, none of which is empty.
std::vector<Box> made_disjoint(std::vector<Box> boxes) {
  std::sort(boxes.begin(), boxes.end(), by_first_dimension);
  std::vector<Box> out;
  std::vector<size_t> open;  // boxes of `out` that reach as far as the next box begins
  for (Box& box : boxes) {
    std::erase_if(open, [&](size_t i) { return out[i].end(0) <= box.start[0]; });
    std::vector<Box> met;
    for (const size_t i : open) {
      if (meet(out[i], box)) met.push_back(out[i]);
    }
    for (Box& rest : without({std::move(box)}, met)) {
      open.push_back(out.size());
      out.push_back(std::move(rest));
    }
  }
  return out;
}

// The extents of the windows that a box is cut into: one cell along each dimension before `cut`, `thickness`
// cells along `cut`, and the whole box along all dimensions after it.
struct Shape {
  size_t cut;
  int64_t thickness;
};

Shape shape_of(const Box& box, int64_t most_cells) {
  int64_t behind = 1;
  for (size_t d = box.ndims(); d-- > 0;) {
    const auto cells = checked_multiply(behind, box.count[d]);
    if (!cells || *cells > most_cells) return {d, std::max<int64_t>(1, most_cells / behind)};
    behind = *cells;
  }
  return {0, box.count.empty() ? 1 : box.count[0]};
}

// Returns the windows that `box` is cut into.
std::vector<Box> cut(const Box& box, int64_t most_cells, const std::vector<int64_t>& granule) {
  const Shape shape = shape_of(box, most_cells);
  std::vector<Box> out;
  Box window = box;
  for (size_t d = 0; d < shape.cut; ++d) window.count[d] = 1;
  const size_t c = shape.cut;
  while (true) {
    for (int64_t at = box.start[c]; at < box.end(c);) {
      int64_t end = std::min(box.end(c), at + shape.thickness);
      if (!granule.empty() && end < box.end(c)) {
        const int64_t even = end / granule[c] * granule[c];
        if (even > at) end = even;
      }
      window.start[c] = at;
      window.count[c] = end - at;
      out.push_back(window);
      at = end;
    }
    size_t d = c;
    while (d > 0 && ++window.start[d - 1] == box.end(d - 1)) {
      window.start[d - 1] = box.start[d - 1];
      --d;
    }
    if (d == 0) return out;
  }
}

int64_t windows_of(const Box& box, int64_t most_cells) {
  const Shape shape = shape_of(box, most_cells);
  int64_t count = ceil_divide(box.count[shape.cut], shape.thickness);
  for (size_t d = 0; d < shape.cut; ++d) {
    const auto more = checked_multiply(count, box.count[d]);
    if (!more) return very_many;
    count = *more;
  }
  return count;
}

}  // namespace

bool Box::empty() const {
  return std::any_of(count.begin(), count.end(), [](int64_t n) { return n <= 0; });
}

int64_t Box::cells() const {
  if (empty()) return 0;
  int64_t cells = 1;
  for (const int64_t n : count) {
    const auto more = checked_multiply(cells, n);
    if (!more) return very_many;
    cells = *more;
  }
  return cells;
}

bool Box::contains(const Box& other) const {
  for (size_t d = 0; d < ndims(); ++d) {
    // The caller's numbers are not added, since the sum may overflow.
    if (other.start[d] < start[d] || other.count[d] > count[d]) return false;
    if (other.start[d] - start[d] > count[d] - other.count[d]) return false;
  }
  return true;
}

Box intersection(const Box& a, const Box& b) {
  Box out = a;
  for (size_t d = 0; d < a.ndims(); ++d) {
    out.start[d] = std::max(a.start[d], b.start[d]);
    out.count[d] = std::max<int64_t>(0, std::min(a.end(d), b.end(d)) - out.start[d]);
  }
  return out;
}

bool meet(const Box& a, const Box& b) {
  for (size_t d = 0; d < a.ndims(); ++d) {
    if (a.start[d] >= b.end(d) || b.start[d] >= a.end(d) || a.count[d] <= 0 || b.count[d] <= 0) return false;
  }
  return true;
}

bool any_meet(const std::vector<Box>& boxes) {
  std::vector<size_t> order(boxes.size()), open;  // open: boxes that reach as far as the next begins
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return boxes[a].start < boxes[b].start; });
  for (const size_t i : order) {
    if (boxes[i].empty()) continue;
    std::erase_if(open, [&](size_t j) { return boxes[j].end(0) <= boxes[i].start[0]; });
    if (std::any_of(open.begin(), open.end(), [&](size_t j) { return meet(boxes[i], boxes[j]); }))
      return true;
    open.push_back(i);
  }
  return false;
}

Box bounding_box(const std::vector<Box>& boxes) {
  Box out = boxes.front();
  for (const Box& box : boxes) {
    for (size_t d = 0; d < out.ndims(); ++d) {
      const int64_t end = std::max(out.end(d), box.end(d));
      out.start[d] = std::min(out.start[d], box.start[d]);
      out.count[d] = end - out.start[d];
    }
  }
  return out;
}

std::vector<Box> difference(const Box& a, const Box& b) {
  if (!meet(a, b)) return {a};
  std::vector<Box> out;
  // This cuts off the parts of a that lie before and behind b, dimension by dimension. What is left lies
  // within b.
  Box rest = a;
  for (size_t d = 0; d < a.ndims(); ++d) {
    if (rest.start[d] < b.start[d]) {
      Box before = rest;
      before.count[d] = b.start[d] - rest.start[d];
      out.push_back(before);
    }
    if (rest.end(d) > b.end(d)) {
      Box behind = rest;
      behind.start[d] = b.end(d);
      behind.count[d] = rest.end(d) - b.end(d);
      out.push_back(behind);
    }
    const int64_t end = std::min(rest.end(d), b.end(d));
    rest.start[d] = std::max(rest.start[d], b.start[d]);
    rest.count[d] = end - rest.start[d];
  }
  return out;
}

std::vector<Box> without(std::vector<Box> boxes, const std::vector<Box>& holes) {
  for (const Box& hole : holes) {
    std::vector<Box> left;
    for (Box& box : boxes) {
      if (!meet(box, hole)) {
        left.push_back(std::move(box));
        continue;
      }
      for (Box& part : difference(box, hole)) left.push_back(std::move(part));
    }
    boxes = std::move(left);
  }
  return boxes;
}

std::vector<Box> consolidated(const std::vector<Box>& boxes) {
  std::vector<Box> out;
  for (const Box& box : boxes) {
    if (!box.empty()) out.push_back(box);
  }
  out = made_disjoint(std::move(out));
  join_neighbours(out);
  std::sort(out.begin(), out.end(), by_first_dimension);
  return out;
}

std::vector<std::vector<Box>> without_later(const std::vector<Box>& blocks) {
  std::vector<std::vector<Box>> out(blocks.size());
  std::vector<size_t> order;
  for (size_t i = 0; i < blocks.size(); ++i) {
    if (blocks[i].empty()) continue;
    out[i] = {blocks[i]};
    order.push_back(i);
  }
  std::sort(order.begin(), order.end(),
            [&](size_t a, size_t b) { return blocks[a].start < blocks[b].start; });
  std::vector<size_t> open;  // blocks that reach as far as the next one begins
  for (const size_t i : order) {
    std::erase_if(open, [&](size_t j) { return blocks[j].end(0) <= blocks[i].start[0]; });
    for (const size_t j : open) {
      if (!meet(blocks[i], blocks[j])) continue;
      const size_t earlier = std::min(i, j), later = std::max(i, j);
      out[earlier] = without(std::move(out[earlier]), {blocks[later]});
    }
    open.push_back(i);
  }
  return out;
}

std::vector<Slab> slabs_of(const std::vector<Box>& boxes, int64_t most_cells,
                           const std::vector<int64_t>& granule) {
  std::vector<Slab> out;
  if (boxes.empty()) return out;
  int64_t by_box = 0;
  for (const Box& box : boxes) {
    by_box += std::min(windows_of(box, most_cells), very_many - by_box);
  }
  const Box bounds = bounding_box(boxes);
  if (by_box <= windows_of(bounds, most_cells)) return cut_boxes(boxes, most_cells, granule);
  for (Box& window : cut(bounds, most_cells, granule)) {
    Slab slab{std::move(window), {}};
    for (const Box& box : boxes) {
      if (meet(box, slab.window)) slab.boxes.push_back(intersection(box, slab.window));
    }
    if (!slab.boxes.empty()) out.push_back(std::move(slab));
  }
  return out;
}

std::vector<Slab> cut_boxes(const std::vector<Box>& boxes, int64_t most_cells,
                            const std::vector<int64_t>& granule) {
  std::vector<Slab> out;
  for (const Box& box : boxes) {
    for (Box& window : cut(box, most_cells, granule)) out.push_back({window, {window}});
  }
  return out;
}

bool contiguous_in(const Box& box, const std::vector<int64_t>& extents) {
  bool whole_behind = true;  // the box covers all dimensions after d wholly
  for (size_t d = box.ndims(); d-- > 0;) {
    if (!whole_behind && box.count[d] > 1) return false;
    if (box.count[d] != extents[d]) whole_behind = false;
  }
  return true;
}

}  // namespace concilio::scorpio
