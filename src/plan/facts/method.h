// The ways to carry out a call.
#pragma once

#include <cstdint>

#include "base/counters.h"

namespace concilio::plan {

// In the order of base/methods.def, which describes each.
enum class Method : int32_t {
#define METHOD(name, ranks, writes, summary) name,
#include "base/methods.def"
};
#define METHOD(name, ranks, writes, summary) +1
inline constexpr int method_count = 0
#include "base/methods.def"
    ;

const char* method_name(Method method);
const char* method_summary(Method method);
bool method_is_together(Method method);  // ranks move each other's bytes
bool method_rewrites(Method method);     // its writes may rewrite bytes between those that the program writes
Counter method_counter(Method method);   // counts the program's calls that were carried out by the method

}  // namespace concilio::plan
