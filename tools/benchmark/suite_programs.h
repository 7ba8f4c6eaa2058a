// The programs of concilio bench suite, each of which uses a library that calls MPI-IO: bench/programs.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "benchmark/launch_bench.h"
#include "launch/flavour.h"
#include "system/environment.h"
#include "system/process.h"

namespace concilio::tools {

struct SuiteProgram {
  std::string name;
  Words words;  // the program, and before it its interpreter, if it has one
};

// The names of all of them.
std::string list_of_programs();

// Those that there are for this MPI.
std::vector<SuiteProgram> installed_programs(Flavour flavour, const Environment& environment);

// Starts the program a few times, from its launcher's start to its end, and adds the seconds that each start
// took. If it fails, says why in `failure`. The error: nothing more can or shall be started.
Status time_program(const SuiteProgram& program, const BenchLaunch& launch, const BenchOptions& options,
                    const Environment& environment, std::vector<double>& seconds, std::string& failure);

}  // namespace concilio::tools
