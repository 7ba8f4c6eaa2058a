// Boxes of cells in n-dimensional arrays: what I/O groups make of their ranks' blocks. No MPI, no HDF5.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace concilio::scorpio {

// Cells start[d] <= i[d] < start[d] + count[d]; the slowest varying dimension comes first.
struct Box {
  std::vector<int64_t> start, count;

  static Box whole(const std::vector<int64_t>& extents) {
    return {std::vector<int64_t>(extents.size()), extents};
  }
  size_t ndims() const { return start.size(); }
  bool empty() const;
  int64_t cells() const;  // saturates
  int64_t end(size_t d) const { return start[d] + count[d]; }
  bool contains(const Box& other) const;
  bool operator==(const Box&) const = default;
};

// Empty (a count of 0) where they do not meet.
Box intersection(const Box& a, const Box& b);
bool meet(const Box& a, const Box& b);
// Whether any two of them do.
bool any_meet(const std::vector<Box>& boxes);
Box bounding_box(const std::vector<Box>& boxes);  // of at least one

// What of `a` is not in `b`: at most 2n disjoint boxes.
std::vector<Box> difference(const Box& a, const Box& b);
// What of `boxes` is not in any of `holes`.
std::vector<Box> without(std::vector<Box> boxes, const std::vector<Box>& holes);

// Disjoint boxes with the same cells; boxes may overlap and be empty. Neighbours that make one box together
// are joined, along the fastest dimension first, since that is what is contiguous in a file.
std::vector<Box> consolidated(const std::vector<Box>& boxes);

// For writes: what every rank's block keeps when, where blocks overlap, the later one wins. Disjoint.
std::vector<std::vector<Box>> without_later(const std::vector<Box>& blocks);

// A part of an array that one transfer moves: the cells of `boxes`, all within `window`.
struct Slab {
  Box window;
  std::vector<Box> boxes;
  bool full() const { return boxes.size() == 1 && boxes.front() == window; }
};

// Cuts disjoint boxes of an array into slabs whose windows have at most `most_cells` (>= 1) cells: pieces of
// single boxes, or of the bounding box, whichever gives fewer. Cuts lie at multiples of `granule` (extents of
// chunks; or empty), where that leaves windows of a granule or more.
std::vector<Slab> slabs_of(const std::vector<Box>& boxes, int64_t most_cells,
                           const std::vector<int64_t>& granule);

// The same, of single boxes only: all windows are full.
std::vector<Slab> cut_boxes(const std::vector<Box>& boxes, int64_t most_cells,
                            const std::vector<int64_t>& granule);

// Whether the box's cells follow each other without a gap in an array of these extents in C order.
bool contiguous_in(const Box& box, const std::vector<int64_t>& extents);

}  // namespace concilio::scorpio
