#include "scorpio/cells/box.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <random>
#include <set>

namespace concilio::scorpio::box_test {
namespace {

using Extents = std::vector<int64_t>;
using Cells = std::set<Extents>;

// Compares cell by cell.
Cells cells_of(const Box& box) {
  Cells cells;
  if (std::any_of(box.count.begin(), box.count.end(), [](int64_t n) { return n <= 0; })) return cells;
  Extents at = box.start;
  while (true) {
    cells.insert(at);
    size_t d = at.size();
    while (d > 0 && ++at[d - 1] == box.start[d - 1] + box.count[d - 1]) {
      at[d - 1] = box.start[d - 1];
      --d;
    }
    if (d == 0) return cells;
  }
}

Cells cells_of(const std::vector<Box>& boxes) {
  Cells cells;
  for (const Box& box : boxes) cells.merge(cells_of(box));
  return cells;
}

int64_t sum_of_cells(const std::vector<Box>& boxes) {
  int64_t sum = 0;
  for (const Box& box : boxes) sum += std::ssize(cells_of(box));
  return sum;
}

// The same cells, none of them twice.
void expect_tiles(const std::vector<Box>& boxes, const Cells& cells) {
  EXPECT_EQ(cells_of(boxes), cells);
  EXPECT_EQ(sum_of_cells(boxes), std::ssize(cells));
  for (const Box& box : boxes) EXPECT_FALSE(box.empty());
}

Cells minus(Cells a, const Cells& b) {
  for (const Extents& cell : b) a.erase(cell);
  return a;
}

class Generator {
 public:
  explicit Generator(unsigned seed) : engine_(seed) {}

  int64_t between(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(engine_);
  }
  Extents extents(size_t ndims) {
    Extents out;
    for (size_t d = 0; d < ndims; ++d) out.push_back(between(1, ndims < 3 ? 9 : 5));
    return out;
  }
  Box box_in(const Extents& room, bool may_be_empty) {
    Box box;
    for (int64_t extent : room) {
      box.start.push_back(between(0, extent - 1));
      box.count.push_back(between(may_be_empty && between(1, 8) == 1 ? 0 : 1, extent - box.start.back()));
    }
    return box;
  }
  std::vector<Box> boxes_in(const Extents& room, bool may_be_empty) {
    std::vector<Box> boxes;
    for (int64_t i = between(0, 7); i > 0; --i) boxes.push_back(box_in(room, may_be_empty));
    return boxes;
  }

 private:
  std::mt19937 engine_;
};

constexpr unsigned rounds = 1500;

TEST(Boxes, TwoOfThemMeetAndDifferAsTheirCellsDo) {
  for (unsigned seed = 0; seed < rounds; ++seed) {
    SCOPED_TRACE(seed);
    Generator random(seed);
    const Extents room = random.extents(1 + seed % 4);
    const Box a = random.box_in(room, true), b = random.box_in(room, true);
    const Cells in_a = cells_of(a), in_b = cells_of(b);
    const Cells in_both = minus(in_a, minus(in_a, in_b));
    EXPECT_EQ(cells_of(intersection(a, b)), in_both);
    EXPECT_EQ(intersection(a, b).empty(), in_both.empty());
    EXPECT_EQ(meet(a, b), !in_both.empty());
    EXPECT_EQ(a.cells(), std::ssize(in_a));
    if (!a.empty()) {
      expect_tiles(difference(a, b), minus(in_a, in_b));
      EXPECT_LE(difference(a, b).size(), 2 * room.size());
    }
    if (!a.empty() && !b.empty()) {
      const Cells bounds = cells_of(bounding_box({a, b}));
      EXPECT_TRUE(minus(in_a, bounds).empty() && minus(in_b, bounds).empty());
      EXPECT_EQ(a.contains(b), minus(in_b, in_a).empty());
    }
  }
}

TEST(Boxes, WithoutHolesTheRestIsLeft) {
  for (unsigned seed = 0; seed < rounds; ++seed) {
    SCOPED_TRACE(seed);
    Generator random(seed);
    const Extents room = random.extents(1 + seed % 4);
    const Box box = random.box_in(room, false);
    const std::vector<Box> holes = random.boxes_in(room, true);
    expect_tiles(without({box}, holes), minus(cells_of(box), cells_of(holes)));
  }
}

TEST(Boxes, ConsolidatedAreDisjointAndNoMoreThanNeeded) {
  for (unsigned seed = 0; seed < rounds; ++seed) {
    SCOPED_TRACE(seed);
    Generator random(seed);
    const Extents room = random.extents(1 + seed % 4);
    const std::vector<Box> boxes = random.boxes_in(room, true);
    const std::vector<Box> found = consolidated(boxes);
    expect_tiles(found, cells_of(boxes));
    // No two of them can be joined.
    for (const Box& a : found) {
      for (const Box& b : found) {
        if (a == b) continue;
        EXPECT_NE(bounding_box({a, b}).cells(), a.cells() + b.cells());
      }
    }
  }
}

// Blocks of ranks that tile a box, however it is cut, become one write.
TEST(Boxes, GridsOfBlocksConsolidateToOneBox) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    Generator random(seed);
    Extents room = random.extents(1 + seed % 4);
    std::vector<std::vector<int64_t>> cuts;
    for (int64_t& extent : room) {
      std::set<int64_t> here = {0, extent};
      for (int64_t i = random.between(0, 3); i > 0; --i) here.insert(random.between(0, extent));
      cuts.emplace_back(here.begin(), here.end());
    }
    std::vector<Box> boxes = {Box{{}, {}}};
    for (const auto& here : cuts) {
      std::vector<Box> longer;
      for (const Box& box : boxes) {
        for (size_t i = 0; i + 1 < here.size(); ++i) {
          longer.push_back(box);
          longer.back().start.push_back(here[i]);
          longer.back().count.push_back(here[i + 1] - here[i]);
        }
      }
      boxes = longer;
    }
    std::shuffle(boxes.begin(), boxes.end(), std::mt19937(seed));
    EXPECT_EQ(consolidated(boxes), std::vector<Box>{Box::whole(room)});
  }
}

