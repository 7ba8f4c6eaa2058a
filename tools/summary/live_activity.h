// What ranks did to a file that they had not closed.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/activity/activity.h"
#include "base/counters.h"
#include "summary/records.h"

namespace concilio::tools {

struct LiveActivity {
  int64_t rank = 0;
  Counters counters;
  std::optional<ActivityData> data;  // none: the rank kept it to itself
};

// Adds what these ranks did to the record of the file, in the form in which the library writes it for a file
// that is closed (base/activity/activity_json.h). Rows are of ranks that are known, which need not be
// neighbours; without the data of one of them there are none.
void add_activity(FileRecord& file, std::vector<LiveActivity> ranks);

}  // namespace concilio::tools
