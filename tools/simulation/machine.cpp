#include "simulation/machine.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "base/text/bytes.h"
#include "base/text/json_document.h"
#include "base/text/json_place.h"
#include "base/text/nearest_name.h"
#include "simulation/machine_prices.h"
#include "store/devices/throttle_costs.h"

namespace concilio::tools {

namespace {

constexpr const char* machine_mark = "concilio_machine";
constexpr int64_t machine_version = 1, most_nodes = 1'000'000, most_cores = 100'000;
constexpr double giga = 1e9, gibi = 0x1p30;

// A misspelt member would otherwise be a value that does not count.
void refuse_others(const JsonPlace& in, std::span<const char* const> known) {
  for (const auto& [name, place] : in.members()) {
    const auto is_it = [&name = name](const char* one) { return name == one; };
    if (std::ranges::any_of(known, is_it)) continue;
    NearestName nearest(name);
    for (const char* one : known) nearest.consider(one);
    in.refuse(fmt::format("has a \"{}\", which is not known{}", name, nearest.question()));
  }
}

double positive(const JsonPlace& in, const char* name) {
  const JsonPlace place = in.at(name);
  const double number = place.number();
  if (number <= 0 || number > 1e12)
    place.refuse(fmt::format("is {}; it is above 0, and at most 1e12", number));
  return number;
}

int64_t count_in(const JsonPlace& in, const char* name, int64_t most) {
  const JsonPlace place = in.at(name);
  const int64_t number = place.whole_number(1);
  if (number > most) place.refuse(fmt::format("is {}; it is at most {}", number, most));
  return number;
}

int64_t bytes_of_gib(const JsonPlace& place) {
  const double number = place.number();
  if (number <= 0 || number > 1e9) place.refuse(fmt::format("is {}; it is above 0, and at most 1e9", number));
  return std::llround(number * gibi);
}

void read_nodes(const JsonPlace& in, DescribedMachine& machine) {
  constexpr const char* members[] = {"count", "cores", "free_memory_gib", "copy_gb_per_second",
                                     "core_copy_gb_per_second"};
  refuse_others(in, members);
  machine.nodes = count_in(in, "count", most_nodes);
  machine.cores = count_in(in, "cores", most_cores);
  const JsonPlace memory = in.at("free_memory_gib");
  if (memory.is_list()) {
    for (const JsonPlace& one : memory.list()) machine.free_memory_bytes.push_back(bytes_of_gib(one));
    if (machine.free_memory_bytes.empty()) memory.refuse("is empty");
  } else {
    machine.free_memory_bytes = {bytes_of_gib(memory)};
  }
  machine.copy_rate = positive(in, "copy_gb_per_second") * giga;
  machine.core_copy_rate = positive(in, "core_copy_gb_per_second") * giga;
}

void read_network(const JsonPlace& in, DescribedMachine& machine) {
  constexpr const char* members[] = {"gb_per_second", "latency_us"};
  refuse_others(in, members);
  machine.network_rate = positive(in, "gb_per_second") * giga;
  machine.network_latency_s = in.at("latency_us").number_from_0() * 1e-6;
}

plan::StorageFacts::Kind kind_of(store::StorageLayout::Kind kind) {
  using Known = store::StorageLayout::Kind;
  switch (kind) {
    case Known::local:
      return plan::StorageFacts::Kind::local;
    case Known::memory:
      return plan::StorageFacts::Kind::memory;
    case Known::network:
      return plan::StorageFacts::Kind::network;
    case Known::parallel:
      return plan::StorageFacts::Kind::parallel;
    case Known::unknown:
      break;
  }
  return plan::StorageFacts::Kind::unknown;
}

std::optional<plan::StorageFacts> facts_of(const store::ThrottleCosts& costs) {
  if (costs.device.empty()) return {};
  store::StorageLayout layout;
  model_layout(costs, layout);
  plan::StorageFacts facts;
  facts.kind = kind_of(layout.kind);
  facts.uncached = layout.uncached;
  facts.rotational = layout.medium == store::StorageLayout::Medium::rotational;
  facts.stripe_bytes = layout.stripe_bytes;
  facts.stripe_targets = layout.stripe_targets;
  facts.revoke_ns = layout.revoke_ns;
  facts.open_ns = layout.open_ns;
  return facts;
}

// As the text that the library reads, so that a device costs here what it costs there.
void read_storage(const JsonPlace& in, DescribedMachine& machine) {
  struct Cost {
    const char *name, *key;
    double unit;  // of the member, in units of the key
  };
  constexpr Cost costs[] = {{"target_gb_per_second", "bandwidth", giga},
                            {"open_ms", "open", 1},
                            {"opens_per_second", "opens", 1},
                            {"request_ms", "request", 1},
                            {"lock_ms", "lock", 1},
                            {"revoke_ms", "revoke", 1},
                            {"read_seek_ms", "seek_read", 1},
                            {"write_seek_ms", "seek_write", 1},
                            {"streams", "streams", 1},
                            {"stripe_mib", "stripe", 0x1p20}};
  std::vector<const char*> members = {"device", "targets", "gb_per_second", "node_gb_per_second"};
  for (const Cost& cost : costs) members.push_back(cost.name);
  refuse_others(in, members);
  const auto targets = in.find("targets");
  const int64_t number_of_targets = targets ? targets->whole_number(1) : 1;
  std::vector<std::string> parts;
  if (const auto device = in.find("device")) {
    const std::string name = device->text();
    parts.push_back(
        fmt::format("device={}{}", name, name == "lustre" ? fmt::format(":{}", number_of_targets) : ""));
  }
  parts.push_back(fmt::format("targets={}", number_of_targets));
  for (const Cost& cost : costs) {
    const auto place = in.find(cost.name);
    if (!place) continue;
    const std::string_view key = cost.key;
    const bool whole = cost.unit != 1 || key == "streams" || key == "opens";
    const double value = place->number_from_0() * cost.unit;
    parts.push_back(whole ? fmt::format("{}={:.0f}", cost.key, value)
                          : fmt::format("{}={}", cost.key, value));
  }
  machine.throttle = fmt::format("{}", fmt::join(parts, ";"));
  const auto read = store::parse_throttle(machine.throttle);
  if (!read) in.refuse(fmt::format("cannot be modelled: {}", read.error().message));
  machine.storage_costs = *read;
  machine.modelled_storage = facts_of(*read);
  if (in.find("gb_per_second")) machine.storage_rate = positive(in, "gb_per_second") * giga;
  if (in.find("node_gb_per_second")) machine.storage_link_rate = positive(in, "node_gb_per_second") * giga;
  machine.targets_rate = static_cast<double>(read->targets) * static_cast<double>(read->bytes_per_second);
  machine.prices = machine_prices(machine, *read);
}

DescribedMachine read_machine(const JsonPlace& in) {
  constexpr const char* members[] = {machine_mark, "about", "nodes", "network", "storage"};
  refuse_others(in, members);
  DescribedMachine machine;
  if (const auto about = in.find("about")) machine.about = about->text();
  read_nodes(in.at("nodes"), machine);
  read_network(in.at("network"), machine);
  read_storage(in.at("storage"), machine);
  return machine;
}

}  // namespace

Result<DescribedMachine> parse_machine(std::string_view text) {
  Result<JsonDocument> document = JsonDocument::parse(text);
  if (!document) return document.error();
  return read_json([&] {
    const JsonPlace in = JsonPlace::document(document->value(), "it");
    const JsonPlace its_version = in.at(machine_mark);
    if (its_version.whole_number() != machine_version)
      its_version.refuse(fmt::format("is not {}", machine_version));
    return read_machine(in);
  });
}

std::string text_of(const DescribedMachine& machine) {
  std::string memory;
  for (size_t i = 0; i < std::min<size_t>(machine.free_memory_bytes.size(), 4); ++i)
    memory += (i == 0 ? "" : ", ") + format_bytes(machine.free_memory_bytes[i]);
  if (machine.free_memory_bytes.size() > 4) memory += ", ...";
  std::string storage;
  if (machine.storage_link_rate > 0)
    storage += fmt::format(", each node {:g} GB/s by its own link", machine.storage_link_rate / giga);
  if (machine.storage_rate > 0)
    storage += fmt::format(", all together {:g} GB/s", machine.storage_rate / giga);
  return fmt::format("{} node{} of {} core{}, {} free; network {:g} GB/s, {:g} us\nstorage {}{}\n",
                     machine.nodes, machine.nodes == 1 ? "" : "s", machine.cores,
                     machine.cores == 1 ? "" : "s", memory, machine.network_rate / giga,
                     machine.network_latency_s * 1e6, machine.throttle, storage);
}

}  // namespace concilio::tools
