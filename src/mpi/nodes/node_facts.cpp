#include "mpi/nodes/node_facts.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>

#include "base/waiting.h"
#include "mpi/nodes/control_group.h"

namespace concilio::mpi {
namespace {

int64_t available_in_meminfo() {
  std::ifstream file("/proc/meminfo");
  std::string line;
  while (std::getline(file, line)) {
    std::istringstream words(line);
    std::string name;
    int64_t kibibytes;
    if (words >> name >> kibibytes && name == "MemAvailable:") return kibibytes * 1024;
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
