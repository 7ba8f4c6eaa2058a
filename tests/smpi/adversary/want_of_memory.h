// Allocations that fail. The program is linked so that every allocation of the library comes here first
// (--wrap). Each simulated rank has its own copy of these variables, so a failure is one rank's.
#pragma once

#include <cstdint>

namespace adversary {

// The `number`-th allocation from now on fails, counted from 1.
void let_allocation_fail(int64_t number);
// None fails any more. Returns whether one has.
bool let_allocations_succeed();

}  // namespace adversary
