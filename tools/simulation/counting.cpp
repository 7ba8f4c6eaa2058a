#include "simulation/counting.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/text/bytes.h"
#include "plan/facts/wishes.h"
#include "sim/gather.h"
#include "sim/pattern.h"
#include "simulation/io_groups.h"
#include "simulation/opens.h"
#include "simulation/outcome.h"
#include "simulation/predicted.h"

namespace concilio::tools {

namespace {

using nlohmann::json;

Error cannot_count(std::string message) {
  return {ErrorKind::argument, 0, std::move(message)};
}

// Who calls: all ranks, or the roots of groups.
struct Callers {
  int64_t ranks = 0;
  std::vector<int64_t> of_node;
  int64_t bytes_of_each = 0;
  int group = 0;               // of so many ranks each is the root; 0: there are no groups
  double message_seconds = 0;  // in which data come to roots, or leave them
};

Callers all_ranks(const RanksOnNodes& placed, int64_t bytes_per_rank) {
  Callers callers{placed.ranks, {}, bytes_per_rank};
  for (int64_t node = 0; node < placed.nodes; ++node)
    callers.of_node.push_back(placed.first_rank_of(node + 1) - placed.first_rank_of(node));
  return callers;
}

Callers roots_of_groups(const RanksOnNodes& placed, int size, int64_t bytes_per_rank,
                        const DescribedMachine& machine) {
  IoGroups groups = io_groups(placed, size, bytes_per_rank, machine);
  return {groups.roots, std::move(groups.roots_of_node), size * bytes_per_rank, size, groups.message_seconds};
}

Result<sim::Machine> machine_of(const DescribedMachine& described, const Callers& callers,
                                const Config& config) {
  if (!described.modelled_storage)
    return cannot_count(
        "the machine's storage names no device, so plans would be made for the storage of this machine; to "
        "count, give it a \"device\"");
  sim::Machine machine;
  machine.storage = *described.modelled_storage;
  if (machine.storage.stripe_bytes == 0) plan::take_over_stripes(config, machine.storage);
  machine.cores_per_node = described.cores;
  machine.node_memory = byte_list(config.text(Key::node_memory));
  const int64_t most = config.integer(Key::ranks_per_node);
  for (int64_t ranks : callers.of_node) {
    for (; most > 0 && ranks > most; ranks -= most) machine.ranks_of_node.push_back(most);
    machine.ranks_of_node.push_back(ranks);
  }
  return machine;
}

plan::FlushRules rules_of(const Config& config, const sim::Machine& machine) {
  plan::FlushRules rules;
  // 0 is auto; the others follow in the order of Flush.
  if (const int64_t flush = config.integer(Key::flush); flush > 0)
    rules.asked = static_cast<plan::Flush>(flush - 1);
  rules.threshold = config.integer(Key::romio_cb_ds_threshold);
  // Clients that cache network storage may see old bytes in the holes.
  rules.may_rewrite =
      machine.storage.kind != plan::StorageFacts::Kind::network || machine.ranks_of_node.size() == 1;
  return rules;
}

// Counts the writes and then the reads of a file that is opened once: realms of the file stay for both.
Status count_both(const CountingOptions& options, const sim::Pattern& pattern, const Callers& callers,
                  const sim::Machine& machine, const DescribedMachine& described, const Config& config,
                  Counted& counted) {
  std::shared_ptr<const plan::FixedRealms> fixed;
  const auto count_one = [&](Operation operation, std::optional<CountedCalls>& calls) -> Status {
    plan::Facts facts = gather(pattern, 0, machine, operation, plan::wishes_of(config, operation));
    facts.fixed = fixed;
    const auto count = [&](const plan::Plan& plan) {
      return sim::count(*pattern.alike, facts, plan, rules_of(config, machine));
    };
    plan::Plan plan = plan::plan(facts);
    auto counts = count(plan);
    if (counts && !counts->relays_fit) {
      facts.wishes.combine_nodes = 1;
      plan = plan::plan(facts);
      counts = count(plan);
    }
    if (!counts) return counts.error();
    if (plan.fixed) fixed = plan.fixed;
    calls = CountedCalls{plan.method, *counts,
                         predicted_seconds(facts, plan, described) + callers.message_seconds};
    return {};
  };
  const auto opens = [&](Operation operation) {
    counted.open_seconds += open_seconds(described, machine.ranks_of_node, operation);
  };
  // Without groups the file is opened once, to be written and read.
  if (options.write || callers.group == 0) opens(Operation::write);
  if (options.read && callers.group > 0) opens(Operation::read);
  if (options.write) {
    if (Status status = count_one(Operation::write, counted.write); !status) return status;
  }
  return options.read ? count_one(Operation::read, counted.read) : Status();
}

json json_of(const CountedCalls& calls) {
  const sim::Counts& counts = calls.counts;
  return {{"method", method_name(calls.method)},
          {"predicted_seconds", calls.seconds},
          {"counters",
           {{"sum",
             {{"messages_sent", counts.messages_sent},
              {"message_bytes_sent", counts.message_bytes_sent},
              {"storage_reads", counts.storage_reads},
              {"storage_writes", counts.storage_writes},
              {"storage_bytes_read", counts.storage_bytes_read},
              {"storage_bytes_written", counts.storage_bytes_written},
              {"windows_whole", counts.windows_whole},
              {"windows_rmw", counts.windows_rmw},
              {"windows_list", counts.windows_list},
              {"windows_batch", counts.windows_batch}}},
            {"max", {{"rounds", counts.rounds}}}}}};
}

constexpr const char* line_format = "  {:<{}} {:<5} {:>12} {:>16} {:>10} {:>8} {:>14} {:>14} {:>10} {:>10}\n";

std::string line_of(const Counted& one, const char* call, const CountedCalls& calls, size_t width) {
  const sim::Counts& counts = calls.counts;
  return fmt::format(fmt::runtime(line_format), method_text(one.method, {method_name(calls.method)}), width,
                     call, fmt::format("{:.6f}", calls.seconds), counts.messages_sent,
                     format_bytes(counts.message_bytes_sent), counts.rounds, counts.storage_reads,
                     counts.storage_writes, format_bytes(counts.storage_bytes_read),
                     format_bytes(counts.storage_bytes_written));
}

}  // namespace

Result<std::vector<Counted>> count_calls(const CountingOptions& options, const DescribedMachine& machine,
                                         const RanksOnNodes& placed) {
  std::vector<Callers> all_callers;
  for (const int size : options.io_groups) {
    if (placed.ranks % size != 0)
      return cannot_count(fmt::format(
          "--io-groups: {} ranks are not cut into groups of {} without a rest, which can be run, but not "
          "counted; give sizes that divide the number of ranks",
          placed.ranks, size));
    all_callers.push_back(roots_of_groups(placed, size, options.bytes_per_rank, machine));
  }
  if (all_callers.empty()) all_callers.push_back(all_ranks(placed, options.bytes_per_rank));
  std::vector<Counted> all;
  for (const std::string& text : options.patterns) {
    for (const Callers& callers : all_callers) {
      const auto pattern = sim::make_pattern(text, {static_cast<int>(callers.ranks), callers.bytes_of_each});
      if (!pattern) return pattern.error();
      if (!pattern->alike)
        return cannot_count(fmt::format("{} cannot be counted, as its ranks do not ask alike; those of {} do",
                                        text, sim::names_of_alike()));
      for (const auto& [method, config] : options.methods) {
        auto planned_for = machine_of(machine, callers, config);
        if (!planned_for) return planned_for.error();
        if (options.plan_by_machine)
          planned_for->prices = std::make_shared<const plan::Prices>(machine.prices);
        Counted& counted = all.emplace_back();
        counted.pattern = callers.group > 0 ? fmt::format("{}, in groups of {}", text, callers.group) : text;
        counted.method = method;
        counted.bytes = callers.ranks * pattern->alike->rank_bytes();
        counted.io_group = callers.group;
        const Status status = count_both(options, *pattern, callers, *planned_for, machine, config, counted);
        if (!status) counted.failure = status.error().message;
      }
    }
  }
  return all;
}

std::string json_of(const std::vector<Counted>& all) {
  json out = json::array();
  for (const Counted& one : all) {
    json its = {{"pattern", one.pattern},
                {"method", one.method},
                {"bytes", one.bytes},
                {"counted", true},
                {"open", {{"predicted_seconds", one.open_seconds}}}};
    if (one.io_group > 0) its["io_group"] = one.io_group;
    if (!one.failure.empty()) its["failure"] = one.failure;
    if (one.write) its["write"] = json_of(*one.write);
    if (one.read) its["read"] = json_of(*one.read);
    out.push_back(std::move(its));
  }
  return out.dump();
}

std::string table_of(const std::vector<Counted>& all) {
  std::string text, pattern;
  size_t width = 0;  // of the column of methods
  for (const Counted& one : all) {
    for (const auto* calls : {&one.write, &one.read})
      width = std::max(
          width, (*calls ? method_text(one.method, {method_name((*calls)->method)}) : one.method).size());
  }
  for (const Counted& one : all) {
    if (one.pattern != pattern) {
      pattern = one.pattern;
      text += fmt::format("\n{}: {}\n", pattern, format_bytes(one.bytes));
      text += fmt::format(fmt::runtime(line_format), "method", width, "call", "predicted s", "messages",
                          "on wire", "rounds", "reads", "writes", "read", "written");
    }
    if (one.failure.empty())
      text += fmt::format("  {:<{}} open  {:>12.6f}\n", one.method, width, one.open_seconds);
    if (one.write) text += line_of(one, "write", *one.write, width);
    if (one.read) text += line_of(one, "read", *one.read, width);
    if (!one.failure.empty())
      text += fmt::format("  {:<{}} not counted: {}\n", one.method, width, one.failure);
  }
  return text;
}

}  // namespace concilio::tools
