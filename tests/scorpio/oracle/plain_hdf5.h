// The datasets of a file, read by plain serial HDF5.
#pragma once

#include <string>
#include <vector>

#include "blocks.h"
#include "scorpio_case.h"

namespace scorpio_oracle {

struct Expected {
  const Array& contents;
  const Bytes& defined;  // 0 for a byte that may have any value
  bool has_scales;
};

// Returns what is wrong with the dataset in the file, or an empty text.
std::string compare_plainly(const std::string& file, const Dataset& dataset, const Expected& expected);

}  // namespace scorpio_oracle
