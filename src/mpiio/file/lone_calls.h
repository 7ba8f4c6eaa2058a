// What the independent calls on a file would take as collective ones, for the report.
#pragma once

#include <span>
#include <vector>

#include "base/activity/activity_json.h"
#include "base/json_text.h"
#include "mpiio/file/file.h"
#include "plan/one_call.h"

namespace concilio::mpiio {

struct OneCallOf {
  Operation operation;
  plan::OneCall call;
};
// By operation. Nothing where the calls took little time, or where too little is known of them: of an
// operation that was collective too, or if the activity has no rows. `sums` and `maxima` over the ranks have
// an entry a counter. To be called on the rank that writes the report.
std::vector<OneCallOf> as_one_call(const File& file, std::span<const int64_t> sums,
                                   std::span<const int64_t> maxima, const ActivityOfFile& activity);

void write_one_calls(const std::vector<OneCallOf>& calls, JsonText& json);

}  // namespace concilio::mpiio
