#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "base/config.h"
#include "plan/explain_two_phase.h"
#include "plan/placement.h"
#include "plan/plan.h"
#include "plan/price.h"
#include "plan/realms.h"

namespace concilio {
namespace {

using nlohmann::json;

constexpr size_t realms_shown = 16;

const char* operation_name(Operation operation) {
  return operation == Operation::read ? "read" : "write";
}

const char* kind_name(StorageFacts::Kind kind) {
  switch (kind) {
    case StorageFacts::Kind::local:
      return "local";
    case StorageFacts::Kind::memory:
      return "memory";
    case StorageFacts::Kind::network:
      return "network";
    case StorageFacts::Kind::parallel:
      return "parallel";
    case StorageFacts::Kind::unknown:
      break;
  }
  return "unknown";
}

const char* choice_name(Choice3 choice) {
  switch (choice) {
    case Choice3::enable:
      return "enable";
    case Choice3::disable:
      return "disable";
    case Choice3::automatic:
      break;
  }
  return "automatic";
}

std::string counted(int64_t count, const char* noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

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
  out += fmt::format("\nstorage: {}", kind_name(facts.storage.kind));
  if (facts.storage.block_bytes > 0)
    out += fmt::format(", blocks of {}", format_bytes(facts.storage.block_bytes));
  if (facts.storage.stripe_bytes > 0) {
    out += fmt::format(", stripes of {} over {}", format_bytes(facts.storage.stripe_bytes),
                       counted(facts.storage.stripe_targets, "target"));
  }
  return out + "\n";
}

std::string candidate_table(const Plan& plan) {
  std::string out = fmt::format("  {:<12} {:>10}  {}\n", "method", "predicted", "because of");
  for (const Candidate& candidate : plan.candidates) {
    out +=
        fmt::format("{} {:<12} {:>10}  {}{}\n", candidate.method == plan.method ? '*' : ' ',
                    method_name(candidate.method), candidate.legal ? format_seconds(candidate.seconds) : "-",
                    candidate.legal ? "" : "not possible: ", candidate.why);
  }
  return out;
}

json digest_json(const Digest& digest) {
  return {{"first", digest.first},
          {"end", digest.end},
          {"bytes", digest.bytes},
          {"file_pieces", digest.file_pieces},
          {"memory_pieces", digest.memory_pieces},
          {"span", digest.span},
          {"ranks", digest.ranks},
          {"ranks_with_data", digest.ranks_with_data},
          {"max_rank_bytes", digest.max_rank_bytes},
          {"max_rank_file_pieces", digest.max_rank_file_pieces},
          {"granule", digest.granule},
          {"anchor", digest.anchor},
          {"monotone", digest.monotone != 0}};
}

json wishes_json(const Wishes& wishes) {
  json forced;
  if (wishes.forced_method >= 0) forced = method_name(static_cast<Method>(wishes.forced_method));
  return {{"window_bytes", wishes.window_bytes},
          {"aggregators", wishes.aggregators},
          {"aggregators_per_node", wishes.aggregators_per_node},
          {"alignment_bytes", wishes.alignment_bytes},
          {"realms", realm_policy_name(wishes.realms)},
          {"realm_block_bytes", wishes.realm_block_bytes},
          {"placement", placement_row(wishes.placement).name},
          {"groups", wishes.groups},
          {"group_bytes", wishes.group_bytes},
          {"domain_bytes", wishes.domain_bytes},
          {"memory_min_bytes", wishes.memory_min_bytes},
          {"memory_limit_bytes", wishes.memory_limit_bytes},
          {"sieve_buffer_bytes", wishes.sieve_buffer_bytes},
          {"collective", choice_name(wishes.collective)},
          {"sieving", choice_name(wishes.sieving)},
          {"no_independent", wishes.no_independent},
          {"forced_method", forced}};
}

json facts_json(const Facts& facts) {
  json nodes = json::array();
  for (const NodeFacts& node : facts.nodes) {
    json free_bytes;
    if (node.free_bytes != INT64_MAX) free_bytes = node.free_bytes;
    json spans = json::array();
    for (const Interval& span : node.spans) spans.push_back({span.begin, span.end});
    nodes.push_back({{"ranks", node.ranks},
                     {"free_bytes", free_bytes},
                     {"candidates", node.candidates},
                     {"bytes", node.bytes},
                     {"spans", spans}});
  }
  json buckets = json::array();
  for (const Bucket& bucket : facts.buckets) {
    if (bucket.bytes > 0) buckets.push_back({bucket.first, bucket.end, bucket.bytes});
  }
  return {{"operation", operation_name(facts.operation)},
          {"collective", facts.collective},
          {"locks_work", facts.locks_work},
          {"atomic", facts.atomic},
          {"cores_per_node", facts.cores_per_node},
          {"digest", digest_json(facts.digest)},
          {"buckets", buckets},
          {"nodes", nodes},
          {"storage",
           {{"kind", kind_name(facts.storage.kind)},
            {"block_bytes", facts.storage.block_bytes},
            {"stripe_bytes", facts.storage.stripe_bytes},
            {"stripe_targets", facts.storage.stripe_targets}}},
          {"wishes", wishes_json(facts.wishes)}};
}

json candidates_json(const Plan& plan) {
  json out = json::array();
  for (const Candidate& candidate : plan.candidates) {
    json seconds;
    if (candidate.legal) seconds = candidate.seconds;
    out.push_back({{"method", method_name(candidate.method)},
                   {"legal", candidate.legal},
                   {"seconds", seconds},
                   {"why", candidate.why}});
  }
  return out;
}

}  // namespace

std::string explain_text(const Facts& facts, const Plan& plan) {
  std::string out = header(facts);
  out += fmt::format("chosen: {}\n", plan.reason);
  out += candidate_table(plan);
  if (plan.method == Method::two_phase) out += explain_two_phase_text(facts, plan);
  if (plan.method == Method::sieve) {
    out += fmt::format("memory of a rank: {}, the sieve buffer\n", format_bytes(plan.sieve_buffer_bytes));
  }
  if (!plan.warning.empty()) out += fmt::format("warning: {}\n", plan.warning);
  return out;
}

std::string explain_json(const Facts& facts, const Plan& plan) {
  json out = {{"facts", facts_json(facts)},    {"method", method_name(plan.method)},
              {"reason", plan.reason},         {"candidates", candidates_json(plan)},
              {"peak_bytes", plan.peak_bytes}, {"warning", plan.warning}};
  if (plan.method == Method::two_phase) out["two_phase"] = explain_two_phase_json(facts, plan);
  if (plan.method == Method::sieve) out["sieve"] = {{"buffer_bytes", plan.sieve_buffer_bytes}};
  return out.dump(2);
}

}  // namespace concilio
