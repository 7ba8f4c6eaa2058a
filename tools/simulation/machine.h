// A machine that is only described, in JSON that docs/simulation.md documents. The message of an error names
// the place in that document.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "plan/facts/prices.h"
#include "store/devices/throttle_costs.h"

namespace concilio::tools {

struct DescribedMachine {
  std::string about;
  // Nodes, which are equal except for their memory.
  int64_t nodes = 1, cores = 1;
  std::vector<int64_t> free_memory_bytes;          // entry i modulo the length is node i's
  double copy_rate = 0, core_copy_rate = 0;        // bytes a second of a node's memory, and of one core
  double network_rate = 0, network_latency_s = 0;  // of a node's link, and from node to node
  double storage_link_rate = 0;                    // of a node's own link to storage; 0: it has none
  double storage_rate = 0;                         // bytes a second of the link to storage; 0: no limit
  std::string throttle;                            // storage as a value of CONCILIO_THROTTLE
  store::ThrottleCosts storage_costs;              // and what that says
  // What the library finds out about a file there; nothing if no device is named, so that it is this
  // machine's.
  std::optional<plan::StorageFacts> modelled_storage;
  double targets_rate = 0;  // bytes a second of all storage targets together; 0: no limit
  plan::Prices prices{};    // see simulation/machine_prices.h

  // Bytes a second between a node and storage.
  double rate_to_storage() const { return storage_link_rate > 0 ? storage_link_rate : network_rate; }
};

// A machine's file is small; a larger one is something else.
inline constexpr int64_t most_machine_bytes = 1 << 20;

Result<DescribedMachine> parse_machine(std::string_view text);

// What a reader of results should know of it, in a few lines.
std::string text_of(const DescribedMachine& machine);

}  // namespace concilio::tools
