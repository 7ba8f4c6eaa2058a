// What kind of file system an open file lies on.
#pragma once

#include <cstdint>

#include "store/store.h"

namespace concilio::store {

// `magic` is f_type of statfs(2).
StorageLayout::Kind kind_of_magic(uint32_t magic);
StorageLayout layout_of_magic(uint32_t magic, int64_t block_bytes);
ClientCache client_cache_of(uint32_t magic);

// Adds what else an open file on a device tells: the device's medium, the file's stripes. What it does not
// tell stays unknown.
void refine_layout(int fd, uint64_t device, StorageLayout& layout);

}  // namespace concilio::store
