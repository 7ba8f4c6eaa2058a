// Windows of which few bytes are wanted are read in pieces. For that their aggregator must know which bytes
// these are. Where nodes exchange by descriptions it does; elsewhere the ranks of its node mark them, which
// is one meeting of these ranks a window, and must save more than it costs.
#pragma once

#include <span>

#include "plan/choose/hole_filling.h"
#include "plan/layout/layout.h"

namespace concilio::plan {

struct Prices;

// Whether the aggregators of a group know what ranks of their own node want of a window before they read it.
bool knows_wanted(const Layout& layout, const Group& group);
// Whether so few bytes of a window are wanted that they are read in pieces. If not, it is better read whole:
// to mark what ranks want takes time too.
constexpr bool is_sparse(int64_t wanted_bytes, int64_t window_bytes) {
  return 2 * wanted_bytes <= window_bytes;
}
// Decides for each group whether its ranks mark what they want.
void choose_reading(const Facts& facts, Layout& layout, const Prices& prices);

// All windows of some realms. Those of one aggregator adjoin within a stretch of its realm, those of several
// alternate; a jump is a window that does not begin where the last one ended.
struct WindowSums {
  double windows = 0, bytes = 0, jumps = 0;
};
WindowSums sums_of(std::span<const Realm> realms);

// The cost of reading these windows, and that of reading the wanted pieces alone.
struct ReadingCosts {
  FlushCost whole, wanted;
};
struct WantedShape {
  double bytes = 0, pieces = 0;
};
ReadingCosts reading_costs(const WindowSums& all, const WantedShape& wanted, const Prices& prices);

}  // namespace concilio::plan
