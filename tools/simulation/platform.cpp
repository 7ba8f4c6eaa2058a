#include "simulation/platform.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace concilio::tools {

namespace {

Error cannot_place(std::string message) {
  return {ErrorKind::argument, 0, std::move(message)};
}

constexpr int64_t most_ranks = INT32_MAX;  // that MPI can number

// A message crosses two links.
double latency_of_link(const DescribedMachine& machine) {
  return machine.network_latency_s / 2;
}

// Where nodes have links of their own to storage, these are hosts beside the nodes, which the library finds
// by their names: SimGrid gives a node only one way out.
std::string storage_links_of(const DescribedMachine& machine, int64_t nodes) {
  if (machine.storage_link_rate <= 0) return {};
  return fmt::format(
      R"(
    <cluster id="links" prefix="storage-link-of-node" suffix="" radical="0-{}" speed="1f" bw="{}Bps" lat="{}s"
             router_id="storage_switch"/>)",
      nodes - 1, machine.storage_link_rate, latency_of_link(machine));
}

std::string route_to_storage(const char* zone, const char* router) {
  return fmt::format(R"(
    <zoneRoute src="{}" dst="servers" gw_src="{}" gw_dst="storage"><link_ctn id="to_storage" direction="UP"/></zoneRoute>)",
                     zone, router);
}

}  // namespace

int64_t RanksOnNodes::node_of(int64_t rank) const {
  return ((rank + 1) * nodes - 1) / ranks;
}

Result<RanksOnNodes> place_ranks(const RanksWanted& wanted, const DescribedMachine& machine) {
  RanksOnNodes placed;
  const int64_t per_node = wanted.ranks_per_node > 0 ? wanted.ranks_per_node : machine.cores;
  if (wanted.ranks > 0) {
    placed.ranks = wanted.ranks;
    placed.nodes = wanted.nodes > 0 ? wanted.nodes : (wanted.ranks + per_node - 1) / per_node;
  } else if (wanted.nodes > 0) {
    placed.nodes = wanted.nodes;
    placed.ranks = wanted.nodes * per_node;
  } else {
    return cannot_place("give the number of ranks by -n, or of nodes by --nodes");
  }
  const int64_t fullest = (placed.ranks + placed.nodes - 1) / placed.nodes;
  if (placed.nodes > machine.nodes)
    return cannot_place(fmt::format("{} ranks on {} nodes: the machine has {} nodes of {} cores",
                                    placed.ranks, placed.nodes, machine.nodes, machine.cores));
  if (placed.nodes > placed.ranks)
    return cannot_place(fmt::format("--nodes {}: there are only {} ranks", placed.nodes, placed.ranks));
  if (wanted.ranks_per_node > 0 && fullest > wanted.ranks_per_node)
    return cannot_place(
        fmt::format("{} ranks on {} nodes are more than {} a node; leave out one of --ranks, --nodes and "
                    "--ranks-per-node",
                    placed.ranks, placed.nodes, wanted.ranks_per_node));
  if (fullest > machine.cores)
    return cannot_place(fmt::format("{} ranks on {} nodes are {} on a node, which has {} cores", placed.ranks,
                                    placed.nodes, fullest, machine.cores));
  if (placed.ranks > most_ranks)
    return cannot_place(fmt::format("{} ranks: MPI has at most {}", placed.ranks, most_ranks));
  return placed;
}

std::string platform_of(const DescribedMachine& machine, int64_t nodes) {
  constexpr double no_limit = 1e18, latency_in_memory = 2e-7;
  return fmt::format(
      R"(<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <zone id="machine" routing="Full">
    <cluster id="nodes" prefix="node" suffix="" radical="0-{}" speed="{}f" bw="{}Bps" lat="{}s"
             loopback_bw="{}Bps" loopback_lat="{}s" router_id="switch">
      <prop id="cores" value="{}"/>
      <prop id="core_copy_rate" value="{}"/>
    </cluster>{}
    <zone id="servers" routing="Full"><host id="storage" speed="1f"/></zone>
    <link id="to_storage" bandwidth="{}Bps" latency="{}s" sharing_policy="SPLITDUPLEX"/>{}{}
  </zone>
</platform>
)",
      nodes - 1, machine.copy_rate, machine.network_rate, latency_of_link(machine), machine.core_copy_rate,
      latency_in_memory, machine.cores, machine.core_copy_rate, storage_links_of(machine, nodes),
      machine.storage_rate > 0 ? machine.storage_rate : no_limit, latency_of_link(machine),
      route_to_storage("nodes", "switch"),
      machine.storage_link_rate > 0 ? route_to_storage("links", "storage_switch") : "");
}

std::string host_file_of(const RanksOnNodes& placed) {
  std::string text;
  for (int64_t rank = 0; rank < placed.ranks; ++rank) text += fmt::format("node{}\n", placed.node_of(rank));
  return text;
}

Words simulator_words(const std::string& launcher, const RanksOnNodes& placed, const std::string& folder) {
  return {launcher, "-np", std::to_string(placed.ranks), "-platform", folder + "/platform.xml", "-hostfile",
          folder + "/hosts",
          // docs/simulation.md says why.
          "--cfg=smpi/errors-are-fatal:no", "--cfg=smpi/coll-selector:ompi", "--cfg=smpi/bcast:binomial_tree",
          "--cfg=smpi/simulate-computation:no",
          // The rates and the latency are those of the machine's file, and not of a network that the
          // simulator's authors measured.
          "--cfg=smpi/bw-factor:0:1", "--cfg=smpi/lat-factor:0:1", "--log=root.thres:error"};
}

}  // namespace concilio::tools
