#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "base/config.h"
#include "plan/plan.h"
#include "plan/price.h"
#include "plan/two_phase.h"

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

std::string two_phase_part(const Plan& plan) {
  std::string out =
      fmt::format("{}, {} in up to {}; {} alternating buffers; realm borders at multiples of {}\n",
                  counted(static_cast<int64_t>(plan.realms.size()), "realm"),
                  "windows of " + format_bytes(plan.window_bytes), counted(plan.rounds, "round"), plan.slots,
                  format_bytes(plan.alignment));
  out += fmt::format("  {:>5} {:>10} {:>5} {:>10} {:>6}  {}\n", "realm", "aggregator", "node", "bytes",
                     "rounds", "offsets");
  for (size_t i = 0; i < std::min(realms_shown, plan.realms.size()); ++i) {
    const Realm& realm = plan.realms[i];
    const std::string parts = realm.spans.size() == 1 ? "" : fmt::format(" in {} spans", realm.spans.size());
    out += fmt::format("  {:>5} {:>10} {:>5} {:>10} {:>6}  [{}, {}){}\n", i, realm.aggregator, realm.node,
                       format_bytes(realm.bytes), rounds_of(plan, realm), realm.spans.front().begin,
                       realm.spans.back().end, parts);
  }
  if (plan.realms.size() > realms_shown)
    out += fmt::format("  ... {} more\n", plan.realms.size() - realms_shown);
  out += fmt::format("memory of a rank: {} at most; {} shared on each node, {} of an aggregator's own\n",
                     format_bytes(plan.peak_bytes), format_bytes(plan.segment_bytes),
                     format_bytes(plan.staging_bytes));
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
    nodes.push_back({{"ranks", node.ranks}, {"free_bytes", free_bytes}, {"candidates", node.candidates}});
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

json two_phase_json(const Plan& plan) {
  json realms = json::array();
  for (const Realm& realm : plan.realms) {
    json spans = json::array();
    for (const Interval& span : realm.spans) spans.push_back({span.begin, span.end});
    realms.push_back({{"aggregator", realm.aggregator},
                      {"node", realm.node},
                      {"bytes", realm.bytes},
                      {"rounds", rounds_of(plan, realm)},
                      {"spans", spans}});
  }
  return {{"realms", realms},
          {"window_bytes", plan.window_bytes},
          {"slots", plan.slots},
          {"rounds", plan.rounds},
          {"alignment", plan.alignment},
          {"granule", plan.granule.granule},
          {"anchor", plan.granule.anchor},
          {"map_bytes", plan.map_bytes},
          {"image_bytes", plan.image_bytes},
          {"segment_bytes", plan.segment_bytes},
          {"staging_bytes", plan.staging_bytes}};
}

}  // namespace

std::string explain_text(const Facts& facts, const Plan& plan) {
  std::string out = header(facts);
  out += fmt::format("chosen: {}\n", plan.reason);
  out += candidate_table(plan);
  if (plan.method == Method::two_phase) out += two_phase_part(plan);
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
  if (plan.method == Method::two_phase) out["two_phase"] = two_phase_json(plan);
  if (plan.method == Method::sieve) out["sieve"] = {{"buffer_bytes", plan.sieve_buffer_bytes}};
  return out.dump(2);
}

}  // namespace concilio
