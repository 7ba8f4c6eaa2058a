// Draws a plan as a picture, with file offsets from left to right and ranks from top to bottom. Each rank's
// data has the colour of the realm that it goes through, and is darker where it is denser. Above are the
// realms with their aggregators, around the data the aggregation groups, and beside it the memory of the
// nodes.
#pragma once

#include <string>

#include "plan/plan.h"
#include "sim/density.h"

namespace concilio::sim {

// The number of columns that a picture of a call of so many ranks has.
int picture_columns(int64_t ranks);
inline constexpr int picture_rows = 240;

// Returns SVG. `title` says what the pattern is.
std::string picture_of(const plan::Facts& facts, const plan::Plan& plan, const Raster& raster,
                       const std::string& title);

}  // namespace concilio::sim
