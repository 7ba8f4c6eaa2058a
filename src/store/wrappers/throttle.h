// A wrapper that makes a store as slow as another one. If devices serve a limited number of requests at once
// (`streams`), all processes of the machine wait for the same devices, and a transfer ends when it would end
// there. Else each operation is delayed by what it would cost there before it is passed on, and each thread
// waits only for itself.
#pragma once

#include <memory>

#include "store/devices/throttle_costs.h"
#include "store/store.h"

namespace concilio::store {

std::unique_ptr<Store> make_throttle_store(std::unique_ptr<Store> inner, const ThrottleCosts& costs);

}  // namespace concilio::store
