#include "explain_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <optional>
#include <random>
#include <sstream>

#include "base/system/read_file.h"
#include "base/text/bytes.h"
#include "plan/facts/profile.h"
#include "plan/facts/wishes.h"
#include "plan/show/facts_json.h"
#include "settings.h"

namespace concilio::tools {

namespace {

constexpr int64_t most_ranks = INT32_MAX;
// The default of `concilio bench`: a total over all ranks, but at least 1 MiB for each rank.
constexpr int64_t default_bytes = 64 << 20, least_default_bytes = 1 << 20;

Error wrong(std::string message) {
  return {ErrorKind::argument, 0, std::move(message)};
}

// Random numbers with a normal distribution. A seed gives the same numbers on every system, which
// std::normal_distribution does not guarantee.
std::vector<int64_t> drawn(double mean, double deviation, uint64_t seed, size_t count) {
  std::mt19937_64 random(seed);
  const auto uniform = [&] { return (static_cast<double>(random() >> 11) + 1) * 0x1p-53; };
  std::vector<int64_t> out;
  while (out.size() < count) {
    const double radius = std::sqrt(-2 * std::log(uniform())), angle = 2 * std::numbers::pi * uniform();
    const double value = mean + deviation * radius * std::cos(angle);
    out.push_back(static_cast<int64_t>(std::clamp(value, 0.0, 0x1p62)));
  }
  return out;
}

Result<std::vector<int64_t>> drawn_memory(const std::string& text, size_t nodes) {
  const auto refuse = [&](const std::string& why) {
    return wrong(fmt::format("--memory-normal {}: {}; write MEAN,SD or MEAN,SD,SEED, for example 16M,4M,7",
                             text, why));
  };
  std::vector<std::string> words;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  if (words.size() < 2 || words.size() > 3)
    return refuse("it takes a mean, a standard deviation and optionally a seed");
  const Result<int64_t> mean = parse_bytes(words[0]), deviation = parse_bytes(words[1]);
  if (!mean) return refuse(mean.error().message);
  if (!deviation) return refuse(deviation.error().message);
  uint64_t seed = 1;
  if (words.size() == 3) {
    if (words[2].empty() || words[2].size() > 18 ||
        words[2].find_first_not_of("0123456789") != std::string::npos)
      return refuse(fmt::format("the seed '{}' is not a whole number", words[2]));
    seed = std::stoull(words[2]);
  }
  return drawn(static_cast<double>(*mean), static_cast<double>(*deviation), seed, nodes);
}

Result<std::vector<int64_t>> node_memory_of(const ExplainOptions& options, const Config& config,
                                            size_t nodes) {
  std::vector<int64_t> listed = byte_list(config.text(Key::node_memory));
  if (options.memory_normal.empty()) return listed;
  if (!listed.empty())
    return wrong("--memory-normal and a list of memory per node contradict each other; leave one out");
  return drawn_memory(options.memory_normal, nodes);
}

Result<plan::StorageFacts::Kind> kind_of(const std::string& name) {
  const auto names = plan::storage_kind_names();
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end())
    return wrong(fmt::format("--storage {}: choose one of {}", name, fmt::join(names, ", ")));
  return static_cast<plan::StorageFacts::Kind>(found - names.begin());
}

Result<std::vector<int64_t>> ranks_of_nodes(const ExplainOptions& options) {
  const int64_t ranks = ranks_of(options);
  if (ranks < 1 || ranks > most_ranks)
    return wrong(fmt::format("{} ranks: choose from 1 to {}", ranks, most_ranks));
  std::vector<int64_t> out;
  if (options.ranks_per_node > 0) {
    for (int64_t left = ranks; left > 0; left -= out.back())
      out.push_back(std::min(left, options.ranks_per_node));
    if (options.nodes > 0 && static_cast<int64_t>(out.size()) != options.nodes)
      return wrong(
          fmt::format("{} ranks, {} on each node, take {} nodes, not {}; leave out one of --ranks, --nodes "
                      "and --ranks-per-node",
                      ranks, options.ranks_per_node, out.size(), options.nodes));
    return out;
  }
  const int64_t nodes = std::max<int64_t>(1, options.nodes);
  if (nodes > ranks)
    return wrong(fmt::format("--nodes {}: there are only {} ranks; give more by --ranks", nodes, ranks));
  for (int64_t i = 0; i < nodes; ++i) out.push_back(ranks * (i + 1) / nodes - ranks * i / nodes);
  return out;
}

// The name of the file that --profile gives, or nothing if the option is not given.
Result<std::optional<plan::Profile>> profile_of(const ExplainOptions& options) {
  if (options.profile.empty()) return std::optional<plan::Profile>();
  const auto refuse = [&](const Error& error) {
    return wrong(fmt::format("--profile {}: {}", options.profile, error.message));
  };
  const auto text = read_file(options.profile, plan::most_profile_bytes);
  if (!text) return refuse(text.error());
  const auto profile = plan::parse_profile(*text);
  if (!profile) return refuse(profile.error());
  return std::optional(*profile);
}

}  // namespace

