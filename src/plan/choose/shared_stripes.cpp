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

}  // namespace concilio::plan
