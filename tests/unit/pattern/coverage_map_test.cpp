#include "pattern/coverage_map.h"

#include <gtest/gtest.h>

#include "unit/pattern/naive_types.h"

namespace concilio::pattern::coverage_map_test {
namespace {

using naive::Generator;

std::vector<Interval> covered_of(const CoverageMap& map) {
  std::vector<Interval> found;
  for (const Interval stretch : map.covered()) found.push_back(stretch);
  return found;
}

// A map with guard bytes around it, and the window as a plain list of covered bytes.
struct MapCase {
  Interval window;
  Access::Granule granule;
  std::vector<std::uint8_t> memory;
  std::vector<bool> covered;
  CoverageMap map;
  static constexpr size_t guard = 16;

  MapCase(Interval window, Access::Granule granule)
      : window(window),
        granule(granule),
        memory(static_cast<size_t>(CoverageMap::bytes_needed(window.length(), granule.granule)) + 2 * guard,
               0xAA),
        covered(static_cast<size_t>(window.length())),
        map(memory.data() + guard, window, granule) {
    map.clear();
  }

  void cover(int64_t offset) { covered[static_cast<size_t>(offset - window.begin)] = true; }
  bool is_covered(int64_t offset) const { return covered[static_cast<size_t>(offset - window.begin)]; }

  std::vector<Interval> stretches() const {
    std::vector<Interval> found;
    for (int64_t offset = window.begin; offset < window.end; ++offset) {
      if (!is_covered(offset)) continue;
      if (found.empty() || found.back().end != offset) found.push_back({offset, offset});
      found.back().end = offset + 1;
    }
    return found;
  }

