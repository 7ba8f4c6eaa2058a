// The ways to carry out a call.
#pragma once

#include <cstdint>

namespace concilio {

enum class Method : int32_t {
  independent,  // every rank at most one contiguous stretch of file, transferred straight
  list,         // every contiguous piece its own request, in vectors
  sieve,        // large requests that take holes along; writes read, modify and write under a lock
  two_phase,    // pieces of all ranks brought together at aggregators
  mapped,       // pieces copied straight between the user's memory and the file's pages, mapped
};
inline constexpr int method_count = 5;

const char* method_name(Method method);

}  // namespace concilio
