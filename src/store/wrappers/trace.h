// A wrapper that reports each operation after it: what it was, where, how large, and whether it succeeded.
#pragma once

#include <functional>
#include <memory>

#include "store/operation.h"
#include "store/store.h"

namespace concilio::store {

// All threads that use the store call it.
using TraceSink = std::function<void(const StoreEvent& event, bool succeeded)>;

std::unique_ptr<Store> make_trace_store(std::unique_ptr<Store> inner, TraceSink sink);

}  // namespace concilio::store
