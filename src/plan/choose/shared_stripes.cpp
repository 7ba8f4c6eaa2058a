#include "plan/choose/shared_stripes.h"

#include <algorithm>
#include <vector>

namespace concilio::plan {
namespace {

// A stretch of a realm, and which of its ends lie in a stripe of another node's stretch too.
struct Stretch {
  pattern::Interval file;
  size_t realm;
  bool begin_shared = false, end_shared = false;
};

// Whether no stripe has bytes of two requests.
bool lie_in_stripes_of_their_own(const Facts& facts) {
  const int64_t stripe_bytes = facts.storage.stripe_bytes;
  const Digest& digest = facts.digest;
  return digest.granule > 0 && digest.granule % stripe_bytes == 0 && digest.anchor % stripe_bytes == 0;
}

// Of the realms that have stretches; others are dealt out by whole blocks.
std::vector<Stretch> stretches_of(const Layout& layout) {
  std::vector<Stretch> all;
  for (size_t realm = 0; realm < layout.realms.size(); ++realm) {
    if (!layout.realms[realm].owned.is_contiguous()) continue;
    for (const pattern::Interval& file : layout.realms[realm].positions) all.push_back({file, realm});
  }
  std::sort(all.begin(), all.end(),
            [](const Stretch& a, const Stretch& b) { return a.file.begin < b.file.begin; });
  return all;
}

}  // namespace

int64_t most_shared_stripes(int64_t stripe_bytes, const Layout& layout) {
  if (stripe_bytes <= 0) return 0;
  std::vector<Stretch> all = stretches_of(layout);
  const auto node_of = [&](const Stretch& stretch) { return layout.realms[stretch.realm].node; };
  for (size_t i = 1; i < all.size(); ++i) {
    Stretch &before = all[i - 1], &behind = all[i];
    if (node_of(before) == node_of(behind)) continue;
    if ((before.file.end - 1) / stripe_bytes != behind.file.begin / stripe_bytes) continue;
    before.end_shared = behind.begin_shared = true;
  }
  std::vector<int64_t> shared(layout.realms.size());
  for (const Stretch& stretch : all) {
    // What fits a window is one request, which waits for both of its ends at once.
    const int64_t most = stretch.file.length() <= layout.realms[stretch.realm].window_bytes ? 1 : 2;
    shared[stretch.realm] += std::min<int64_t>(most, stretch.begin_shared + stretch.end_shared);
  }
  return shared.empty() ? 0 : *std::max_element(shared.begin(), shared.end());
}

double seconds_of_shared_stripes(const Facts& facts, const Layout& layout, const Prices& prices) {
  const StorageFacts& storage = facts.storage;
  if (storage.revoke_ns <= 0) return 0;
  const double revoke_seconds = static_cast<double>(storage.revoke_ns) * 1e-9;
  const double wait_seconds = prices.of(facts.operation).window.at(static_cast<double>(storage.stripe_bytes));
  return static_cast<double>(most_shared_stripes(storage.stripe_bytes, layout)) *
         (revoke_seconds + wait_seconds);
}

// What lies between two changes of the node is a block. Data of a node's ranks adjoin, or so it is taken to
// be. As simulated with 4 and 8 nodes, whose 1 to 4 ranks had pieces of 4 KiB to 1 MB in turn: a node has the
// blocks of a stripe in common with as many others as have some there, and waits for half of them, since
// meanwhile others are in other stripes; for 1.5 where blocks are longer than stripes, and so at their ends.
// 27 such writes were priced at 0.3 to 2 times of what they took when simulated.
double seconds_of_taken_stripes(const Facts& facts, double requests) {
  const StorageFacts& storage = facts.storage;
  const Digest& digest = facts.digest;
  const auto nodes = static_cast<double>(facts.nodes.size());
  if (facts.operation == Operation::read || storage.revoke_ns <= 0 || storage.stripe_bytes <= 0 ||
      nodes < 2 || digest.ranks_with_data < 2 || lie_in_stripes_of_their_own(facts))
    return 0;
  constexpr double least_waits = 1.5;
  const double ranks = static_cast<double>(digest.ranks_with_data);
  const double writers = std::min(nodes, ranks);  // nodes that write
  const double range = static_cast<double>(digest.end - digest.first);
  // So many nodes write in a place, on average.
  const double in_a_place = static_cast<double>(digest.span) / range * writers / ranks;
  const double revoke_seconds = static_cast<double>(storage.revoke_ns) * 1e-9;
  if (in_a_place < least_waits) return least_waits * revoke_seconds;
  const double blocks = std::max(writers, requests * writers / ranks);
  const double in_a_stripe = static_cast<double>(storage.stripe_bytes) * blocks / range;
  return blocks / writers * std::max(least_waits, std::min(in_a_stripe, in_a_place) / 2) * revoke_seconds;
}

}  // namespace concilio::plan
