#include "mpi/nodes/control_group.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/system/read_file.h"
#include "base/text/text.h"
#include "base/text/whole_number.h"

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

// Returns what a file holds, up to so many bytes; an empty text if it cannot be read.
std::string text_in(const std::string& path, int64_t most_bytes) {
  auto text = read_file(path, most_bytes);
  return text ? std::move(*text) : std::string();
}

int64_t number_in(const std::string& path, int64_t otherwise) {
  constexpr int64_t most_digits = 64;
  // A group without a limit says "max", which is no number.
  return whole_number(text_in(path, most_digits)).value_or(otherwise);
}

int64_t cached_bytes(const std::string& folder, const Version& version) {
  const std::string text = text_in(folder + "/memory.stat", 16 << 10);
  int64_t sum = 0;
  for (std::string_view lines = text; !lines.empty();) {
    std::string_view line = take_until(lines, '\n');
    const std::string_view name = take_until(line, ' ');
    if (name == version.active || name == version.inactive) sum += whole_number(line).value_or(0);
  }
  return sum;
}

int64_t left_in(const std::string& folder, const Version& version) {
  const int64_t limit = number_in(folder + version.limit, INT64_MAX);
  // Of version 1, a group without a limit says as many bytes as whole pages can have.
  constexpr int64_t largest_page_bytes = 1 << 20;
  if (limit > INT64_MAX - largest_page_bytes) return INT64_MAX;
  const int64_t used = number_in(folder + version.used, 0);
  return std::clamp<int64_t>(limit - used + cached_bytes(folder, version), 0, limit);
}

}  // namespace

int64_t left_in_control_groups(const std::string& own, const std::string& root) {
  const std::string text = text_in(own, 16 << 10);
  int64_t left = INT64_MAX;
  for (std::string_view lines = text; !lines.empty();) {
    const std::string_view line = take_until(lines, '\n');
    // A line is "NUMBER:CONTROLLERS:PATH"; for version 2 the number is 0 and there are no controllers.
    const bool second = line.starts_with("0::");
    if (!second && line.find(":memory:") == std::string_view::npos) continue;
    const std::string mount = second ? root : root + "/memory";
    const Version& version = second ? version_2 : version_1;
    std::string path(line.substr(line.find(':', line.find(':') + 1) + 1));
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
