// Chooses what two-phase I/O leaves open: how many aggregators there are, how large their windows are, and
// which realms they have. It makes and prices a layout for each of a few settings that the user's wishes
// allow, and takes the cheapest.
#pragma once

#include <vector>

#include "plan/facts/prices.h"
#include "plan/layout/layout.h"

namespace concilio::plan {

// The layout that lay_out_two_phase makes with the usual settings.
Layout usual_layout(const Facts& facts, const std::vector<pattern::Interval>& spans);
// The layout with the settings that cost least. If `usual`, the usual layout, has been made already, it is
// not made again.
Layout cheapest_layout(const Facts& facts, const std::vector<pattern::Interval>& spans);
Layout cheapest_layout_after(const Facts& facts, const std::vector<pattern::Interval>& spans, Layout usual);
// What layouts are compared by: the cost of two-phase I/O, and what stripes cost that nodes share.
struct LayoutPrice {
  double seconds;
  bool by_targets;  // whether the time of the file's targets is in it (choose/striped.h)
};
LayoutPrice price_of_layout(const Facts& facts, const Layout& layout, const Prices& prices);

}  // namespace concilio::plan
