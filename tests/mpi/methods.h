// The names of the library's methods, from its table.
#pragma once

#include <initializer_list>

inline constexpr std::initializer_list<const char*> all_methods = {
#define METHOD(name, ranks, writes, summary) #name,
#include "base/methods.def"
};
