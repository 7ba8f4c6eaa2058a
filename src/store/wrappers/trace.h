// A wrapper that tells of each operation after it: what it was, where, how large and whether it succeeded.
#pragma once

#include <functional>
#include <memory>

#include "store/operation.h"
#include "store/store.h"

namespace concilio {

// Called by all threads that use the store.
using TraceSink = std::function<void(const StoreEvent& event, bool succeeded)>;

std::unique_ptr<Store> make_trace_store(std::unique_ptr<Store> inner, TraceSink sink);

}  // namespace concilio
