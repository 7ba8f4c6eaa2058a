// When the method independent has data pass through a buffer.
#pragma once

#include "plan/facts/facts.h"

namespace concilio::plan {

// Whether one request of each rank moves all bytes. Each is then copied once; no method does less.
bool one_request_each(const Digest& digest);

// Whether ranks copy what they write to a small buffer before they write it.
//
// A file system lets one write to a file at a time. The next in line waits while the system copies the bytes
// of the one before, from main memory if they are many. A rank that has copied its bytes while it had to wait
// anyway has them in its processor's cache when its turn comes, and keeps the others waiting for less time.
// Measured on ext4 with stretches of 16 and 64 MiB, existing files and new ones: 1.15 to 1.45 times as fast
// with 2 and 4 ranks on 2 cores, 1.0 to 1.35 times with 2 to 16 ranks on 16 cores; on tmpfs with 2 ranks on
// 2 cores and stretches of 16 MiB 1.1 to 1.4 times, in new files of 4 and 16 MiB 1.0 to 1.1 times. With one
// rank, or where the cache holds all bytes, it was up to a third slower.
bool copies_first(const Facts& facts);

}  // namespace concilio::plan
