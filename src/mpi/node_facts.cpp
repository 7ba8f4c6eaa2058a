#include "mpi/node_facts.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>

namespace concilio {
namespace {

int64_t number_in(const std::string& path, int64_t otherwise) {
  std::ifstream file(path);
  int64_t number;
  return file >> number ? number : otherwise;  // "max" is no number
}

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

int64_t left_in_cgroup() {
  std::ifstream file("/proc/self/cgroup");
  std::string line;
  int64_t left = INT64_MAX;
  while (std::getline(file, line)) {
    auto colon = line.rfind(':');
    bool unified = line.starts_with("0::");
    if (!unified && line.find(":memory:") == std::string::npos) continue;
    std::string folder = (unified ? "/sys/fs/cgroup" : "/sys/fs/cgroup/memory") + line.substr(colon + 1);
    int64_t limit = number_in(folder + (unified ? "/memory.max" : "/memory.limit_in_bytes"), INT64_MAX);
    int64_t used = number_in(folder + (unified ? "/memory.current" : "/memory.usage_in_bytes"), 0);
    if (limit != INT64_MAX) left = std::min(left, std::max<int64_t>(0, limit - used));
  }
  return left;
}

}  // namespace

int64_t free_memory_bytes() {
  return std::min(available_in_meminfo(), left_in_cgroup());
}

int usable_cores() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return online_cores();
  return std::max(1, CPU_COUNT(&set));
}

int online_cores() {
  return std::max(1L, sysconf(_SC_NPROCESSORS_ONLN));
}

}  // namespace concilio
