#include "plan/facts/openers.h"

#include <algorithm>

namespace concilio::plan {
namespace {

// Where opens cost nothing worth mentioning, a few ranks open what others would only have a descriptor of.
constexpr int64_t most_openers = 4;
// Assumed: what a descriptor takes of the time of the rank that passes it on.
constexpr int64_t pass_ns = 20'000;

}  // namespace

int64_t openers(const StorageFacts& storage, int64_t nodes, int64_t ranks) {
  const int64_t most = std::min(ranks, most_openers);
  // One server opens for one rank after another, while nodes pass descriptors at the same time.
  const bool dear = static_cast<double>(storage.open_ns) * static_cast<double>(nodes * (most - 1)) >
                    static_cast<double>(pass_ns) * static_cast<double>(ranks - 1);
  return dear ? 1 : most;
}

}  // namespace concilio::plan
