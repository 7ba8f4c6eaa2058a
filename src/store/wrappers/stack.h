// The store that a configuration asks for.
#pragma once

#include <memory>

#include "base/settings/config.h"
#include "store/store.h"

namespace concilio::store {

// Makes a store of POSIX files, with the faults of Key::fault that are for `rank` (-1: not known) and the
// costs of Key::throttle. If one of the two cannot be read, every open fails and says so: a test that injects
// faults must not pass for lack of them.
std::unique_ptr<Store> make_store(const Config& config, int rank = -1);

}  // namespace concilio::store
