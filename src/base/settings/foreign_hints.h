// Hints that other MPI-IO implementations and I/O libraries define, and that mean nothing to Concilio.
// Programs have good reason to give them, so there is no warning.
#pragma once

#include <string_view>

namespace concilio {

bool is_foreign_hint(std::string_view hint);

}  // namespace concilio
