// The ways to carry out a call.
#pragma once

#include <cstdint>

#include "base/counters.h"

namespace concilio {

// In the order of base/methods.def, which describes each.
enum class Method : int32_t {
#define METHOD(name, ranks, summary) name,
#include "base/methods.def"
};
#define METHOD(name, ranks, summary) +1
inline constexpr int method_count = 0
#include "base/methods.def"
    ;

const char* method_name(Method method);
const char* method_summary(Method method);
Counter method_counter(Method method);  // counts the program's calls that were carried out by the method

}  // namespace concilio
