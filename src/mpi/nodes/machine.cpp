#include "mpi/nodes/machine.h"

#include <fmt/format.h>
#include <mpi.h>
#include <sys/stat.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "base/system/read_file.h"
#include "base/text/name_hash.h"

namespace concilio::mpi {
namespace {

// Two machines may have the same name, but they were not started as one. Memory is passed over a socket that
// is seen in one network namespace. What the system does not tell is empty, or 0.
uint64_t number_of(std::string_view name) {
  constexpr int64_t most_bytes = 64;
  const auto start = read_file("/proc/sys/kernel/random/boot_id", most_bytes);
  struct stat network {};
  if (stat("/proc/self/ns/net", &network) != 0) network.st_ino = 0;
  return name_hash(fmt::format("{} {} {}", name, start ? *start : "", network.st_ino));
}

}  // namespace

// The processor's name is MPI's name of the machine, also of a simulated one.
uint64_t this_machine() {
  static const uint64_t machine = [] {
    char name[MPI_MAX_PROCESSOR_NAME];
    int length = 0;
    const int code = PMPI_Get_processor_name(name, &length);
    return number_of({name, code == MPI_SUCCESS ? static_cast<size_t>(length) : 0});
  }();
  return machine;
}

}  // namespace concilio::mpi
