#include "plan/choose/sparse_reads.h"

#include <algorithm>

#include "plan/choose/cost.h"
#include "plan/layout/windows.h"

namespace concilio::plan {
namespace {

std::span<const Realm> realms_of(const Layout& layout, const Group& group) {
  const auto first = static_cast<size_t>(group.first_realm), end = static_cast<size_t>(group.end_realm);
  return std::span(layout.realms).subspan(first, end - first);
}

// The number of stretches of the file in which a realm's bytes lie.
double requests_of(const Realm& realm) {
  const auto stretches = static_cast<double>(realm.positions.size());
  if (realm.piece_bytes <= 0) return stretches;
  return stretches + static_cast<double>(realm.bytes) / static_cast<double>(realm.piece_bytes);
}

// What the ranks of a group ask for. The pieces of a call are shared among its groups as its bytes are.
WantedShape wanted_of(const Facts& facts, const Group& group) {
  const auto all = static_cast<double>(facts.digest.bytes);
  const double bytes = group.data_bytes > 0 ? static_cast<double>(group.data_bytes) : all;
  return {bytes, static_cast<double>(facts.digest.file_pieces) * std::min(1.0, bytes / std::max(1.0, all))};
}

bool marks_pay(const Facts& facts, const Layout& layout, const Group& group, const Prices& prices) {
  const std::span<const Realm> realms = realms_of(layout, group);
  const WantedShape wanted = wanted_of(facts, group);
  const WindowSums all = sums_of(realms);
  // A window that is wanted by half is read whole, see fetch_window.
  if (2 * wanted.bytes > all.bytes || facts.wishes.sieving == Choice3::enable) return false;
  if (facts.wishes.sieving == Choice3::disable) return true;
  const ReadingCosts costs = reading_costs(all, wanted, prices);
  const double at_once =
      together(facts, static_cast<double>(realms.size()), static_cast<double>(layout.window_bytes), prices);
  return (costs.whole.seconds() - costs.wanted.seconds()) / at_once >
         static_cast<double>(group.rounds) * round_seconds(facts, prices);
}

}  // namespace

bool knows_wanted(const Layout& layout, const Group& group) {
  return group.marks_wanted || (layout.exchange == ExchangeStrategy::descriptions && group.nodes.size() > 1);
}

void choose_reading(const Facts& facts, Layout& layout, const Prices& prices) {
  if (facts.operation != Operation::read) return;
  for (Group& group : layout.groups) {
    // In MPI_Alltoallw the nodes' wishes come when the window has been read.
    const bool may = layout.exchange != ExchangeStrategy::alltoallw || group.nodes.size() < 2;
    group.marks_wanted = may && !knows_wanted(layout, group) && marks_pay(facts, layout, group, prices);
  }
}

WindowSums sums_of(std::span<const Realm> realms) {
  WindowSums all;
  double stretches = 0;
  for (const Realm& realm : realms) {
    const double requests = requests_of(realm);
    stretches += requests;
    all.windows += std::max(static_cast<double>(rounds_of(realm)), requests);
    all.bytes += static_cast<double>(realm.bytes);
  }
  all.jumps = realms.size() > 1 ? all.windows : stretches;
  return all;
}

ReadingCosts reading_costs(const WindowSums& all, const WantedShape& wanted, const Prices& prices) {
  return {transferred(all.windows, all.bytes, all.jumps, prices.read),
          transferred(wanted.pieces, wanted.bytes, wanted.pieces, prices.read)};
}

}  // namespace concilio::plan
