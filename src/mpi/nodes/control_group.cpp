#include "mpi/nodes/control_group.h"

#include <algorithm>
#include <fstream>
#include <string_view>

namespace concilio::mpi {
namespace {

// Version 1 and 2 of control groups name their files, and the numbers of cached pages in memory.stat,
// differently.
struct Version {
  const char *limit, *used, *active, *inactive;
};
constexpr Version version_1{"/memory.limit_in_bytes", "/memory.usage_in_bytes", "total_active_file",
                            "total_inactive_file"};
constexpr Version version_2{"/memory.max", "/memory.current", "active_file", "inactive_file"};

int64_t number_in(const std::string& path, int64_t otherwise) {
  std::ifstream file(path);
  int64_t number;
  return file >> number ? number : otherwise;  // a group without a limit says "max", which is no number
}

int64_t cached_bytes(const std::string& folder, const Version& version) {
  std::ifstream file(folder + "/memory.stat");
  std::string name;
  int64_t bytes = 0, sum = 0;
  while (file >> name >> bytes) {
    if (name == version.active || name == version.inactive) sum += bytes;
  }
  return sum;
}

int64_t left_in(const std::string& folder, const Version& version) {
  const int64_t limit = number_in(folder + version.limit, INT64_MAX);
  if (limit == INT64_MAX) return INT64_MAX;
  const int64_t used = number_in(folder + version.used, 0);
  return std::clamp<int64_t>(limit - used + cached_bytes(folder, version), 0, limit);
}

}  // namespace

int64_t left_in_control_groups(const std::string& own, const std::string& root) {
  std::ifstream file(own);
  int64_t left = INT64_MAX;
  for (std::string line; std::getline(file, line);) {
    // A line is "NUMBER:CONTROLLERS:PATH"; for version 2 the number is 0 and there are no controllers.
    const bool second = line.starts_with("0::");
    if (!second && line.find(":memory:") == std::string::npos) continue;
    const std::string mount = second ? root : root + "/memory";
    const Version& version = second ? version_2 : version_1;
    std::string path = line.substr(line.find(':', line.find(':') + 1) + 1);
    // Any group on the way to the outermost one may set the limit that counts.
    for (;;) {
      left = std::min(left, left_in(mount + path, version));
      if (path.empty()) break;
      path.resize(path.rfind('/') == std::string::npos ? 0 : path.rfind('/'));
    }
  }
  return left;
}

}  // namespace concilio::mpi