int64_t ranks_of(const ExplainOptions& options) {
  if (options.ranks >= 0) return options.ranks;
  if (options.ranks_per_node > 0) return options.ranks_per_node * std::max<int64_t>(1, options.nodes);
  return std::max<int64_t>(4, options.nodes);
}

Result<Config> settings_of(const ExplainOptions& options) {
  Config config = Config::defaults();
  for (const std::string& hint : options.hints) {
    if (const Status set = set_hint(config, Config::Origin::info, hint); !set) return set.error();
  }
  for (size_t i = 0; i < options.shortcuts.size(); ++i) {
    const auto [option, hint] = options.shortcuts[i];
    const std::string& value = options.shortcut_values[i];
    if (value.empty()) continue;
    const Status set = set_by_option(config, Config::Origin::info, option, hint, value);
    if (!set) return set.error();
  }
  const Result<std::optional<plan::Profile>> profile = profile_of(options);
  if (!profile) return profile.error();
  if (*profile) take_over_parameters((*profile)->parameters, config);
  return config;
}

Result<int64_t> bytes_per_rank_of(const ExplainOptions& options, int64_t ranks) {
  if (!options.bytes_per_rank.empty() && options.mib_per_rank > 0)
    return wrong("--bytes-per-rank and --mib-per-rank contradict each other; leave one out");
  if (options.mib_per_rank > 0) return static_cast<int64_t>(std::min(options.mib_per_rank * 0x1p20, 0x1p62));
  if (options.bytes_per_rank.empty()) return std::max(default_bytes / ranks, least_default_bytes);
  Result<int64_t> bytes = parse_bytes(options.bytes_per_rank);
  if (!bytes)
    return wrong(fmt::format("--bytes-per-rank {}: {}", options.bytes_per_rank, bytes.error().message));
  if (*bytes < 1) return wrong("--bytes-per-rank: give at least 1");
  return bytes;
}

// What the profile given by --profile says of the storage, or nothing if the option is not given.
Status take_over_profile(const ExplainOptions& options, std::shared_ptr<const plan::Prices>& prices,
                         plan::StorageFacts& storage) {
  const Result<std::optional<plan::Profile>> profile = profile_of(options);
  if (!profile) return profile.error();
  if (!*profile) return {};
  prices = std::make_shared<const plan::Prices>((*profile)->prices);
  storage.aggregators_per_node = (*profile)->parameters.aggregators_per_node;
  storage.memory_min_bytes = (*profile)->parameters.memory_min_bytes;
  return {};
}

Result<sim::Machine> machine_of(const ExplainOptions& options, const Config& config) {
  const Result<std::vector<int64_t>> nodes = ranks_of_nodes(options);
  if (!nodes) return nodes.error();
  sim::Machine machine;
  machine.cores_per_node = *std::max_element(nodes->begin(), nodes->end());
  if (options.cores_per_node > 0) machine.cores_per_node = options.cores_per_node;
  const int64_t most = config.integer(Key::ranks_per_node);
  for (int64_t ranks : *nodes) {
    for (; most > 0 && ranks > most; ranks -= most) machine.ranks_of_node.push_back(most);
    machine.ranks_of_node.push_back(ranks);
  }
  Result<std::vector<int64_t>> memory = node_memory_of(options, config, machine.ranks_of_node.size());
  if (!memory) return memory.error();
  machine.node_memory = std::move(*memory);
  // Several nodes cannot share a local disk.
  machine.storage.kind =
      nodes->size() > 1 ? plan::StorageFacts::Kind::parallel : plan::StorageFacts::Kind::local;
  if (!options.storage.empty()) {
    const Result<plan::StorageFacts::Kind> kind = kind_of(options.storage);
    if (!kind) return kind.error();
    machine.storage.kind = *kind;
  }
  take_over_stripes(config, machine.storage);
  if (const Status taken = take_over_profile(options, machine.prices, machine.storage); !taken)
    return taken.error();
  return machine;
}

Status take_over_machine(const ExplainOptions& options, const Config& config, plan::Facts& facts) {
  const Result<std::vector<int64_t>> memory = node_memory_of(options, config, facts.nodes.size());
  if (!memory) return memory.error();
  for (size_t i = 0; i < facts.nodes.size() && !memory->empty(); ++i)
    facts.nodes[i].free_bytes = (*memory)[i % memory->size()];
  if (!options.storage.empty()) {
    const Result<plan::StorageFacts::Kind> kind = kind_of(options.storage);
    if (!kind) return kind.error();
    facts.storage.kind = *kind;
  }
  if (options.cores_per_node > 0) facts.cores_per_node = options.cores_per_node;
  if (const Status taken = take_over_profile(options, facts.prices, facts.storage); !taken) return taken;
  const Result<std::optional<plan::Profile>> profile = profile_of(options);
  if (!profile) return profile.error();
  if (*profile) take_over_parameters((*profile)->parameters, config, facts.wishes);
  take_over_stripes(config, facts.storage);
  take_over_given(config, facts.operation, facts.wishes);
  return {};
}

}  // namespace concilio::tools