TEST(Boxes, WhereBlocksOverlapTheLaterKeepsTheCell) {
  for (unsigned seed = 0; seed < rounds; ++seed) {
    SCOPED_TRACE(seed);
    Generator random(seed);
    const Extents room = random.extents(1 + seed % 4);
    const std::vector<Box> blocks = random.boxes_in(room, true);
    std::map<Extents, size_t> owner;
    for (size_t i = 0; i < blocks.size(); ++i) {
      for (const Extents& cell : cells_of(blocks[i])) owner[cell] = i;
    }
    const auto kept = without_later(blocks);
    ASSERT_EQ(kept.size(), blocks.size());
    for (size_t i = 0; i < blocks.size(); ++i) {
      Cells expected;
      for (const auto& [cell, rank] : owner) {
        if (rank == i) expected.insert(cell);
      }
      expect_tiles(kept[i], expected);
    }
  }
}

TEST(Slabs, MoveEveryCellOnceInWindowsNoLargerThanAllowed) {
  for (unsigned seed = 0; seed < rounds; ++seed) {
    SCOPED_TRACE(seed);
    Generator random(seed);
    const Extents room = random.extents(1 + seed % 4);
    const std::vector<Box> boxes = consolidated(random.boxes_in(room, true));
    const int64_t most = random.between(1, random.between(1, 40));
    const Extents granule = seed % 3 ? Extents{} : random.extents(room.size());
    std::vector<Box> moved;
    for (const Slab& slab : slabs_of(boxes, most, granule)) {
      EXPECT_LE(slab.window.cells(), most);
      EXPECT_FALSE(slab.boxes.empty());
      for (const Box& box : slab.boxes) {
        EXPECT_TRUE(slab.window.contains(box));
        moved.push_back(box);
      }
    }
    expect_tiles(moved, cells_of(boxes));
  }
}

TEST(Slabs, AreAsFewAsTheirSizeAllows) {
  const Box whole = Box::whole({100, 10});
  EXPECT_EQ(slabs_of({whole}, 1000, {}).size(), 1u);
  EXPECT_EQ(slabs_of({whole}, 999, {}).size(), 2u);
  EXPECT_EQ(slabs_of({whole}, 100, {}).size(), 10u);
  EXPECT_EQ(slabs_of({whole}, 1, {}).size(), 1000u);
  // Small boxes near each other share one window.
  std::vector<Box> columns;
  for (int64_t i = 0; i < 10; i += 2) columns.push_back({{0, i}, {100, 1}});
  EXPECT_EQ(slabs_of(columns, 1000, {}).size(), 1u);
  // Small boxes far from each other have a window each.
  EXPECT_EQ(slabs_of({{{0, 0}, {1, 2}}, {{99, 8}, {1, 2}}}, 4, {}).size(), 2u);
}

TEST(Slabs, OfChunkedDatasetsEndWhereChunksEndIfAnyDoes) {
  for (unsigned seed = 0; seed < 500; ++seed) {
    SCOPED_TRACE(seed);
    Generator random(seed);
    const int64_t extent = random.between(1, 200), most = random.between(1, 60),
                  granule = random.between(1, 70);
    const Box box = {{random.between(0, 50)}, {extent}};
    for (const Slab& slab : slabs_of({box}, most, {granule})) {
      const int64_t start = slab.window.start[0], end = slab.window.end(0);
      if (end == box.end(0) || end % granule == 0) continue;
      EXPECT_LE((start + most) / granule * granule, start) << "a chunk ends in between";
    }
  }
}

TEST(Boxes, OfMoreCellsThanCanBeCountedSaturate) {
  const int64_t very_many = std::numeric_limits<int64_t>::max();
  const Box huge = Box::whole({int64_t{1} << 40, int64_t{1} << 40});
  EXPECT_EQ(huge.cells(), very_many);
  EXPECT_EQ((Box{{5, 5}, {very_many, 0}}.cells()), 0);
}

TEST(Boxes, ContainNoneWhoseEndOverflows) {
  const int64_t very_many = std::numeric_limits<int64_t>::max();
  const Box whole = Box::whole({10, 4});
  EXPECT_FALSE(whole.contains({{0, very_many - 1}, {1, 4}}));
  EXPECT_FALSE(whole.contains({{5, 0}, {very_many, 4}}));
  EXPECT_FALSE(whole.contains({{very_many, very_many}, {very_many, very_many}}));
  EXPECT_TRUE(whole.contains({{9, 3}, {1, 1}}));
}

TEST(Boxes, AreContiguousIfTheirCellsFollowEachOther) {
  for (unsigned seed = 0; seed < rounds; ++seed) {
    SCOPED_TRACE(seed);
    Generator random(seed);
    const Extents room = random.extents(1 + seed % 4);
    const Box box = random.box_in(room, false);
    std::vector<int64_t> places;
    for (const Extents& cell : cells_of(box)) {
      int64_t place = 0;
      for (size_t d = 0; d < room.size(); ++d) place = place * room[d] + cell[d];
      places.push_back(place);
    }
    EXPECT_EQ(contiguous_in(box, room), places.back() - places.front() + 1 == std::ssize(places));
  }
}

}  // namespace
}  // namespace concilio::scorpio::box_test
