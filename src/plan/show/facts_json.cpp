#include "plan/show/facts_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "plan/choose/method_table.h"
#include "plan/facts/prices_json.h"
#include "plan/layout/placement.h"
#include "plan/layout/realms.h"
#include "plan/plan.h"
#include "plan/show/explain.h"

namespace concilio {
namespace {

using nlohmann::json;

constexpr std::array operation_names = {"read", "write"};
constexpr std::array kind_names = {"local", "memory", "network", "parallel", "unknown"};
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
    for (const Interval& span : node.spans) spans.push_back({span.begin, span.end});
    nodes.push_back({{"ranks", node.ranks},
                     {"free_bytes", free_bytes},
                     {"candidates", node.candidates},
                     {"bytes", node.bytes},
                     {"spans", spans}});
  }
  return nodes;
}

// What reading throws, and facts_from_json catches.
struct Wrong {
  std::string why;
};

const json& member(const json& object, const std::string& place, const char* name) {
  if (!object.is_object()) throw Wrong{place + " is no object"};
  const auto found = object.find(name);
  if (found == object.end()) throw Wrong{fmt::format("{} has no \"{}\"", place, name)};
  return *found;
}

int64_t whole_number(const json& value, const std::string& place, int64_t least = 0) {
  if (!value.is_number_integer() || (value.is_number_unsigned() && value.get<uint64_t>() > INT64_MAX))
    throw Wrong{fmt::format("{} is {}, and not a whole number", place, value.dump())};
  const auto number = value.get<int64_t>();
  if (number < least) throw Wrong{fmt::format("{} is {}; it is at least {}", place, number, least)};
  return number;
}

bool truth(const json& value, const std::string& place) {
  if (!value.is_boolean()) throw Wrong{fmt::format("{} is {}, and not true or false", place, value.dump())};
  return value.get<bool>();
}

// The index of a name among those that `name_of(i)` gives.
template <typename NameOf>
int64_t index_of(const json& value, const std::string& place, int64_t count, NameOf&& name_of) {
  std::string known;
  for (int64_t i = 0; i < count; ++i) {
    if (value == name_of(i)) return i;
    known += fmt::format("{}{}", i == 0 ? "" : ", ", name_of(i));
  }
  throw Wrong{fmt::format("{} is {}, and not one of {}", place, value.dump(), known)};
}
template <typename Enum, size_t n>
void read_name(const json& object, const std::string& place, const char* name,
               const std::array<const char*, n>& names, Enum& out) {
  if (!object.contains(name)) return;
  out = static_cast<Enum>(index_of(object[name], fmt::format("{}.{}", place, name), n,
                                   [&](int64_t i) { return names[static_cast<size_t>(i)]; }));
}

const json& list(const json& value, const std::string& place) {
  if (!value.is_array()) throw Wrong{place + " is no list"};
  return value;
}

Digest read_digest(const json& value) {
  Digest digest;
  for (const DigestField& field : digest_fields) {
    const std::string place = fmt::format("digest.{}", field.name);
    digest.*field.member = whole_number(member(value, "digest", field.name), place);
  }
  digest.monotone = truth(member(value, "digest", "monotone"), "digest.monotone");
  if (digest.bytes > 0 && digest.end <= digest.first) throw Wrong{"digest.end is not behind digest.first"};
  if (digest.ranks < 1) throw Wrong{"digest.ranks is 0; it is at least 1"};
  if (digest.ranks_with_data > digest.ranks) throw Wrong{"digest.ranks_with_data is more than digest.ranks"};
  return digest;
}

std::vector<Bucket> read_buckets(const json& value) {
  std::vector<Bucket> out;
  for (const json& one : list(value, "buckets")) {
    if (list(one, "a bucket").size() != 3) throw Wrong{"a bucket is not [first, end, bytes]"};
    const Bucket bucket{whole_number(one[0], "a bucket's first"), whole_number(one[1], "a bucket's end"),
                        whole_number(one[2], "a bucket's bytes")};
    if (bucket.end <= bucket.first || (!out.empty() && bucket.first < out.back().end))
      throw Wrong{fmt::format("bucket {} does not lie behind its predecessor", out.size())};
    out.push_back(bucket);
  }
  return out;
}

