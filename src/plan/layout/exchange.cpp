#include "plan/layout/exchange.h"

#include <algorithm>

#include "plan/facts/spans.h"

namespace concilio {

bool may_describe(const Facts& facts) {
  return facts.nodes.size() > 1 && facts.digest.description_bytes <= most_description_bytes &&
         std::none_of(facts.buckets.begin(), facts.buckets.end(), [](const Bucket& bucket) {
           return bucket.bytes > 0 && bucket.bytes > bucket.end - bucket.first;
         });
}

ExchangeStrategy exchange_of(const Facts& facts) {
  const bool others =
      facts.wishes.exchange == ExchangeWish::images || facts.wishes.exchange == ExchangeWish::alltoallw ||
      (facts.wishes.exchange == ExchangeWish::automatic && facts.wishes.alltoallw == Choice3::enable);
  return may_describe(facts) && !others ? ExchangeStrategy::descriptions : ExchangeStrategy::images;
}

bool may_have_data_in(const Realm& realm, const Facts& facts, int node) {
  const bool known = std::any_of(facts.nodes.begin(), facts.nodes.end(),
                                 [](const NodeFacts& one) { return !one.spans.empty(); });
  if (!known) return true;
  const std::vector<Interval>& spans = facts.nodes[static_cast<size_t>(node)].spans;
  return std::any_of(spans.begin(), spans.end(), [&](const Interval& span) {
    const Interval owned{realm.owned.data_before(span.begin), realm.owned.data_before(span.end)};
    return !owned.empty() && intersect(realm.positions, {&owned, 1});
  });
}

}  // namespace concilio
