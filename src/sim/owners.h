// Which realms own the columns of a raster.
#pragma once

#include <vector>

#include "plan/plan.h"
#include "sim/density.h"

namespace concilio::sim {

class Owners {
 public:
  Owners(const plan::Plan& plan, const Raster& raster);

  struct Share {
    int realm;
    double part;  // of the column
  };
  const std::vector<Share>& of(int column) const { return shares_[static_cast<size_t>(column)]; }
  // The realm of the group that owns the largest part of the column; -1: none.
  int most_of(int group, int column) const;

 private:
  std::vector<std::vector<Share>> shares_;  // by column, then by realm
  std::vector<std::vector<int>> most_;      // by group, then by column
};

}  // namespace concilio::sim
