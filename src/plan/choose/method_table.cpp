#include "plan/choose/method_table.h"

#include <array>

#include "plan/choose/next_method.h"

namespace concilio::plan {
namespace {

constexpr std::array<MethodRow, method_count> method_table = {{
#define METHOD(name, ranks, writes, summary) \
  {Method::name, obstacle_to_##name, cost_of_##name, merit_of_##name},
#include "base/methods.def"
}};

Choice choose_unforced(const Facts& facts, const Candidates& candidates) {
  const bool reads = facts.operation == Operation::read;
  if (candidates[Method::two_phase].legal) {
    if (facts.wishes.collective == Choice3::enable) {
      const char* words = reads ? "romio_cb_read=enable asks for it" : "romio_cb_write=enable asks for it";
      return {Method::two_phase, true, {words}, {}};
    }
    if (facts.wishes.no_independent) return {Method::two_phase, true, {"romio_no_indep_rw asks for it"}, {}};
  }
  Choice choice{next_method(candidates, facts.experience), false, {}, {}};
  if (choice.method == Method::sieve) choice.wish = obstacle_to_list(facts);
  return choice;
}

}  // namespace

std::span<const MethodRow> method_rows() {
  return method_table;
}

const MethodRow& method_row(Method method) {
  return method_table[static_cast<size_t>(method)];
}

Choice choose_method(const Facts& facts, const Candidates& candidates) {
  const int32_t forced = facts.wishes.forced_method;
  if (forced < 0 || forced >= method_count) return choose_unforced(facts, candidates);
  const auto asked = static_cast<Method>(forced);
  if (candidates[asked].legal)
    return {asked, true, {"concilio_method={} asks for it", {Quantity::name(asked)}}, {}};
  Choice choice = choose_unforced(facts, candidates);
  choice.refused = asked;
  return choice;
}

}  // namespace concilio::plan
