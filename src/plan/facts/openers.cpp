#include "plan/facts/openers.h"

#include <algorithm>

namespace concilio::plan {
namespace {

// Where opens cost little, as many ranks of a node open the file as often move data.
constexpr int64_t most_openers = 4;
// What it takes until the ranks of a node have a descriptor, measured with 2 to 4 ranks on 2 cores.
constexpr int64_t pass_ns = 200'000;

}  // namespace

// One server opens for the ranks of all nodes, one after another. Descriptors are passed on all nodes at the
// same time.
int64_t openers(const StorageFacts& storage, int64_t nodes, int64_t ranks) {
  return storage.open_ns * nodes > pass_ns ? 1 : std::min(ranks, most_openers);
}

}  // namespace concilio::plan
