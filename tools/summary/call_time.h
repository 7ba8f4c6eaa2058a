// Where the time went that the calls of the slowest rank took, in parts that together are the whole of it.
#pragma once

#include <array>

#include "summary/records.h"

namespace concilio::tools {

enum class PartOfCalls : size_t { storage, waiting, copying, planning, unended, other, count_ };

struct CallTime {
  double seconds = 0;
  // By PartOfCalls; what nothing is known of is `other`.
  std::array<double, static_cast<size_t>(PartOfCalls::count_)> parts{};
};

CallTime call_time_of(const FileRecord& file);

}  // namespace concilio::tools
