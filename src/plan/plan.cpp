#include "plan/plan.h"

#include <algorithm>

#include "base/checked.h"
#include "plan/choose/cheapest_layout.h"
#include "plan/choose/method_table.h"
#include "plan/facts/prices.h"
#include "plan/facts/spans.h"
#include "plan/layout/footprint.h"
#include "plan/layout/lay_out.h"
#include "plan/reason.h"

namespace concilio {
namespace {

using LayOut = Layout (*)(const Facts& facts, const std::vector<Interval>& spans);

// Prices every method with these spans. `layout` receives what two-phase would do, where it is legal.
std::vector<Candidate> price_methods(const Facts& facts, const std::vector<Interval>& spans, LayOut lay_out,
                                     Layout& layout) {
  const Prices& prices = prices_of(facts);
  std::vector<Candidate> candidates;
  for (const MethodRow& row : method_rows()) {
    std::string obstacle = row.obstacle(facts);
    if (!obstacle.empty()) {
      candidates.push_back({row.method, false, 0, std::move(obstacle)});
      continue;
    }
    if (row.method == Method::two_phase) layout = lay_out(facts, spans);
    const Cost cost = spans.empty() ? Cost{} : row.cost(facts, layout, prices);
    const Experience& known = facts.experience;
    candidates.push_back({row.method, true, cost.seconds(), cost.text(), known.calls(row.method),
                          known.seconds(row.method).value_or(0)});
  }
  return candidates;
}

// What the spans would be if the bytes asked for lay without holes.
std::vector<Interval> dense_spans(const Digest& digest) {
  if (digest.bytes <= 0 || digest.end <= digest.first) return {};
  return {{digest.first, digest.first + std::min(digest.bytes, digest.end - digest.first)}};
}

}  // namespace

bool needs_buckets(const Facts& facts) {
  if (facts.digest.bytes <= 0 || !method_row(Method::two_phase).obstacle(facts).empty()) return false;
  Layout layout;
  return choose_method(facts, price_methods(facts, dense_spans(facts.digest), usual_layout, layout)).method ==
         Method::two_phase;
}

Plan plan(const Facts& facts) {
  const std::vector<Interval> spans = file_spans(facts);
  Layout layout;
  // There is no need to look for the best layout where another method is asked for.
  const int32_t forced = facts.wishes.forced_method;
  const bool may_win = forced < 0 || forced == static_cast<int32_t>(Method::two_phase);
  std::vector<Candidate> candidates =
      price_methods(facts, spans, may_win ? cheapest_layout : usual_layout, layout);
  // A call without bytes is nobody's work, whatever the wishes.
  const Choice choice = spans.empty() ? Choice{} : choose_method(facts, candidates);
  Plan plan;
  if (choice.method == Method::two_phase) static_cast<Layout&>(plan) = std::move(layout);
  plan.operation = facts.operation;
  plan.method = choice.method;
  plan.wished = choice.wished;
  plan.candidates = std::move(candidates);
  if (plan.method == Method::sieve) {
    plan.sieve_buffer_bytes = plan.peak_bytes = sieve_buffer_bytes(facts);
    plan.warning = memory_limit(facts).warning;
  }
  plan.reason = reason_for(facts, plan, choice);
  return plan;
}

}  // namespace concilio
