// A wrapper that makes a store as slow as another: each operation sleeps for what it would cost there before
// it is passed on. Threads sleep side by side, as with a storage that serves many clients.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "store/store.h"

namespace concilio {

struct ThrottleCosts {
  int64_t open_ns = 0;           // of each open and remove
  int64_t request_ns = 0;        // of each request; transfers adjacent in the file are one. Requests at once
                                 // wait together, ring_depth at a time
  int64_t bytes_per_second = 0;  // 0: no limit
  int64_t lock_ns = 0;           // of each lock and unlock
};

// "open=5;request=0.1;bandwidth=100M;lock=1": milliseconds, and bytes a second; what is not named costs
// nothing. Kind argument, with a message that says what would be right.
Result<ThrottleCosts> parse_throttle(std::string_view text);

std::unique_ptr<Store> make_throttle_store(std::unique_ptr<Store> inner, const ThrottleCosts& costs);

}  // namespace concilio
