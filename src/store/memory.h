// A store in the memory of this process, for tests and simulations. As on a disk, opens of the same path
// share one file, and their locks conflict. A file that is removed lives on for those that have it open.
#pragma once

#include <memory>

#include "store/store.h"

namespace concilio::store {

std::unique_ptr<Store> make_memory_store();

}  // namespace concilio::store
