// How long opening a file takes on a described machine: what a simulated run takes, but for the library's own
// work, which takes no simulated time.
#pragma once

#include <cstdint>
#include <span>

#include "base/operation.h"
#include "simulation/machine.h"

namespace concilio::tools {

// Of one MPI_File_open by so many ranks of each node; none is 0. `operation` says whether the file is opened
// to be written, or only to be read. The machine's storage names a device.
double open_seconds(const DescribedMachine& machine, std::span<const int64_t> ranks_of_node,
                    Operation operation);

}  // namespace concilio::tools
