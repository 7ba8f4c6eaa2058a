// A wrapper that makes a store as slow as another: each operation waits for what it would cost there before
// it is passed on. Where devices serve a number of requests at once, all processes of the machine wait for
// the same devices; else each thread waits for itself.
#pragma once

#include <memory>

#include "store/store.h"
#include "store/throttle_costs.h"

namespace concilio {

std::unique_ptr<Store> make_throttle_store(std::unique_ptr<Store> inner, const ThrottleCosts& costs);

}  // namespace concilio
