// Formats the results for people and for programs.
#pragma once

#include <string>
#include <vector>

#include "scorpio/measure.h"

namespace concilio::bench::scorpio {

struct Circumstances {
  std::string library;  // name and version of the MPI
  int ranks = 1;
  int repetitions = 5;
  int64_t buffer_bytes = 0;
};

std::string table(const Workload& workload, const Circumstances& circumstances,
                  const std::vector<Outcome>& outcomes);
// One line of JSON for each method.
std::string json_lines(const Workload& workload, const Circumstances& circumstances,
                       const std::vector<Outcome>& outcomes);

}  // namespace concilio::bench::scorpio
