#include "plan/plan.h"

#include <algorithm>

#include "base/checked.h"
#include "plan/choose/cheapest_layout.h"
#include "plan/choose/method_table.h"
#include "plan/choose/methods/independent.h"
#include "plan/facts/prices.h"
#include "plan/facts/spans.h"
#include "plan/layout/footprint.h"
#include "plan/layout/lay_out.h"

namespace concilio::plan {
namespace {

using LayOut = Layout (*)(const Facts& facts, const std::vector<pattern::Interval>& spans);

// Finds the methods that do all that others do. Elsewhere than in a cache, storage may well serve them
// better.
void compare_costs(const Facts& facts, Plan& plan) {
  if (!prices_of(facts).from_memory) return;
  const bool by_one_request = one_request_each(facts.digest);
  for (const Candidate& one : plan.candidates) plan.candidates[one.method].outdone_by = 0;
  for (const Candidate& one : plan.candidates) {
    for (const Candidate& other : plan.candidates) {
      if (one.method == other.method || !one.legal || !other.legal) continue;
      const bool least = by_one_request && other.method == Method::independent;
      if (least || plan.appraisal(one.method).cost.includes(plan.appraisal(other.method).cost))
        plan.candidates[one.method].outdone_by |= 1U << static_cast<int>(other.method);
    }
  }
}

// Prices every method with these spans. `layout` receives the layout of two_phase, if that method is legal.
void price_methods(const Facts& facts, const std::vector<pattern::Interval>& spans, LayOut lay_out,
                   Plan& plan, Layout& layout) {
  const Prices& prices = prices_of(facts);
  for (const MethodRow& row : method_rows()) {
    Candidate candidate{row.method};
    Appraisal& appraisal = plan.appraisals[static_cast<size_t>(row.method)];
    appraisal.obstacle = row.obstacle(facts);
    candidate.legal = appraisal.obstacle.empty();
    if (candidate.legal) {
      if (row.method == Method::two_phase) {
        layout = lay_out(facts, spans);
        candidate.first_use_seconds = first_use_seconds(layout.segment_bytes);
      }
      if (!spans.empty()) appraisal.cost = row.cost(facts, layout, prices);
      candidate.predicted_seconds = appraisal.cost.seconds();
      candidate.calls = facts.experience.calls(row.method);
      candidate.measured_seconds = facts.experience.seconds(row.method).value_or(0);
    }
    plan.candidates.add(candidate);
  }
}

// Prices two_phase again, with another layout.
void price_two_phase(const Facts& facts, const Layout& layout, Plan& plan) {
  Candidate& candidate = plan.candidates[Method::two_phase];
  Cost& cost = plan.appraisals[static_cast<size_t>(candidate.method)].cost;
  cost = method_row(candidate.method).cost(facts, layout, prices_of(facts));
  candidate.first_use_seconds = first_use_seconds(layout.segment_bytes);
  candidate.predicted_seconds = cost.seconds();
}

// The spans that the call would have if the bytes asked for had no holes between them.
std::vector<pattern::Interval> dense_spans(const Digest& digest) {
  if (digest.bytes <= 0 || digest.end <= digest.first) return {};
  return {{digest.first, digest.first + std::min(digest.bytes, digest.end - digest.first)}};
}

Expected expected(const Candidate& candidate) {
  const bool measured = candidate.calls > 0;
  return {measured ? candidate.measured_seconds : candidate.predicted_seconds, measured};
}

// Compares the chosen method with the best of the other legal ones.
Comparison compare(const Candidates& candidates, const Choice& choice) {
  Comparison comparison;
  comparison.taken = expected(candidates[choice.method]);
  for (const Candidate& candidate : candidates) {
    if (!candidate.legal || candidate.method == choice.method) continue;
    const Expected other = expected(candidate);
    if (comparison.other && other.seconds >= comparison.of_other.seconds) continue;
    comparison.other = candidate.method;
    comparison.of_other = other;
  }
  // The chosen method is dearer by more than this only if it is on trial, because few calls have run it yet.
  constexpr double much_slower = 1.06;
  comparison.trial = comparison.other && !choice.wished &&
                     comparison.taken.seconds > much_slower * comparison.of_other.seconds;
  return comparison;
}

Reason reason_of(const Facts& facts, const Plan& plan, const Choice& choice) {
  Reason reason;
  Grounds& grounds = reason.grounds;
  grounds.method = choice.method;
  if (facts.digest.bytes <= 0) {
    grounds.merit = {"no rank asks for any bytes"};
    return reason;
  }
  grounds.wish = choice.wish;
  grounds.refused = choice.refused;
  if (choice.refused) grounds.obstacle = plan.appraisal(*choice.refused).obstacle;
  if (!choice.wished) grounds.merit = method_row(choice.method).merit(facts, plan);
  reason.comparison = compare(plan.candidates, choice);
  return reason;
}

// Whether two_phase may be chosen for what it costs. Only then the best layout is needed.
bool may_win(const Facts& facts) {
  const Wishes& wishes = facts.wishes;
  if (wishes.forced_method >= 0) return wishes.forced_method == static_cast<int32_t>(Method::two_phase);
  const bool outdone = prices_of(facts).from_memory && one_request_each(facts.digest);
  return !outdone || wishes.collective == Choice3::enable || wishes.no_independent;
}

// A plan without prices by which each rank passes its request on. It is never freed.
const Plan* passing_on(const Phrase& merit) {
  auto* made = new Plan;
  made->method = Method::independent;
  made->reason.grounds.merit = merit;
  return made;
}

// Whether two_phase would be chosen if all bytes lay side by side.
bool chooses_two_phase(const Facts& facts) {
  const std::vector<pattern::Interval> spans = dense_spans(facts.digest);
  Plan plan;
  Layout layout;
  price_methods(facts, spans, usual_layout, plan, layout);
  const auto is_chosen = [&] {
    if (facts.experience.calls() > 0) compare_costs(facts, plan);
    return choose_method(facts, plan.candidates).method == Method::two_phase;
  };
  // The usual layout is made faster, but another one may be what makes two_phase the cheapest.
  if (is_chosen()) return true;
  if (!may_win(facts)) return false;
  layout = cheapest_layout_after(facts, spans, std::move(layout));
  price_two_phase(facts, layout, plan);
  return is_chosen();
}

}  // namespace

bool leaves_no_holes(Operation operation, const Digest& digest) {
  const bool once = operation == Operation::write || digest.max_rank_file_pieces <= 1;
  return once && digest.bytes == digest.end - digest.first;
}

bool needs_buckets(const Facts& facts) {
  const Digest& digest = facts.digest;
  if (digest.bytes <= 0 || !obstacle_to_two_phase(facts).empty()) return false;
  // On several nodes, buckets also say which node has which bytes.
  if (facts.nodes.size() == 1 && leaves_no_holes(facts.operation, digest)) return false;
  return chooses_two_phase(facts);
}

Plan plan(const Facts& facts) {
  const std::vector<pattern::Interval> spans = file_spans(facts);
  Plan plan;
  Layout layout;
  price_methods(facts, spans, may_win(facts) ? cheapest_layout : usual_layout, plan, layout);
  compare_costs(facts, plan);
  // If no rank asks for bytes nothing is chosen, whatever the wishes.
  const Choice choice = spans.empty() ? Choice{} : choose_method(facts, plan.candidates);
  if (choice.method == Method::two_phase) static_cast<Layout&>(plan) = std::move(layout);
  plan.operation = facts.operation;
  plan.file_pieces = facts.digest.file_pieces;
  plan.method = choice.method;
  plan.wished = choice.wished;
  plan.candidates[plan.method].chosen = true;
  if (plan.method == Method::sieve) {
    plan.buffer_bytes = plan.peak_bytes = sieve_buffer_bytes(facts);
    plan.warning = memory_limit(facts).warning;
  }
  if (plan.method == Method::independent && copies_first(facts))
    plan.buffer_bytes = plan.peak_bytes = sieve_buffer_bytes(facts);
  plan.reason = reason_of(facts, plan, choice);
  return plan;
}

const Plan& plan_of_one_stretch() {
  static const Plan& plan = *passing_on({"one stretch of the file"});
  return plan;
}

const Plan& plan_of_small_pieces() {
  static const Plan& plan = *passing_on({"each rank's bytes are one small stretch of the file"});
  return plan;
}

Plan plan_at_first_sight(Method method, Operation operation, const Digest& digest) {
  Plan plan;
  plan.operation = operation;
  plan.method = method;
  plan.file_pieces = digest.file_pieces;
  if (plan.method == Method::sieve)
    plan.buffer_bytes = plan.peak_bytes = std::min(digest.end - digest.first, most_bytes_at_first_sight);
  plan.reason.grounds.method = method;
  plan.reason.grounds.merit = {
      plan.method == Method::sieve
          ? "the pattern is new, and all of it lies so close that a plan would take longer"
      : plan.method == Method::independent
          ? "the pattern is new, and one stretch of the file"
          : "the pattern is new, and has so few pieces that a plan would take longer"};
  return plan;
}

}  // namespace concilio::plan
