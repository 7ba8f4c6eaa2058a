// What methods cost, in seconds: sums of named terms, each from the facts, the plan and the prices.
#pragma once

#include <string>
#include <vector>

#include "plan/choose/hole_filling.h"
#include "plan/facts/prices.h"
#include "plan/layout/layout.h"

namespace concilio {

// As much of a file as is mapped at a time, and what its pages are assumed to hold.
inline constexpr int64_t map_window_bytes = 4 << 20;
inline constexpr int64_t map_page_bytes = 4096;
// Whether pages are mapped piece by piece, and not with what lies between: of `pieces` pieces with `bytes`
// bytes that lie in `span` bytes of file.
bool maps_by_piece(double bytes, double pieces, double span);

// A predicted time as the sum of its named parts.
struct Cost {
  struct Term {
    const char* name;
    double seconds;
  };
  std::vector<Term> terms;
  double seconds() const;
  std::string text() const;  // "requests 1.05 s + storage 13 ms"
};

// One function a method. Two-phase is priced as `layout` lays it out.
Cost cost_of_independent(const Facts& facts, const Layout& layout, const Prices& prices);
Cost cost_of_list(const Facts& facts, const Layout& layout, const Prices& prices);
Cost cost_of_sieve(const Facts& facts, const Layout& layout, const Prices& prices);
Cost cost_of_two_phase(const Facts& facts, const Layout& layout, const Prices& prices);
Cost cost_of_mapped(const Facts& facts, const Layout& layout, const Prices& prices);

// How the images of a layout travel between nodes: as is wished, else the cheaper way.
ExchangeStrategy choose_exchange(const Facts& facts, const Layout& layout, const Prices& prices);

}  // namespace concilio
