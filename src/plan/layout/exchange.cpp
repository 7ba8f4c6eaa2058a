#include "plan/layout/exchange.h"

#include <algorithm>
#include <iterator>

#include "base/checked.h"
#include "plan/facts/spans.h"
#include "plan/layout/clusters.h"
#include "plan/layout/footprint.h"
#include "plan/layout/windows.h"

namespace concilio::plan {

bool overlap(const Facts& facts) {
  return std::any_of(facts.buckets.begin(), facts.buckets.end(), [](const Bucket& bucket) {
    return bucket.bytes > 0 && bucket.bytes > bucket.end - bucket.first;
  });
}

bool may_describe(const Facts& facts) {
  const int64_t bytes = facts.digest.description_bytes;
  const bool short_enough = bytes <= short_description_bytes ? has_room_for_own_descriptions(facts)
                                                             : bytes <= longest_description(facts);
  return facts.nodes.size() > 1 && short_enough && !overlap(facts);
}

bool wants_no_descriptions(const Wishes& wishes) {
  return wishes.exchange == ExchangeWish::images || wishes.exchange == ExchangeWish::alltoallw ||
         (wishes.exchange == ExchangeWish::automatic && wishes.alltoallw == Choice3::enable);
}

ExchangeStrategy exchange_of(const Facts& facts) {
  return may_describe(facts) && !wants_no_descriptions(facts.wishes) ? ExchangeStrategy::descriptions
                                                                     : ExchangeStrategy::images;
}

int64_t Messages::all() const {
  return checked_add(of_aggregators, within_clusters).value_or(INT64_MAX);
}

Messages most_messages(const Facts& facts, const Layout& layout, const Group& group) {
  return most_messages(facts, layout, group, layout.combined_nodes);
}

Messages most_messages(const Facts& facts, const Layout& layout, const Group& group, int64_t combined) {
  const int64_t nodes = std::ssize(group.nodes);
  if (nodes < 2) return {};
  const int64_t clusters = ceil_divide(nodes, combined), last = nodes - (clusters - 1) * combined;
  int64_t windows = 0;
  Messages most;
  const auto add = [](int64_t& sum, int64_t count, int64_t each) {
    sum = checked_add(sum, checked_multiply(count, each).value_or(INT64_MAX)).value_or(INT64_MAX);
  };
  for (int i = group.first_realm; i < group.end_realm; ++i) {
    const Realm& realm = layout.realms[static_cast<size_t>(i)];
    const int64_t rounds = rounds_of(realm);
    const int64_t neighbours = combined > 1 ? std::ssize(cluster_of(group, combined, realm.node)) : 1;
    windows += rounds;
    add(most.of_aggregators, rounds, neighbours - 1 + clusters - 1);
    // Each node of another cluster sends to the relay, which may get the data of several windows at once.
    add(most.within_clusters, rounds, nodes - neighbours - (clusters - 1));
  }
  // In a round, each node sends to each other node of its cluster at most once.
  int64_t in_round = 0;
  add(in_round, clusters - 1, combined * (combined - 1));
  add(in_round, last, last - 1);
  most.within_clusters =
      std::min(most.within_clusters, checked_multiply(group.rounds, in_round).value_or(INT64_MAX));
  // Who has nothing in a window sends nothing. So a message holds a piece at least, or what the border of a
  // window cuts off one, unless several nodes ask for the same piece.
  if (layout.exchange != ExchangeStrategy::alltoallw && !overlap(facts)) {
    const int64_t pieces = checked_add(facts.digest.file_pieces, windows).value_or(INT64_MAX);
    most = {std::min(most.of_aggregators, pieces), std::min(most.within_clusters, pieces)};
  }
  // If windows are described one by one, each message of a read is a wish that is answered by another.
  if (layout.exchange != ExchangeStrategy::descriptions && layout.operation == Operation::read)
    most.of_aggregators = checked_multiply(most.of_aggregators, 2).value_or(INT64_MAX);
  return most;
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
