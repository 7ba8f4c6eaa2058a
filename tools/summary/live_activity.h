// What ranks did to a file that they had not closed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/activity/activity.h"
#include "base/counters.h"

namespace concilio::tools {

struct LiveActivity {
  int64_t rank = 0;
  Counters counters;
  ActivityData data;
};

// In the form in which the library writes it for a file that is closed (base/activity/activity_json.h). Rows
// are of ranks that are known, which need not be neighbours.
std::string activity_of_open_file(std::vector<LiveActivity> ranks);

}  // namespace concilio::tools
