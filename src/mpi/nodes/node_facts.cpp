#include "mpi/nodes/node_facts.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <string_view>

#include "base/system/read_file.h"
#include "base/text/text.h"
#include "base/text/whole_number.h"
#include "base/waiting.h"
#include "mpi/nodes/control_group.h"

namespace concilio::mpi {
namespace {

int64_t available_in_meminfo() {
  constexpr int64_t most_bytes = 4096;  // it is in the third line
  const auto text = read_file("/proc/meminfo", most_bytes);
  std::string_view lines = text ? *text : std::string_view();
  while (!lines.empty()) {
    std::string_view line = take_until(lines, '\n');
    if (take_until(line, ':') != "MemAvailable") continue;
    if (const auto kibibytes = whole_number(line)) return *kibibytes * 1024;
  }
  return INT64_MAX;
}

}  // namespace

int64_t free_memory_bytes() {
  return std::min(available_in_meminfo(), left_in_control_groups());
}

int usable_cores() {
  if (const int described = described_cores(); described > 0) return described;
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return online_cores();
  return std::max(1, CPU_COUNT(&set));
}

int online_cores() {
  if (const int described = described_cores(); described > 0) return described;
  return std::max(1L, sysconf(_SC_NPROCESSORS_ONLN));
}

}  // namespace concilio::mpi