NodeFacts read_node(const json& value, const std::string& place) {
  NodeFacts node;
  node.ranks = whole_number(member(value, place, "ranks"), place + ".ranks", 1);
  const json& free_bytes = member(value, place, "free_bytes");
  if (!free_bytes.is_null()) node.free_bytes = whole_number(free_bytes, place + ".free_bytes");
  for (const json& rank : list(member(value, place, "candidates"), place + ".candidates")) {
    const int64_t number = whole_number(rank, place + ".candidates");
    if (number > INT32_MAX) throw Wrong{fmt::format("{}.candidates: there is no rank {}", place, number)};
    node.candidates.push_back(static_cast<int>(number));
  }
  if (node.candidates.empty()) throw Wrong{place + ".candidates is empty"};
  node.bytes = whole_number(member(value, place, "bytes"), place + ".bytes");
  for (const json& one : list(member(value, place, "spans"), place + ".spans")) {
    if (list(one, place + ".spans").size() != 2) throw Wrong{place + ".spans: a span is not [begin, end]"};
    const Interval span{whole_number(one[0], place + ".spans"), whole_number(one[1], place + ".spans")};
    if (span.empty() || (!node.spans.empty() && span.begin < node.spans.back().end))
      throw Wrong{place + ".spans are not ascending and disjoint"};
    node.spans.push_back(span);
  }
  return node;
}

StorageFacts read_storage(const json& value) {
  StorageFacts storage;
  read_name(value, "storage", "kind", kind_names, storage.kind);
  const auto number = [&](const char* name, int64_t& out) {
    if (value.contains(name)) out = whole_number(value[name], fmt::format("storage.{}", name));
  };
  number("block_bytes", storage.block_bytes);
  number("stripe_bytes", storage.stripe_bytes);
  number("stripe_targets", storage.stripe_targets);
  number("uncached", storage.uncached);
  number("rotational", storage.rotational);
  number("aggregators_per_node", storage.aggregators_per_node);
  return storage;
}

// A number of seconds.
double seconds_of(const json& value, const std::string& name) {
  if (!value.is_number() || !(value.get<double>() >= 0)) throw Wrong{name + " is no number of seconds"};
  return value.get<double>();
}

Method method_of(const json& value, const std::string& name) {
  return static_cast<Method>(
      index_of(value, name, method_count, [](int64_t i) { return method_name(static_cast<Method>(i)); }));
}

