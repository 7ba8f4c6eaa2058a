#include "plan/show/facts_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "base/text/json_place.h"
#include "plan/choose/method_table.h"
#include "plan/facts/prices_json.h"
#include "plan/layout/placement.h"
#include "plan/layout/realms.h"
#include "plan/plan.h"
#include "plan/show/explain.h"

namespace concilio::plan {
namespace {

using nlohmann::json;

constexpr std::array operation_names = {"read", "write"};
constexpr std::array kind_names = {"local", "memory", "network", "parallel", "unknown"};
constexpr std::array exchange_names = {"auto", "descriptions", "images", "alltoallw"};
constexpr std::array choice_names = {"automatic", "enable", "disable"};

template <typename Enum, size_t n>
const char* name_in(const std::array<const char*, n>& names, Enum value) {
  return names[static_cast<size_t>(value)];
}

struct DigestField {
  const char* name;
  int64_t Digest::*member;
};
constexpr DigestField digest_fields[] = {
    {"first", &Digest::first},
    {"end", &Digest::end},
    {"bytes", &Digest::bytes},
    {"file_pieces", &Digest::file_pieces},
    {"memory_pieces", &Digest::memory_pieces},
    {"span", &Digest::span},
    {"ranks", &Digest::ranks},
    {"ranks_with_data", &Digest::ranks_with_data},
    {"max_rank_bytes", &Digest::max_rank_bytes},
    {"max_rank_file_pieces", &Digest::max_rank_file_pieces},
    {"granule", &Digest::granule},
    {"anchor", &Digest::anchor},
    {"description_bytes", &Digest::description_bytes},
};

struct WishField {
  const char* name;
  int64_t Wishes::*member;
};
constexpr WishField wish_fields[] = {
    {"window_bytes", &Wishes::window_bytes},
    {"aggregators", &Wishes::aggregators},
    {"aggregators_per_node", &Wishes::aggregators_per_node},
    {"alignment_bytes", &Wishes::alignment_bytes},
    {"realm_block_bytes", &Wishes::realm_block_bytes},
    {"write_behind_bytes", &Wishes::write_behind_bytes},
    {"group_bytes", &Wishes::group_bytes},
    {"domain_bytes", &Wishes::domain_bytes},
    {"memory_min_bytes", &Wishes::memory_min_bytes},
    {"combine_nodes", &Wishes::combine_nodes},
    {"memory_limit_bytes", &Wishes::memory_limit_bytes},
    {"sieve_buffer_bytes", &Wishes::sieve_buffer_bytes},
};

json digest_json(const Digest& digest) {
  json out;
  for (const DigestField& field : digest_fields) out[field.name] = digest.*field.member;
  out["monotone"] = digest.monotone != 0;
  return out;
}

json wishes_json(const Wishes& wishes) {
  json out;
  for (const WishField& field : wish_fields) out[field.name] = wishes.*field.member;
  out["realms"] = realm_policy_name(wishes.realms);
  out["placement"] = placement_row(wishes.placement).name;
  out["groups"] = wishes.groups;
  out["pipelining"] = wishes.pipelining;
  out["exchange"] = name_in(exchange_names, wishes.exchange);
  out["alltoallw"] = name_in(choice_names, wishes.alltoallw);
  out["collective"] = name_in(choice_names, wishes.collective);
  out["sieving"] = name_in(choice_names, wishes.sieving);
  out["no_independent"] = wishes.no_independent;
  out["forced_method"] = json();
  if (wishes.forced_method >= 0)
    out["forced_method"] = method_name(static_cast<Method>(wishes.forced_method));
  return out;
}

json nodes_json(const Facts& facts) {
  json nodes = json::array();
  for (const NodeFacts& node : facts.nodes) {
    json free_bytes;
    if (node.free_bytes != INT64_MAX) free_bytes = node.free_bytes;
    json spans = json::array();
    for (const pattern::Interval& span : node.spans) spans.push_back({span.begin, span.end});
    nodes.push_back({{"ranks", node.ranks},
                     {"free_bytes", free_bytes},
                     {"candidates", node.candidates},
                     {"bytes", node.bytes},
                     {"spans", spans}});
  }
  return nodes;
}

// Reads the number if the document has it; else `out` stays.
void read_number(const JsonPlace& object, const char* name, int64_t& out) {
  if (const auto place = object.find(name)) out = place->whole_number();
}
void read_truth(const JsonPlace& object, const char* name, bool& out) {
  if (const auto place = object.find(name)) out = place->truth();
}
template <typename Enum, size_t n>
void read_name(const JsonPlace& object, const char* name, const std::array<const char*, n>& names,
               Enum& out) {
  if (const auto place = object.find(name))
    out = static_cast<Enum>(place->index_among(n, [&](int64_t i) { return names[static_cast<size_t>(i)]; }));
}

Digest read_digest(const JsonPlace& in) {
  Digest digest;
  for (const DigestField& field : digest_fields) digest.*field.member = in.at(field.name).whole_number();
  digest.monotone = in.at("monotone").truth();
  if (digest.bytes > 0 && digest.end <= digest.first) in.at("end").refuse("is not behind digest.first");
  if (digest.ranks < 1) in.at("ranks").refuse("is 0; it is at least 1");
  if (digest.ranks_with_data > digest.ranks) in.at("ranks_with_data").refuse("is more than digest.ranks");
  return digest;
}

std::vector<Bucket> read_buckets(const JsonPlace& in) {
  std::vector<Bucket> out;
  for (const JsonPlace& one : in.list()) {
    const auto numbers = one.list_of(3, "[first, end, bytes]");
    const Bucket bucket{numbers[0].whole_number(), numbers[1].whole_number(), numbers[2].whole_number()};
    if (bucket.end <= bucket.first || (!out.empty() && bucket.first < out.back().end))
      one.refuse("does not lie behind its predecessor: they are not ascending");
    out.push_back(bucket);
  }
  return out;
}

NodeFacts read_node(const JsonPlace& in) {
  NodeFacts node;
  node.ranks = in.at("ranks").whole_number(1);
  if (const auto free_bytes = in.find("free_bytes")) node.free_bytes = free_bytes->whole_number();
  const JsonPlace candidates = in.at("candidates");
  for (const JsonPlace& rank : candidates.list()) {
    const int64_t number = rank.whole_number();
    if (number > INT32_MAX) rank.refuse(fmt::format("is {}, and there is no such rank", number));
    node.candidates.push_back(static_cast<int>(number));
  }
  if (node.candidates.empty()) candidates.refuse("is empty");
  node.bytes = in.at("bytes").whole_number();
  for (const JsonPlace& one : in.at("spans").list()) {
    const auto borders = one.list_of(2, "[begin, end]");
    const pattern::Interval span{borders[0].whole_number(), borders[1].whole_number()};
    if (span.empty() || (!node.spans.empty() && span.begin < node.spans.back().end))
      one.refuse("does not lie behind its predecessor: they are not ascending");
    node.spans.push_back(span);
  }
  return node;
}

StorageFacts read_storage(const JsonPlace& in) {
  StorageFacts storage;
  read_name(in, "kind", kind_names, storage.kind);
  read_number(in, "block_bytes", storage.block_bytes);
  read_number(in, "stripe_bytes", storage.stripe_bytes);
  read_number(in, "stripe_targets", storage.stripe_targets);
  read_number(in, "revoke_ns", storage.revoke_ns);
  read_number(in, "open_ns", storage.open_ns);
  read_number(in, "uncached", storage.uncached);
  read_number(in, "rotational", storage.rotational);
  read_number(in, "aggregators_per_node", storage.aggregators_per_node);
  read_number(in, "memory_min_bytes", storage.memory_min_bytes);
  return storage;
}

Method read_method(const JsonPlace& in) {
  return static_cast<Method>(
      in.index_among(method_count, [](int64_t i) { return method_name(static_cast<Method>(i)); }));
}

Wishes read_wishes(const JsonPlace& in) {
  Wishes wishes;
  for (const WishField& field : wish_fields) read_number(in, field.name, wishes.*field.member);
  if (const auto realms = in.find("realms")) {
    const auto policies = static_cast<int64_t>(realm_policy_rows().size()) + 1;
    wishes.realms = static_cast<RealmPolicy>(realms->index_among(
        policies, [](int64_t i) { return realm_policy_name(static_cast<RealmPolicy>(i)); }));
  }
  if (const auto placement = in.find("placement")) {
    const auto places = static_cast<int64_t>(placement_rows().size());
    wishes.placement = static_cast<Placement>(placement->index_among(
        places, [](int64_t i) { return placement_rows()[static_cast<size_t>(i)].name; }));
  }
  read_truth(in, "groups", wishes.groups);
  read_truth(in, "pipelining", wishes.pipelining);
  read_name(in, "exchange", exchange_names, wishes.exchange);
  read_name(in, "alltoallw", choice_names, wishes.alltoallw);
  read_name(in, "collective", choice_names, wishes.collective);
  read_name(in, "sieving", choice_names, wishes.sieving);
  read_truth(in, "no_independent", wishes.no_independent);
  if (const auto forced = in.find("forced_method"))
    wishes.forced_method = static_cast<int32_t>(read_method(*forced));
  return wishes;
}

json experience_json(const Experience& experience) {
  const Experience::State& state = experience.state();
  json methods = json::object();
  for (int i = 0; i < method_count; ++i) {
    const Experience::OfMethod& took = state.methods[static_cast<size_t>(i)];
    if (took.calls > 0)
      methods[method_name(static_cast<Method>(i))] = {
          {"calls", took.calls},
          {"last_at_seconds", took.last_at_seconds},
          {"seconds", std::vector<double>(took.seconds.begin(), took.seconds.begin() + took.remembered())}};
  }
  return {{"calls", state.calls},
          {"total_seconds", state.total_seconds},
          {"last", method_name(state.last)},
          {"methods", methods}};
}

// Checks what the choice of methods relies on.
void check_calls(const Experience::State& state, const JsonPlace& in) {
  int64_t left = state.calls;
  for (const Experience::OfMethod& took : state.methods) {
    if (took.calls > left) left = -1;
    if (left < 0) break;
    left -= took.calls;
  }
  if (left != 0) in.at("calls").refuse("is not the sum of the methods' calls");
  const auto has_run = [&](Method method) { return state.methods[static_cast<size_t>(method)].calls > 0; };
  if (state.calls > 0 && !has_run(state.last)) in.at("last").refuse("is a method without calls");
}

Experience read_experience(const JsonPlace& in) {
  Experience::State state;
  state.calls = in.at("calls").whole_number();
  state.total_seconds = in.at("total_seconds").number_from_0();
  state.last = read_method(in.at("last"));
  for (const auto& [name, of_method] : in.at("methods").members()) {
    const nlohmann::json method = name;
    Experience::OfMethod& took =
        state.methods[static_cast<size_t>(read_method(JsonPlace(method, "experience.methods." + name)))];
    took.calls = of_method.at("calls").whole_number();
    took.last_at_seconds = of_method.at("last_at_seconds").number_from_0();
    const JsonPlace seconds = of_method.at("seconds");
    const auto times = seconds.list();
    if (std::cmp_not_equal(times.size(), took.remembered()))
      seconds.refuse(
          fmt::format("has {} times, not those of the last {} calls", times.size(), took.remembered()));
    for (size_t i = 0; i < times.size(); ++i) took.seconds[i] = times[i].number_from_0();
  }
  check_calls(state, in);
  return Experience(state);
}

Facts read_facts(const JsonPlace& in) {
  Facts facts;
  in.at("operation");
  read_name(in, "operation", operation_names, facts.operation);
  read_truth(in, "collective", facts.collective);
  read_truth(in, "locks_work", facts.locks_work);
  read_truth(in, "others_write", facts.others_write);
  read_truth(in, "atomic", facts.atomic);
  read_truth(in, "may_map", facts.may_map);
  facts.cores_per_node = in.at("cores_per_node").whole_number(1);
  facts.digest = read_digest(in.at("digest"));
  if (const auto buckets = in.find("buckets")) facts.buckets = read_buckets(*buckets);
  const JsonPlace nodes = in.at("nodes");
  for (const JsonPlace& node : nodes.list()) facts.nodes.push_back(read_node(node));
  if (facts.nodes.empty()) nodes.refuse("is empty");
  if (const auto storage = in.find("storage")) facts.storage = read_storage(*storage);
  if (const auto wishes = in.find("wishes")) facts.wishes = read_wishes(*wishes);
  if (const auto prices = in.find("prices"))
    facts.prices = std::make_shared<const Prices>(read_prices(*prices));
  if (const auto experience = in.find("experience")) facts.experience = read_experience(*experience);
  return facts;
}

}  // namespace

const char* operation_name(Operation operation) {
  return name_in(operation_names, operation);
}

const char* storage_kind_name(StorageFacts::Kind kind) {
  return name_in(kind_names, kind);
}

std::span<const char* const> storage_kind_names() {
  return kind_names;
}

json facts_as_json(const Facts& facts) {
  const std::shared_ptr<const FixedRealms> known = known_realms(facts, chosen_policy(facts));
  json buckets = json::array();
  for (const Bucket& bucket : facts.buckets) {
    if (bucket.bytes > 0) buckets.push_back({bucket.first, bucket.end, bucket.bytes});
  }
  json out = {{"operation", operation_name(facts.operation)},
              {"collective", facts.collective},
              {"locks_work", facts.locks_work},
              {"others_write", facts.others_write},
              {"atomic", facts.atomic},
              {"may_map", facts.may_map},
              {"cores_per_node", facts.cores_per_node},
              {"digest", digest_json(facts.digest)},
              {"buckets", buckets},
              {"nodes", nodes_json(facts)},
              {"fixed_realms", known ? known->owned.size() : 0},
              {"storage",
               {{"kind", storage_kind_name(facts.storage.kind)},
                {"block_bytes", facts.storage.block_bytes},
                {"stripe_bytes", facts.storage.stripe_bytes},
                {"stripe_targets", facts.storage.stripe_targets},
                {"revoke_ns", facts.storage.revoke_ns},
                {"open_ns", facts.storage.open_ns},
                {"uncached", facts.storage.uncached},
                {"rotational", facts.storage.rotational},
                {"aggregators_per_node", facts.storage.aggregators_per_node},
                {"memory_min_bytes", facts.storage.memory_min_bytes}}},
              {"wishes", wishes_json(facts.wishes)}};
  if (facts.prices) out["prices"] = prices_as_json(*facts.prices);
  if (facts.experience.calls() > 0) out["experience"] = experience_json(facts.experience);
  return out;
}

std::string facts_line(const Facts& facts) {
  return facts_as_json(facts).dump();
}

Result<Facts> facts_from_json(const json& value) {
  return read_json([&] { return read_facts(JsonPlace::document(value, "what was given")); });
}

}  // namespace concilio::plan
