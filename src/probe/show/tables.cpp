#include "probe/show/tables.h"

#include <fmt/format.h>

#include "base/settings/config.h"
#include "base/text/bytes.h"
#include "base/text/format_seconds.h"
#include "probe/show/axis.h"

namespace concilio::probe {

namespace {

using Q = Quantity;

constexpr double megabyte = 1e6;

std::string cell(double value) {
  if (value <= 0) return "-";
  return value >= 100 ? fmt::format("{:.0f}", value) : fmt::format("{:.3g}", value);
}
std::string rate_cell(const Measurements& found, Quantity quantity, double bytes) {
  const double seconds = value_at(found[quantity], bytes);
  return cell(seconds > 0 ? bytes / seconds / megabyte : 0);
}
std::string time_cell(double seconds) {
  return seconds > 0 ? format_seconds(seconds) : "-";
}

// Like Table II of "Early Evaluation of Intel Optane Non-Volatile Memory with HPC I/O Workloads": bandwidth
// in MB/s, where MB is 10^6 bytes.
std::string bandwidth_table(const Measurements& found) {
  struct Row {
    const char* name;
    double bytes;
    Quantity write_random, write_sequential, read_random, read_sequential;
  };
  const Row rows[] = {
      {"buffered, 4 KiB", 4096, Q::write_scattered, Q::write_adjoining, Q::read_scattered, Q::read_adjoining},
      {"buffered, 1 MiB", 1 << 20, Q::write_scattered, Q::write_adjoining, Q::read_scattered,
       Q::read_adjoining},
      {"direct, 4 KiB", 4096, Q::write_direct_scattered, Q::write_direct, Q::read_direct_scattered,
       Q::read_direct},
      {"direct, 1 MiB", 1 << 20, Q::write_direct_scattered, Q::write_direct, Q::read_direct_scattered,
       Q::read_direct}};
  std::string text = fmt::format("Bandwidth, MB/s\n{:<16}{:>17}{:>18}{:>17}{:>17}\n", "", "write scattered",
                                 "write sequential", "read scattered", "read sequential");
  for (const Row& row : rows) {
    if (found[row.read_sequential].empty()) continue;
    text += fmt::format(
        "{:<16}{:>17}{:>18}{:>17}{:>17}\n", row.name, rate_cell(found, row.write_random, row.bytes),
        rate_cell(found, row.write_sequential, row.bytes), rate_cell(found, row.read_random, row.bytes),
        rate_cell(found, row.read_sequential, row.bytes));
  }
  for (const int64_t bytes : {int64_t{4} << 10, int64_t{1} << 20}) {
    text += fmt::format("{:<16}{:>17}{:>18}{:>17}{:>17}\n", "synced, " + format_bytes(bytes), "-",
                        rate_cell(found, Q::write_synced, static_cast<double>(bytes)), "-", "-");
  }
  return text;
}

std::string request_table(const Measurements& found) {
  std::string text = fmt::format("Time of a request, one client\n{:>9}{:>17}{:>18}{:>15}{:>16}{:>17}\n",
                                 "bytes", "write scattered", "write sequential", "write growing",
                                 "read scattered", "read sequential");
  for (const Sample& sample : found[Q::read_adjoining]) {
    const auto at = [&](Quantity quantity) { return time_cell(value_at(found[quantity], sample.x)); };
    text += fmt::format("{:>9}{:>17}{:>18}{:>15}{:>16}{:>17}\n", short_bytes(sample.x),
                        at(Q::write_scattered), at(Q::write_adjoining), at(Q::write_growing),
                        at(Q::read_scattered), at(Q::read_adjoining));
  }
  return text;
}

std::string operation_table(const Measurements& found) {
  const auto per_second = [&](Quantity quantity) {
    const double seconds = value_at(found[quantity], 4096);
    return cell(seconds > 0 ? 1 / seconds : 0);
  };
  const auto only = [&](Quantity quantity) {
    return time_cell(found[quantity].empty() ? 0 : found[quantity][0].y);
  };
  std::string text = "Operations\n";
  text += fmt::format("  open and close {}, lock and unlock {}\n", only(Q::open), only(Q::lock));
  text += fmt::format("  random requests of 4 KiB a second: {} writes, {} reads\n",
                      per_second(Q::write_scattered), per_second(Q::read_scattered));
  text += fmt::format("{:>11}{:>18}{:>16}{:>17}{:>15}\n", "submitted", "write one by one", "write together",
                      "read one by one", "read together");
  for (const Sample& sample : found[Q::read_list]) {
    const auto at = [&](Quantity quantity) { return time_cell(value_at(found[quantity], sample.x)); };
    text += fmt::format("{:>11}{:>18}{:>16}{:>17}{:>15}\n", fmt::format("{:.0f}", sample.x),
                        at(Q::write_list), at(Q::write_at_once), at(Q::read_list), at(Q::read_at_once));
  }
  if (!found[Q::read_direct_at_once].empty()) {
    text += "  direct, random, 4 KiB each, by how many are under way:";
    for (const Sample& sample : found[Q::read_direct_at_once])
      text += fmt::format(" {:.0f}: write {}, read {};", sample.x,
                          time_cell(value_at(found[Q::write_direct_at_once], sample.x)), time_cell(sample.y));
    text.back() = '\n';
  }
  text += fmt::format("  window of 1 MiB, in cache: written in {}, read in {}; a piece of it written in {}\n",
                      time_cell(value_at(found[Q::write_window], 1 << 20)),
                      time_cell(value_at(found[Q::read_window], 1 << 20)), only(Q::write_window_piece));
  if (!found[Q::map].empty())
    text += fmt::format("  mapping {}; a page of it read {} (populated {}), written {} ({})\n", only(Q::map),
                        only(Q::map_read_page), only(Q::map_populate_read_page), only(Q::map_write_page),
                        only(Q::map_populate_write_page));
  return text;
}

std::string client_table(const Measurements& found) {
  std::string text =
      fmt::format("Ranks at once on one file, MB/s of all\n{:>9}{:>14}{:>14}{:>14}{:>14}{:>18}\n", "ranks",
                  "write 4 KiB", "write 1 MiB", "read 4 KiB", "read 1 MiB", "synchronising");
  for (const Sample& sample : found[Q::read_clients_large]) {
    const auto at = [&](Quantity quantity) { return cell(value_at(found[quantity], sample.x) / megabyte); };
    text += fmt::format("{:>9}{:>14}{:>14}{:>14}{:>14}{:>18}\n", fmt::format("{:.0f}", sample.x),
                        at(Q::write_clients_small), at(Q::write_clients_large), at(Q::read_clients_small),
                        at(Q::read_clients_large), time_cell(value_at(found[Q::synchronise], sample.x)));
  }
  return text;
}

std::string memory_table(const Measurements& found) {
  std::string text = "Memory\n  copy by piece, MB/s:";
  for (const Sample& sample : found[Q::copy])
    text +=
        fmt::format(" {} {}", short_bytes(sample.x), cell(sample.y > 0 ? sample.x / sample.y / megabyte : 0));
  text += fmt::format("\n  a piece of a derived datatype {}\n",
                      time_cell(found[Q::datatype].empty() ? 0 : found[Q::datatype][0].y));
  if (!found[Q::node_copy].empty()) {
    text += "  from another rank's core, MB/s:";
    for (const Sample& sample : found[Q::node_copy])
      text += fmt::format(" {} {}", short_bytes(sample.x), cell(sample.x / sample.y / megabyte));
    text += "\n";
  }
  if (!found[Q::message].empty()) {
    text += "Messages between nodes\n ";
    for (const Sample& sample : found[Q::message])
      text += fmt::format(" {} {},", short_bytes(sample.x), format_seconds(sample.y));
    text.back() = '\n';
    if (!found[Q::message_stream].empty())
      text +=
          fmt::format("  {} MB/s with several under way\n", cell(found[Q::message_stream][0].y / megabyte));
  }
  return text;
}

std::string parameter_table(const plan::Parameters& parameters) {
  const auto bytes = [](int64_t value) { return value > 0 ? format_bytes(value) : "not measured"; };
  return fmt::format(
      "Parameters\n"
      "  aggregators a node (N_ah)          {}\n"
      "  data of an aggregator (Msg_ind)    {}\n"
      "  data of a group (Msg_group)        {}\n"
      "  memory of an aggregator (Mem_min)  {}\n",
      parameters.aggregators_per_node > 0 ? std::to_string(parameters.aggregators_per_node) : "not known",
      bytes(parameters.domain_bytes), bytes(parameters.group_bytes), bytes(parameters.memory_min_bytes));
}

}  // namespace

std::string tables_of(const plan::Profile& profile, const Measurements& found) {
  std::string hosts;
  for (const std::string& host : profile.hosts) hosts += (hosts.empty() ? "" : ", ") + host;
  std::string text =
      fmt::format("{} ({}) from {}, {}{}\n{} rank{} on {} node{}, {} core{} a node; file of {}\n\n",
                  profile.mount, profile.file_system, hosts, profile.made,
                  profile.throttle.empty() ? "" : ", throttled: " + profile.throttle, found.ranks,
                  found.ranks == 1 ? "" : "s", found.nodes, found.nodes == 1 ? "" : "s", found.cores_per_node,
                  found.cores_per_node == 1 ? "" : "s", format_bytes(found.file_bytes));
  for (const std::string& part : {bandwidth_table(found), request_table(found), operation_table(found),
                                  client_table(found), memory_table(found)})
    text += part + "\n";
  return text + parameter_table(profile.parameters);
}

}  // namespace concilio::probe
