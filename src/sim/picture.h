// A plan as a picture: file offsets across, ranks down; each rank's data in the colour of the realm that it
// goes through, darker where it is denser; above it the realms with their aggregators; around it the
// aggregation groups; beside it the memory of the nodes.
#pragma once

#include <string>

#include "plan/plan.h"
#include "sim/density.h"

namespace concilio::sim {

// How finely a picture shows a call of so many ranks.
int picture_columns(int64_t ranks);
inline constexpr int picture_rows = 240;

// SVG. `title`: what the pattern is.
std::string picture_of(const Facts& facts, const Plan& plan, const Raster& raster, const std::string& title);

}  // namespace concilio::sim
