#include "plan/layout/exchange.h"

#include <algorithm>
#include <iterator>

#include "base/checked.h"
#include "plan/facts/spans.h"
#include "plan/layout/footprint.h"
#include "plan/layout/windows.h"

namespace concilio::plan {

namespace {

// Whether several ranks ask for the same bytes, as far as the facts tell.
bool overlap(const Facts& facts) {
  return std::any_of(facts.buckets.begin(), facts.buckets.end(), [](const Bucket& bucket) {
    return bucket.bytes > 0 && bucket.bytes > bucket.end - bucket.first;
  });
}

}  // namespace

bool may_describe(const Facts& facts) {
  const int64_t bytes = facts.digest.description_bytes;
  const bool short_enough = bytes <= short_description_bytes || bytes <= longest_description(facts);
  return facts.nodes.size() > 1 && short_enough && !overlap(facts);
}

ExchangeStrategy exchange_of(const Facts& facts) {
  const bool others =
      facts.wishes.exchange == ExchangeWish::images || facts.wishes.exchange == ExchangeWish::alltoallw ||
      (facts.wishes.exchange == ExchangeWish::automatic && facts.wishes.alltoallw == Choice3::enable);
  return may_describe(facts) && !others ? ExchangeStrategy::descriptions : ExchangeStrategy::images;
}

int64_t most_messages(const Facts& facts, const Layout& layout, const Group& group) {
  int64_t windows = 0;
  for (int i = group.first_realm; i < group.end_realm; ++i)
    windows += rounds_of(layout.realms[static_cast<size_t>(i)]);
  const int64_t others = std::ssize(group.nodes) - 1;
  if (others == 0) return 0;
  int64_t pairs = checked_multiply(windows, others).value_or(INT64_MAX);
  // Who has nothing in a window sends nothing. So a message holds a piece at least, or what the border of a
  // window cuts off one, unless several nodes ask for the same piece.
  if (layout.exchange != ExchangeStrategy::alltoallw && !overlap(facts))
    pairs = std::min(pairs, checked_add(facts.digest.file_pieces, windows).value_or(INT64_MAX));
  // If windows are described one by one, each message of a read is a wish that is answered by another.
  const bool wishes =
      layout.exchange != ExchangeStrategy::descriptions && layout.operation == Operation::read;
  return wishes ? checked_multiply(pairs, 2).value_or(INT64_MAX) : pairs;
}

bool may_have_data_in(const Realm& realm, const Facts& facts, int node) {
  const bool known = std::any_of(facts.nodes.begin(), facts.nodes.end(),
                                 [](const NodeFacts& one) { return !one.spans.empty(); });
  if (!known) return true;
  const std::vector<pattern::Interval>& spans = facts.nodes[static_cast<size_t>(node)].spans;
  return std::any_of(spans.begin(), spans.end(), [&](const pattern::Interval& span) {
    const pattern::Interval owned{realm.owned.data_before(span.begin), realm.owned.data_before(span.end)};
    return !owned.empty() && intersect(realm.positions, {&owned, 1});
  });
}

}  // namespace concilio::plan
