// A file's datasets as plain serial HDF5 sees them.
#pragma once

#include <string>
#include <vector>

#include "blocks.h"
#include "scorpio_case.h"

namespace scorpio_oracle {

struct Expected {
  const Array& contents;
  const Bytes& defined;  // 0: a byte that may be anything
  bool has_scales;
};

// What is wrong with the dataset in the file; empty if nothing is.
std::string compare_plainly(const std::string& file, const Dataset& dataset, const Expected& expected);

}  // namespace scorpio_oracle
