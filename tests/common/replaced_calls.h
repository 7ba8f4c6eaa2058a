// For programs that replace calls by which the library works, and look at them before they pass them on.
#pragma once

#include <dlfcn.h>

#include "exec/two_phase/node_messages.h"

// The function of this name that a function of the program's own replaces.
template <typename Function>
Function* next_one(Function*, const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

// Whether a message between nodes with this tag has data of a file in it.
inline bool carries_data(int tag) {
  using namespace concilio::exec;
  return tag == relay_tag || (tag < description_tag && tag % 2 == data_tag(0) % 2);
}
