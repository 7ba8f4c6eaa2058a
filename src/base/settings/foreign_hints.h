// Hints that other MPI-IO implementations and I/O libraries define and that mean nothing here. Programs give
// them with good reason, so they are not reported.
#pragma once

#include <string_view>

namespace concilio {

bool is_foreign_hint(std::string_view hint);

}  // namespace concilio
