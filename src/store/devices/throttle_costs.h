// The costs of the slower storage that a throttle imitates, and how a user writes them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "store/store.h"

namespace concilio::store {

struct ThrottleCosts {
  int64_t open_ns = 0;  // of each open and remove
  // Opens and removes that the metadata server does in a second, one after another, for all clients. 0: any
  // number, and each client waits only for itself.
  int64_t opens_per_second = 0;
  int64_t request_ns = 0;        // of each request; transfers that are adjacent in the file are one
  int64_t bytes_per_second = 0;  // of a whole device; 0: no limit
  int64_t lock_ns = 0;           // of each lock and unlock
  int64_t read_seek_ns = 0;      // of a request that does not begin where the device's last one ended
  int64_t write_seek_ns = 0;
  // Requests that a device serves at the same time, for all processes of the machine. 0: any number, and each
  // client waits only for itself.
  int64_t streams = 0;
  int64_t targets = 1;             // number of devices, which a file is striped over
  int64_t stripe_bytes = 1 << 20;  // of a stripe, where there are several targets or stripes have locks
  // Stripes have locks: who comes to a stripe that another client wrote last waits for that write, and so
  // long until the client has given the lock back. 0: they have none.
  int64_t revoke_ns = 0;
  std::string device;  // the preset that the costs began with, "hdd"; empty: none
  std::string state;   // file of the time line that processes share; empty: the default
  // Whether clients wait for one another.
  bool are_shared() const { return streams > 0 || opens_per_second > 0; }
  bool operator==(const ThrottleCosts&) const = default;
};

// Reads "open=5;request=0.1;bandwidth=100M;lock=1;seek=8;streams=1", "device=hdd;seek=4" or "@FILE". Times
// are in milliseconds, bandwidth in bytes a second. What is not named costs what the preset (device) says, or
// else nothing. docs/guide.md describes it all. An error is of kind argument, and its message says what would
// be right.
Result<ThrottleCosts> parse_throttle(std::string_view text);

// Writes costs as such a text. Equal costs give equal texts.
std::string text_of(const ThrottleCosts& costs);
// The name of throttled storage in the path of its profile. It is the text of CONCILIO_THROTTLE. If that
// names files, which may change, it is the text of the costs themselves.
std::string throttle_identity(const std::string& text);
// Whether two such texts (of CONCILIO_THROTTLE or from text_of) mean the same costs.
bool same_throttle(const std::string& a, const std::string& b);

// Changes the layout of the storage below to that of the modelled device.
void model_layout(const ThrottleCosts& costs, StorageLayout& layout);

}  // namespace concilio::store
