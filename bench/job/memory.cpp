#include "job/memory.h"

#include <malloc.h>

#include <fstream>
#include <string>

namespace concilio::bench {

Memory read_memory() {
  Memory memory;
  std::ifstream status("/proc/self/status");
  for (std::string name; status >> name;) {
    int64_t* target = name == "VmRSS:"      ? &memory.resident_bytes
                      : name == "RssShmem:" ? &memory.shared_bytes
                      : name == "VmHWM:"    ? &memory.peak_bytes
                                            : nullptr;
    int64_t kibibytes = 0;
    if (target && status >> kibibytes) *target = kibibytes * 1024;
    std::getline(status, name);
  }
  return memory;
}

void reset_peak() {
  malloc_trim(0);
  std::ofstream("/proc/self/clear_refs") << "5";
}

}  // namespace concilio::bench
