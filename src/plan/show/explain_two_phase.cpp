#include "plan/show/explain_two_phase.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <sstream>

#include "base/settings/config.h"
#include "base/text/bytes.h"
#include "base/text/format_count.h"
#include "plan/layout/clusters.h"
#include "plan/layout/exchange.h"
#include "plan/layout/footprint.h"
#include "plan/layout/realms/tree.h"
#include "plan/layout/windows.h"

namespace concilio::plan {
namespace {

using nlohmann::json;

constexpr size_t realms_shown = 16, groups_shown = 8, nodes_shown = 16;

// "0-3, 7".
std::string ranges(const std::vector<int>& ascending) {
  std::string out;
  for (size_t i = 0; i < ascending.size();) {
    size_t last = i;
    while (last + 1 < ascending.size() && ascending[last + 1] == ascending[last] + 1) ++last;
    if (!out.empty()) out += ", ";
    out += last == i ? fmt::format("{}", ascending[i]) : fmt::format("{}-{}", ascending[i], ascending[last]);
    i = last + 1;
  }
  return out;
}

std::span<const Realm> realms_in(const Plan& plan, const Group& group) {
  return std::span(plan.realms)
      .subspan(static_cast<size_t>(group.first_realm),
               static_cast<size_t>(group.end_realm - group.first_realm));
}

// The tree that a group's realms came from. The plan does not keep it, so it is built again.
std::optional<Remerged> tree_of(const Facts& facts, const Plan& plan, const Group& group) {
  if (plan.policy != RealmPolicy::tree || group.wanted_realms < 1 || group.spans.empty()) return {};
  if (!placement_row(facts.wishes.placement).by_memory) return {};
  Hosts hosts = hosts_of(facts, group);
  return partition({facts, group, group.wanted_realms}, hosts);
}

// The facts that a plan's layout was made of.
Facts as_laid_out(const Facts& given, const Plan& plan) {
  Facts facts = given;
  facts.trial = plan.trial;
  return facts;
}

std::string indented(const std::string& text) {
  std::istringstream lines(text);
  std::string out;
  for (std::string line; std::getline(lines, line);) out += "    " + line + '\n';
  return out;
}

std::string offsets_of(const Realm& realm) {
  const int64_t rounds = rounds_of(realm);
  const auto numbered = [&](int64_t number) {
    return window(realm, (number + rounds - realm.start) % rounds);
  };
  const pattern::Interval first = numbered(0).front(), last = numbered(rounds - 1).back();
  std::string out = fmt::format("[{}, {})", first.begin, last.end);
  if (!realm.owned.is_contiguous())
    return out + fmt::format(" in pieces of {} or more", format_bytes(realm.piece_bytes));
  if (realm.positions.size() > 1) out += fmt::format(" in {} spans", realm.positions.size());
  return out;
}

std::string realm_table(const Plan& plan, std::span<const Realm> realms) {
  std::string out = fmt::format("  {:>5} {:>10} {:>5} {:>10} {:>10} {:>6}  {}\n", "realm", "aggregator",
                                "node", "bytes", "window", "rounds", "offsets");
  for (size_t i = 0; i < std::min(realms_shown, realms.size()); ++i) {
    const Realm& realm = realms[i];
    out += fmt::format("  {:>5} {:>10} {:>5} {:>10} {:>10} {:>6}  {}\n", &realm - plan.realms.data(),
                       realm.aggregator, realm.node, format_bytes(realm.bytes),
                       format_bytes(realm.window_bytes), rounds_of(realm), offsets_of(realm));
  }
  if (realms.size() > realms_shown) out += fmt::format("  ... {} more\n", realms.size() - realms_shown);
  return out;
}

const char* exchange_name(ExchangeStrategy exchange) {
  switch (exchange) {
    case ExchangeStrategy::descriptions:
      return "descriptions";
    case ExchangeStrategy::images:
      return "images";
    case ExchangeStrategy::alltoallw:
      return "alltoallw";
  }
  return "";
}

// The memory of each node and what the plan takes of it, if it is known for any node.
std::string nodes_text(const Facts& facts, const Plan& plan) {
  std::string out;
  size_t shown = 0;
  for (size_t node = 0; node < facts.nodes.size(); ++node) {
    const int64_t free_bytes = facts.nodes[node].free_bytes;
    if (free_bytes == INT64_MAX) continue;
    if (++shown > nodes_shown) continue;
    out += fmt::format("  node {}: {} available, {} taken\n", node, format_bytes(free_bytes),
                       format_bytes(node_bytes(plan, static_cast<int>(node))));
  }
  if (shown > nodes_shown) out += fmt::format("  ... {} more nodes\n", shown - nodes_shown);
  return out;
}

std::string group_text(const Facts& facts, const Plan& plan, const Group& group) {
  std::string out =
      fmt::format("group {}: node{} {}, {} of data in {} of the file, {}, {}, at most {} shared on a node\n",
                  &group - plan.groups.data(), group.nodes.size() == 1 ? "" : "s", ranges(group.nodes),
                  format_bytes(group.data_bytes > 0 ? group.data_bytes : facts.digest.bytes),
                  group.spans.size() == 1 ? "one stretch" : fmt::format("{} stretches", group.spans.size()),
                  counted(group.end_realm - group.first_realm, "realm"), counted(group.rounds, "round"),
                  format_bytes(group.segment_bytes));
  if (const auto tree = tree_of(facts, plan, group)) {
    if (tree->taken_over == 0) {
      out += "  partition tree, every portion has its host:\n";
    } else {
      out += "  partition tree:\n" + indented(tree->before.text());
      out += fmt::format("  remerged, {} taken over:\n", counted(tree->taken_over, "portion"));
    }
    out += indented(tree->after.text());
  }
  return out + realm_table(plan, realms_in(plan, group));
}

json vertex_json(const PartitionTree& tree, int i) {
  const PartitionTree::Vertex& vertex = tree.vertex(i);
  json out = {{"begin", vertex.file.begin}, {"end", vertex.file.end}};
  if (vertex.aggregator != PartitionTree::none) {
    out["aggregator"] = vertex.aggregator;
    out["node"] = vertex.node;
  }
  if (!vertex.is_leaf()) out["children"] = {vertex_json(tree, vertex.left), vertex_json(tree, vertex.right)};
  return out;
}

json intervals_json(std::span<const pattern::Interval> intervals) {
  json out = json::array();
  for (const pattern::Interval& interval : intervals) out.push_back({interval.begin, interval.end});
  return out;
}

json realm_json(const Realm& realm) {
  // If a realm has holes, it may have too many pieces; those of its first window are shown.
  const bool whole = realm.owned.is_contiguous();
  return {{"aggregator", realm.aggregator},
          {"node", realm.node},
          {"group", realm.group},
          {"bytes", realm.bytes},
          {"window_bytes", realm.window_bytes},
          {"map_bytes", realm.map_bytes},
          {"image_bytes", realm.image_bytes},
          {"rounds", rounds_of(realm)},
          {"start", realm.start},
          {"alignment", realm.alignment},
          {"piece_bytes", realm.piece_bytes},
          {whole ? "spans" : "first_window", intervals_json(whole ? realm.positions : window(realm, 0))}};
}

json group_json(const Facts& facts, const Plan& plan, const Group& group) {
  json out = {{"nodes", group.nodes},
              {"spans", intervals_json(group.spans)},
              {"data_bytes", group.data_bytes},
              {"realms", {group.first_realm, group.end_realm}},
              {"rounds", group.rounds},
              {"segment_bytes", group.segment_bytes},
              {"marks_wanted", group.marks_wanted}};
  if (const auto tree = tree_of(facts, plan, group)) {
    out["tree"] = {{"before", vertex_json(tree->before, tree->before.root())},
                   {"after", vertex_json(tree->after, tree->after.root())},
                   {"taken_over", tree->taken_over}};
  }
  return out;
}

json nodes_json(const Facts& facts, const Plan& plan) {
  json out = json::array();
  const std::vector<int64_t> taken = bytes_of_nodes(plan);
  for (size_t node = 0; node < facts.nodes.size(); ++node) {
    const int64_t limit = node_limit(facts, facts.nodes[node]).node_bytes;
    json limit_bytes;
    if (limit < INT64_MAX / 2) limit_bytes = limit;
    out.push_back(
        {{"group", plan.group_of_node[node]}, {"memory_bytes", taken[node]}, {"limit_bytes", limit_bytes}});
  }
  return out;
}

// Whether nodes bring their shares together, and why.
std::string clusters_text(const Facts& facts, const Plan& plan) {
  if (plan.combined_nodes < 2) {
    const char* obstacle = obstacle_to_clusters(facts, plan);
    if (facts.wishes.combine_nodes < 2 || !*obstacle) return "";
    return fmt::format("nodes do not bring their shares together: {}\n", obstacle);
  }
  int64_t alone = 0, of_aggregators = 0, within = 0;
  for (const Group& group : plan.groups) {
    const Messages most = most_messages(facts, plan, group);
    of_aggregators += most.of_aggregators;
    within += most.within_clusters;
    alone += most_messages(facts, plan, group, 1).all();
  }
  return fmt::format(
      "{} neighbouring nodes bring their shares of a window together{}: at most {} to aggregators or from "
      "them "
      "instead of {}, and {} among neighbours\n",
      plan.combined_nodes,
      facts.wishes.combine_nodes > 0 ? ", as concilio_combine_nodes asks for" : ", which costs less",
      counted(of_aggregators, "message"), alone, within);
}

int64_t slots_of_realms(const Plan& plan) {
  int64_t most = 1;
  for (const Realm& realm : plan.realms) most = std::max(most, realm.slots);
  return most;
}

}  // namespace

Movement movement_of(const Facts& facts, const Plan& plan) {
  Movement movement;
  for (const Group& group : plan.groups) {
    int64_t ranks = 0, most_ranks = 0;  // of the group, of a node
    for (const int node : group.nodes) {
      ranks += facts.nodes[static_cast<size_t>(node)].ranks;
      most_ranks = std::max(most_ranks, facts.nodes[static_cast<size_t>(node)].ranks);
    }
    movement.messages += most_messages(facts, plan, group).all();
    const int64_t streams = most_messages(facts, plan, group, 1).all();
    // By descriptions, ranks copy to or from the windows of their own node alone, and their parts of parcels.
    const bool describes = plan.exchange == ExchangeStrategy::descriptions;
    for (const Realm& realm : realms_in(plan, group)) {
      const int64_t sharing = describes ? facts.nodes[static_cast<size_t>(realm.node)].ranks : ranks;
      movement.shared += rounds_of(realm) * sharing;
    }
    if (describes) movement.shared += streams * most_ranks;
  }
  return movement;
}

std::string explain_two_phase_text(const Facts& given, const Plan& plan) {
  const Facts facts = as_laid_out(given, plan);
  const int64_t slots = slots_of_realms(plan);
  std::string out =
      fmt::format("realms: {}, {}; aggregators on {}; {}\n", realm_policy_name(plan.policy),
                  realm_policy_row(plan.policy).summary, placement_row(facts.wishes.placement).summary,
                  slots == 1 ? "one buffer each" : fmt::format("{} alternating buffers", slots));
  out += nodes_text(facts, plan);
  for (size_t i = 0; i < std::min(groups_shown, plan.groups.size()); ++i)
    out += group_text(facts, plan, plan.groups[i]);
  if (plan.groups.size() > groups_shown)
    out += fmt::format("... {} more groups\n", plan.groups.size() - groups_shown);
  const Movement movement = movement_of(facts, plan);
  out += fmt::format(
      "in all: {} in {}, at most {}; at most {} between nodes ({}); none within: at most {} by shared "
      "memory\n",
      counted(static_cast<int64_t>(plan.realms.size()), "realm"),
      counted(static_cast<int64_t>(plan.groups.size()), "group"), counted(plan.rounds, "round"),
      counted(movement.messages, "message"), exchange_name(plan.exchange),
      movement.shared == 1 ? "1 copy" : fmt::format("{} copies", movement.shared));
  out += fmt::format("memory of a rank: {} at most; {} shared on a node, {} of an aggregator's own\n",
                     format_bytes(plan.peak_bytes), format_bytes(plan.segment_bytes),
                     format_bytes(plan.staging_bytes));
  out += clusters_text(facts, plan);
  const bool marks = std::any_of(plan.groups.begin(), plan.groups.end(),
                                 [](const Group& group) { return group.marks_wanted; });
  if (marks)
    out += "few bytes of a window are wanted: ranks mark these first, and large holes are not read\n";
  if (plan.behind_bytes > 0)
    out += fmt::format("of which {} may hold back writes, to join those of several calls\n",
                       format_bytes(plan.behind_bytes));
  return out;
}

json explain_two_phase_json(const Facts& given, const Plan& plan) {
  const Facts facts = as_laid_out(given, plan);
  json groups = json::array(), realms = json::array();
  for (const Group& group : plan.groups) groups.push_back(group_json(facts, plan, group));
  for (const Realm& realm : plan.realms) realms.push_back(realm_json(realm));
  const Movement movement = movement_of(facts, plan);
  return {{"policy", realm_policy_name(plan.policy)},
          {"placement", placement_row(facts.wishes.placement).name},
          {"groups", groups},
          {"nodes", nodes_json(facts, plan)},
          {"realms", realms},
          {"window_bytes", plan.window_bytes},
          {"slots", slots_of_realms(plan)},
          {"rounds", plan.rounds},
          {"granule", plan.granule.granule},
          {"anchor", plan.granule.anchor},
          {"segment_bytes", plan.segment_bytes},
          {"staging_bytes", plan.staging_bytes},
          {"behind_bytes", plan.behind_bytes},
          {"exchange", exchange_name(plan.exchange)},
          {"combined_nodes", plan.combined_nodes},
          {"messages_between_nodes", movement.messages},
          {"copies_within_nodes", movement.shared}};
}

}  // namespace concilio::plan
