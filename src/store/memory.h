// A store in the memory of this process, for tests and simulations. Openings of one path share one file, as
// on a disk, and their locks conflict. A file that is removed lives on in those that have it open.
#pragma once

#include <memory>

#include "store/store.h"

namespace concilio {

std::unique_ptr<Store> make_memory_store();

}  // namespace concilio
