// Storage through POSIX system calls: EINTR, short transfers and the 0x7ffff000-byte limit of one call are handled
// here and nowhere else. Adjacent transfers become one preadv or pwritev.
#pragma once

#include <memory>

#include "store/store.h"

namespace concilio {

std::unique_ptr<Store> make_posix_store();

}  // namespace concilio
