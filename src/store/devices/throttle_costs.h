// What storage costs that a throttle makes of a faster one, and how a user writes it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "store/store.h"

namespace concilio {

struct ThrottleCosts {
  int64_t open_ns = 0;           // of each open and remove
  int64_t request_ns = 0;        // of each request; transfers adjacent in the file are one
  int64_t bytes_per_second = 0;  // of a whole device; 0: no limit
  int64_t lock_ns = 0;           // of each lock and unlock
  int64_t read_seek_ns = 0;      // of a request that does not adjoin where the device was last
  int64_t write_seek_ns = 0;
  int64_t streams = 0;             // requests that a device serves at the same time, over all processes
                                   // of the machine; 0: any number, each client waits for itself alone
  int64_t targets = 1;             // such devices, which a file is dealt to in turn, stripe by stripe
  int64_t stripe_bytes = 1 << 20;  // where there are several targets
  std::string device;              // preset that it began with, "hdd"; empty: none
  std::string state;               // file that processes share a device's time by; empty: the machine's own
  bool operator==(const ThrottleCosts&) const = default;
};

// "open=5;request=0.1;bandwidth=100M;lock=1;seek=8;streams=1", "device=hdd;seek=4", "@FILE": milliseconds,
// bytes a second, and what a preset costs; what is not named costs nothing. docs/guide.md has the whole.
// Kind argument, with a message that says what would be right.
Result<ThrottleCosts> parse_throttle(std::string_view text);

// The same costs as such a text, the same for the same costs.
std::string text_of(const ThrottleCosts& costs);
// What a profile of throttled storage goes by: the text of CONCILIO_THROTTLE, but of the costs themselves
// where files are named, which may change.
std::string throttle_identity(const std::string& text);
// Whether two such texts, or these of costs, stand for the same.
bool same_throttle(const std::string& a, const std::string& b);

// Makes of the layout of what lies below that of the device which is modelled.
void model_layout(const ThrottleCosts& costs, StorageLayout& layout);

}  // namespace concilio