Wishes read_wishes(const json& value) {
  Wishes wishes;
  for (const WishField& field : wish_fields) {
    if (value.contains(field.name))
      wishes.*field.member = whole_number(value[field.name], fmt::format("wishes.{}", field.name));
  }
  if (value.contains("realms")) {
    const auto policies = static_cast<int64_t>(realm_policy_rows().size()) + 1;
    wishes.realms =
        static_cast<RealmPolicy>(index_of(value["realms"], "wishes.realms", policies, [](int64_t i) {
          return realm_policy_name(static_cast<RealmPolicy>(i));
        }));
  }
  if (value.contains("placement")) {
    const auto places = static_cast<int64_t>(placement_rows().size());
    wishes.placement =
        static_cast<Placement>(index_of(value["placement"], "wishes.placement", places, [](int64_t i) {
          return placement_rows()[static_cast<size_t>(i)].name;
        }));
  }
  if (value.contains("groups")) wishes.groups = truth(value["groups"], "wishes.groups");
  read_name(value, "wishes", "alltoallw", choice_names, wishes.alltoallw);
  read_name(value, "wishes", "collective", choice_names, wishes.collective);
  read_name(value, "wishes", "sieving", choice_names, wishes.sieving);
  if (value.contains("no_independent"))
    wishes.no_independent = truth(value["no_independent"], "wishes.no_independent");
  if (value.contains("forced_method") && !value["forced_method"].is_null()) {
    wishes.forced_method = static_cast<int32_t>(method_of(value["forced_method"], "wishes.forced_method"));
  }
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

// What choosing takes for granted.
void check_calls(const Experience::State& state) {
  int64_t left = state.calls;
  for (const Experience::OfMethod& took : state.methods) {
    if (took.calls > left) left = -1;
    if (left < 0) break;
    left -= took.calls;
  }
  if (left != 0) throw Wrong{"experience.calls is not the sum of the methods' calls"};
  const auto has_run = [&](Method method) { return state.methods[static_cast<size_t>(method)].calls > 0; };
  if (state.calls > 0 && !has_run(state.last)) throw Wrong{"experience.last is a method without calls"};
}

Experience read_experience(const json& value) {
  Experience::State state;
  state.calls = whole_number(member(value, "experience", "calls"), "experience.calls");
  state.total_seconds = seconds_of(member(value, "experience", "total_seconds"), "experience.total_seconds");
  state.last = method_of(member(value, "experience", "last"), "experience.last");
  for (const auto& [name, of_method] : member(value, "experience", "methods").items()) {
    const std::string place = "experience.methods." + name;
    Experience::OfMethod& took = state.methods[static_cast<size_t>(method_of(name, place))];
    took.calls = whole_number(member(of_method, place, "calls"), place + ".calls");
    took.last_at_seconds =
        seconds_of(member(of_method, place, "last_at_seconds"), place + ".last_at_seconds");
    const json& seconds = list(member(of_method, place, "seconds"), place + ".seconds");
    if (std::cmp_not_equal(seconds.size(), took.remembered()))
      throw Wrong{fmt::format("{}.seconds has {} times, not those of the last {} calls", place,
                              seconds.size(), took.remembered())};
    for (size_t i = 0; i < seconds.size(); ++i) took.seconds[i] = seconds_of(seconds[i], place + ".seconds");
  }
  check_calls(state);
  return Experience(state);
}

std::shared_ptr<const Prices> read_prices(const json& value) {
  auto prices = prices_from_json(value);
  if (!prices) throw Wrong{prices.error().message};
  return std::make_shared<const Prices>(*prices);
}

Facts read_facts(const json& value) {
  Facts facts;
  const auto flag = [&](const char* name, bool& out) {
    if (value.contains(name)) out = truth(value[name], name);
  };
  member(value, "what was given", "operation");
  read_name(value, "facts", "operation", operation_names, facts.operation);
  flag("collective", facts.collective);
  flag("locks_work", facts.locks_work);
  flag("others_write", facts.others_write);
  flag("atomic", facts.atomic);
  flag("may_map", facts.may_map);
  facts.cores_per_node = whole_number(member(value, "facts", "cores_per_node"), "cores_per_node", 1);
  facts.digest = read_digest(member(value, "facts", "digest"));
  if (value.contains("buckets")) facts.buckets = read_buckets(value["buckets"]);
  for (const json& node : list(member(value, "facts", "nodes"), "nodes"))
    facts.nodes.push_back(read_node(node, fmt::format("nodes[{}]", facts.nodes.size())));
  if (facts.nodes.empty()) throw Wrong{"nodes is empty"};
  if (value.contains("storage")) facts.storage = read_storage(value["storage"]);
  if (value.contains("wishes")) facts.wishes = read_wishes(value["wishes"]);
  if (value.contains("prices")) facts.prices = read_prices(value["prices"]);
  if (value.contains("experience")) facts.experience = read_experience(value["experience"]);
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
                {"uncached", facts.storage.uncached},
                {"rotational", facts.storage.rotational},
                {"aggregators_per_node", facts.storage.aggregators_per_node}}},
              {"wishes", wishes_json(facts.wishes)}};
  if (facts.prices) out["prices"] = prices_as_json(*facts.prices);
  if (facts.experience.calls() > 0) out["experience"] = experience_json(facts.experience);
  return out;
}

std::string facts_line(const Facts& facts) {
  return facts_as_json(facts).dump();
}

Result<Facts> facts_from_json(const json& value) {
  try {
    return read_facts(value);
  } catch (const Wrong& wrong) {
    return Error{ErrorKind::argument, 0, wrong.why};
  }
}

}  // namespace concilio
