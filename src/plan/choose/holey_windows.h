// The windows of a layout that are written with holes.
#pragma once

#include <optional>

#include "plan/choose/hole_filling.h"
#include "plan/facts/prices.h"
#include "plan/layout/layout.h"

namespace concilio::plan {

struct HoleyWindows {
  WindowShape all;  // the sum of all windows
  Flush how;        // as is cheapest for a window of mean shape
};

// Nothing if the call reads, or if its data fill all windows. `windows` is how many there are.
std::optional<HoleyWindows> holey_windows(const Facts& facts, const Layout& layout, double windows,
                                          const Prices& prices);

}  // namespace concilio::plan
