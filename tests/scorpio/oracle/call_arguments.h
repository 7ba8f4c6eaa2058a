// What one rank passes to a SCORPIO call, right or deliberately wrong.
#pragma once

#include <scorpio.h>

#include <string>
#include <vector>

#include "scorpio_case.h"

namespace scorpio_oracle {

struct CallArguments {
  datatype_t type = SCORPIO_INTEGER;
  int ndims = 1;
  std::string name;
  // Longer than ndims, in case the call is given a wrong one.
  Extents global_dims, local_dims, local_starts;
  std::vector<int64_t> map;
  bool nothing_local = false;
};

CallArguments arguments_of(const Dataset& dataset, const Op& op, const std::string& name, int rank);

struct OpenFile {
  int handle = FAILURE;
  iogroup_t* group = nullptr;
};

// The call that belongs to the op's division.
int call_write(const CallArguments& arguments, const Op& op, const void* data, const OpenFile& file);
int call_read(const CallArguments& arguments, const Op& op, void* data, const OpenFile& file);

}  // namespace scorpio_oracle
