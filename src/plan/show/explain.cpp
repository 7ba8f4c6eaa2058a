#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "base/settings/config.h"
#include "base/text/bytes.h"
#include "base/text/format_count.h"
#include "base/text/format_seconds.h"
#include "plan/layout/placement.h"
#include "plan/layout/realms.h"
#include "plan/plan.h"
#include "plan/show/candidate_json.h"
#include "plan/show/explain.h"
#include "plan/show/explain_two_phase.h"
#include "plan/show/facts_json.h"
#include "plan/show/reason_text.h"

namespace concilio::plan {
namespace {

using nlohmann::json;

std::string header(const Facts& facts) {
  const Digest& digest = facts.digest;
  std::string out =
      fmt::format("{} {} by {} on {}: {}", facts.collective ? "collective" : "independent",
                  operation_name(facts.operation), counted(digest.ranks, "rank"),
                  counted(static_cast<int64_t>(std::max<size_t>(1, facts.nodes.size())), "node"),
                  format_bytes(digest.bytes));
  if (digest.bytes > 0) {
    out += fmt::format(" in {} of the file, offsets [{}, {})", counted(digest.file_pieces, "piece"),
                       digest.first, digest.end);
  }
  out += fmt::format("\nstorage: {}", storage_kind_name(facts.storage.kind));
  if (facts.storage.block_bytes > 0)
    out += fmt::format(", blocks of {}", format_bytes(facts.storage.block_bytes));
  if (facts.storage.stripe_bytes > 0) {
    out += fmt::format(", stripes of {}", format_bytes(facts.storage.stripe_bytes));
    if (facts.storage.stripe_targets > 0)
      out += fmt::format(" over {}", counted(facts.storage.stripe_targets, "target"));
    if (facts.storage.revoke_ns > 0)
      out += fmt::format(", {} to take one's lock from another node",
                         format_seconds(static_cast<double>(facts.storage.revoke_ns) * 1e-9));
  }
  return out + "\n";
}

std::string candidate_table(const Plan& plan) {
  const bool measured = std::any_of(plan.candidates.begin(), plan.candidates.end(),
                                    [](const Candidate& candidate) { return candidate.calls > 0; });
  const auto column = [&](const std::string& text) { return measured ? fmt::format(" {:>10}", text) : ""; };
  std::string out =
      fmt::format("  {:<12} {:>10}{}  {}\n", "method", "predicted", column("measured"), "because of");
  for (const Candidate& candidate : plan.candidates) {
    out +=
        fmt::format("{} {:<12} {:>10}{}  {}{}\n", candidate.chosen ? '*' : ' ', method_name(candidate.method),
                    candidate.legal ? format_seconds(candidate.predicted_seconds) : "-",
                    column(candidate.calls > 0 ? format_seconds(candidate.measured_seconds) : "-"),
                    candidate.legal ? "" : "not possible: ", text_of(plan.appraisal(candidate.method)));
  }
  return out;
}

json candidates_with_grounds(const Plan& plan) {
  json out = json::array();
  for (const Candidate& candidate : plan.candidates) {
    out.push_back(candidate_json(candidate));
    out.back()["why"] = text_of(plan.appraisal(candidate.method));
  }
  return out;
}

}  // namespace

std::string explain_text(const Facts& facts, const Plan& plan) {
  std::string out = header(facts);
  out += fmt::format("chosen: {}\n", text_of(plan.reason));
  out += candidate_table(plan);
  if (plan.method == Method::two_phase) out += explain_two_phase_text(facts, plan);
  if (plan.buffer_bytes > 0) {
    out += fmt::format("memory of a rank: {}, the {}\n", format_bytes(plan.buffer_bytes),
                       plan.method == Method::sieve ? "sieve buffer" : "buffer that its data pass through");
  }
  if (!plan.warning.empty()) out += fmt::format("warning: {}\n", plan.warning);
  return out;
}

std::string explain_json(const Facts& facts, const Plan& plan) {
  json out = {{"facts", facts_as_json(facts)},  {"method", method_name(plan.method)},
              {"reason", text_of(plan.reason)}, {"candidates", candidates_with_grounds(plan)},
              {"peak_bytes", plan.peak_bytes},  {"warning", plan.warning}};
  if (plan.method == Method::two_phase) out["two_phase"] = explain_two_phase_json(facts, plan);
  if (plan.buffer_bytes > 0)
    out[std::string(method_name(plan.method))] = {{"buffer_bytes", plan.buffer_bytes}};
  return out.dump(2);
}

}  // namespace concilio::plan