  void check() const {
    for (size_t i = 0; i < guard; ++i) {
      ASSERT_EQ(memory[i], 0xAA);
      ASSERT_EQ(memory[memory.size() - 1 - i], 0xAA);
    }
    ASSERT_EQ(map.full(), std::all_of(covered.begin(), covered.end(), [](bool c) { return c; }));
    ASSERT_EQ(map.summary().bytes, std::count(covered.begin(), covered.end(), true));
    const std::vector<Interval> expected = stretches();
    ASSERT_EQ(covered_of(map), expected);
    const CoverageMap::Summary summary = map.summary();
    ASSERT_EQ(summary.stretches, std::ssize(expected));
    if (expected.empty()) return;
    ASSERT_EQ(summary.range, (Interval{expected.front().begin, expected.back().end}));
    ASSERT_EQ(summary.last_begin, expected.back().begin);
    std::vector<std::byte> file(static_cast<size_t>(summary.range.length()), std::byte{1}),
        filled(file.size());
    map.fill_holes(summary, filled.data(), file.data());
    for (size_t i = 0; i < file.size(); ++i)
      ASSERT_EQ(filled[i] == std::byte{0}, is_covered(summary.range.begin + static_cast<int64_t>(i))) << i;
    std::vector<std::byte> copied(file.size());
    map.copy_covered(summary, copied.data(), file.data());
    for (size_t i = 0; i < file.size(); ++i) ASSERT_NE(copied[i], filled[i]) << i;
  }
};

TEST(CoverageMap, OfRandomAccessesInEveryWindow) {
  int checked = 0;
  for (uint64_t seed = 0; checked < 1500; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Generator generator(seed);
    naive::Type types[2];
    Access accesses[2];
    Interval data[2];
    int64_t displacements[2];
    Access::Granule granule;
    bool usable = true;
    int64_t low = 0, high = 0;
    for (int i = 0; i < 2; ++i) {
      types[i] = generator.make(static_cast<int>(seed % 4), true);
      displacements[i] = generator.pick(0, 20) * 8;
      accesses[i] = Access::of(types[i].type, displacements[i]);
      if (types[i].bytes.empty() || !accesses[i].monotone()) {
        usable = false;
        break;
      }
      data[i].begin = generator.pick(0, 50);
      data[i].end = data[i].begin + generator.pick(1, 700);
      granule = combine(granule, accesses[i].granule(data[i].begin, data[i].end));
      const Interval bounds = accesses[i].bounds(data[i].begin, data[i].end);
      low = i == 0 ? bounds.begin : std::min(low, bounds.begin);
      high = i == 0 ? bounds.end : std::max(high, bounds.end);
    }
    if (!usable || high - low > 100000) continue;
    ++checked;
    const int64_t begin = generator.pick(low - 10, high), window_bytes = generator.pick(1, 900);
    MapCase test(Interval{begin, begin + window_bytes}, granule);
    for (int i = 0; i < 2; ++i) {
      // The part of the data in the window, as an aggregator finds it.
      const int64_t first = std::max(data[i].begin, accesses[i].data_before(test.window.begin));
      const int64_t last = std::min(data[i].end, accesses[i].data_before(test.window.end));
      test.map.mark(accesses[i], first, last);
      for (int64_t p = first; p < last; ++p) test.cover(naive::offset_of(types[i], displacements[i], p));
    }
    test.check();
    if (HasFatalFailure()) return;
  }
}

TEST(CoverageMap, OfAWindowThatIsFilledPieceByPiece) {
  MapCase test(Interval{1000, 1000 + 64 * 100}, {64, 1000 % 64});
  const auto even = type_resized(type_bytes(64), 0, 128).value();
  const Access first = Access::of(even, 1000), second = Access::of(even, 1064);
  test.map.mark(first, 0, 64 * 50);
  EXPECT_FALSE(test.map.full());
  EXPECT_EQ(test.map.summary().bytes, 64 * 50);
  EXPECT_EQ(covered_of(test.map).size(), 50);
  EXPECT_EQ(covered_of(test.map)[1], (Interval{1128, 1192}));
  test.map.mark(second, 0, 64 * 49);
  EXPECT_EQ(covered_of(test.map), (std::vector{Interval{1000, 1000 + 64 * 99}}));
  test.map.mark(second, 64 * 49, 64 * 50);
  EXPECT_TRUE(test.map.full());
  EXPECT_EQ(covered_of(test.map), std::vector{test.window});
  test.map.clear();
  EXPECT_EQ(test.map.summary().bytes, 0);
}

TEST(CoverageMap, WithGranulesCutByBothBorders) {
  // The grid of 10 is anchored at 3: granules ..., [93, 103), [103, 113), [113, 123), ...
  MapCase test(Interval{100, 119}, {10, 3});
  test.map.mark(Interval{93, 103});
  for (int64_t o = 100; o < 103; ++o) test.cover(o);
  test.check();
  test.map.mark(Interval{113, 200});
  for (int64_t o = 113; o < 119; ++o) test.cover(o);
  test.check();
  test.map.mark(Interval{103, 113});
  for (int64_t o = 103; o < 113; ++o) test.cover(o);
  test.check();
}

TEST(CoverageMap, OutsideTheWindowMarksNothing) {
  MapCase test(Interval{100, 200}, {4, 0});
  test.map.mark(Interval{0, 100});
  test.map.mark(Interval{200, 300});
  test.map.mark(Interval{150, 150});
  test.check();
}

TEST(CoverageMap, WithoutDataIsOneHole) {
  MapCase test(Interval{100, 200}, {0, 0});
  test.check();
  EXPECT_TRUE(covered_of(test.map).empty());
}

// Maps are looked at 64 marks at a time.
TEST(CoverageMap, WhoseStretchesBeginAndEndAtEveryMark) {
  for (const int64_t granules : {1, 2, 63, 64, 65, 127, 128, 129, 200}) {
    for (int64_t begin = 0; begin < granules; ++begin) {
      for (const int64_t end : {begin + 1, (begin + granules + 1) / 2, granules}) {
        MapCase test(Interval{0, granules}, {1, 0});
        for (const Interval stretch : {Interval{0, begin / 2}, Interval{begin, end}}) {
          test.map.mark(stretch);
          for (int64_t i = stretch.begin; i < stretch.end; ++i) test.cover(i);
        }
        test.check();
        ASSERT_FALSE(HasFatalFailure()) << granules << " granules, " << begin << " to " << end;
      }
    }
  }
}

}  // namespace
}  // namespace concilio::pattern::coverage_map_test
