#include "scorpio/report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/median.h"

namespace concilio::bench::scorpio {

namespace {

constexpr double mib = 1024.0 * 1024.0;

std::vector<double> seconds_of(const Outcome& outcome, Phase phase) {
  std::vector<double> seconds;
  for (const Split& split : outcome.repetitions) seconds.push_back(split[phase]);
  return seconds;
}

std::vector<double> totals(const Outcome& outcome) {
  std::vector<double> seconds;
  for (const Split& split : outcome.repetitions) seconds.push_back(total(split));
  return seconds;
}

double rate(const Workload& workload, const Outcome& outcome, Phase phase) {
  const double seconds = median(seconds_of(outcome, phase));
  return seconds > 0 ? static_cast<double>(workload.bytes()) / mib / seconds : 0;
}

// The speed relative to `base`: the median over the repetitions of the quotient of times, which were measured
// side by side.
double ratio(const std::vector<double>& seconds, const std::vector<double>& base) {
  std::vector<double> ratios;
  for (size_t i = 0; i < std::min(seconds.size(), base.size()); ++i) ratios.push_back(base[i] / seconds[i]);
  return median(ratios);
}

struct Ratios {
  double read, write, whole;
};

Ratios ratios(const Outcome& outcome, const Outcome& base) {
  return {ratio(seconds_of(outcome, phase_read), seconds_of(base, phase_read)),
          ratio(seconds_of(outcome, phase_write), seconds_of(base, phase_write)),
          ratio(totals(outcome), totals(base))};
}

const Outcome* find(const std::vector<Outcome>& outcomes, const std::string& method) {
  for (const Outcome& outcome : outcomes) {
    if (outcome.method == method) return &outcome;
  }
  return nullptr;
}

const char* word_of(Diff diff) {
  if (diff == Diff::not_installed) return "not installed";
  return diff == Diff::same ? "same" : "different";
}

std::string ratios_text(const Outcome& outcome, const Outcome* base) {
  if (!base || base == &outcome) return fmt::format("{:^17}", "-");
  const Ratios all = ratios(outcome, *base);
  return fmt::format("{:5.2f} {:5.2f} {:5.2f}", all.read, all.write, all.whole);
}

// "3", or "3/1" if the number differs between reading and writing.
std::string both(int64_t read, int64_t write) {
  return read == write ? std::to_string(read) : fmt::format("{}/{}", read, write);
}

std::string size_text(int64_t bytes) {
  return bytes < 0 ? "-" : fmt::format("{:.2f}", static_cast<double>(bytes) / mib);
}

nlohmann::json access_json(const Access& access) {
  nlohmann::json all = {{"openers", access.openers}};
  if (access.groups > 0) {
    all["groups"] = access.groups;
    all["group_ranks"] = access.group_ranks;
    all["group_bytes"] = access.group_bytes;
  }
  return all;
}

nlohmann::json times_json(const Outcome& outcome) {
  nlohmann::json all;
  for (size_t phase = 0; phase < phase_count; ++phase) {
    const auto seconds = seconds_of(outcome, static_cast<Phase>(phase));
    all[phase_names[phase]] = {
        {"first_seconds", outcome.first[phase]}, {"seconds", seconds}, {"median_seconds", median(seconds)}};
  }
  return all;
}

}  // namespace

std::string table(const Workload& workload, const Circumstances& circumstances,
                  const std::vector<Outcome>& outcomes) {
  std::string text = fmt::format(
      "{}, {} rank{}; {} datasets of {} in {} of {} processes, {:.1f} MiB; {} repetitions; milliseconds\n",
      circumstances.library, circumstances.ranks, circumstances.ranks == 1 ? "" : "s",
      workload.datasets.size(), fmt::join(workload.grid, "x"), workload.blocks ? "blocks" : "one dimension",
      fmt::join(workload.processes, "x"), static_cast<double>(workload.bytes()) / mib,
      circumstances.repetitions);
  text +=
      fmt::format("{:<17}{:>7}{:>7}{:>9}{:>9}{:>9}{:>9}{:>9}{:>9}{:>8}{:>8}  {:^17}  {:^17}{:>8}{:>8}{:>8}\n",
                  "", "groups", "opens", "init", "open", "read", "write", "close", "all", "read", "write",
                  "x collective", "x independent", "buffer", "group's", "grown");
  text += fmt::format(
      "{:<17}{:>7}{:>7}{:>54}{:>8}{:>8}  {:>5} {:>5} {:>5}  {:>5} {:>5} {:>5}{:>8}{:>8}{:>8}\n", "", "", "",
      "", "MiB/s", "MiB/s", "read", "write", "all", "read", "write", "all", "MiB", "MiB", "MiB");
  const Outcome* collective = find(outcomes, "hdf5-collective");
  const Outcome* independent = find(outcomes, "hdf5-independent");
  for (const Outcome& outcome : outcomes) {
    text += fmt::format("{:<17}{:>7}{:>7}", outcome.method,
                        outcome.input.groups == 0 ? "-" : both(outcome.input.groups, outcome.output.groups),
                        both(outcome.input.openers, outcome.output.openers));
    for (size_t phase = 0; phase < phase_count; ++phase)
      text += fmt::format("{:9.2f}", median(seconds_of(outcome, static_cast<Phase>(phase))) * 1e3);
    const int64_t group_bytes = std::max(outcome.input.group_bytes, outcome.output.group_bytes);
    text += fmt::format("{:9.2f}{:8.0f}{:8.0f}  {}  {}{:>8}{:>8}{:>8}\n", median(totals(outcome)) * 1e3,
                        rate(workload, outcome, phase_read), rate(workload, outcome, phase_write),
                        ratios_text(outcome, collective), ratios_text(outcome, independent),
                        size_text(outcome.peak_buffer_bytes),
                        outcome.input.groups == 0 ? "-" : size_text(group_bytes),
                        size_text(outcome.peak_growth_bytes));
  }
  const bool compared = !outcomes.empty() && outcomes.front().diff == Diff::same;
  text += fmt::format(
      "All values that were read, and those in the first and the last files written, are right; h5diff {}.\n",
      compared ? "finds them the same as the input" : "is not installed");
  return text;
}

std::string json_lines(const Workload& workload, const Circumstances& circumstances,
                       const std::vector<Outcome>& outcomes) {
  std::string text;
  for (const Outcome& outcome : outcomes) {
    nlohmann::json line = {{"library", circumstances.library},
                           {"ranks", circumstances.ranks},
                           {"blocks", workload.blocks},
                           {"grid", workload.grid},
                           {"processes", workload.processes},
                           {"datasets", workload.datasets.size()},
                           {"bytes", workload.bytes()},
                           {"repetitions", circumstances.repetitions},
                           {"buffer_bytes", circumstances.buffer_bytes},
                           {"method", outcome.method},
                           {"verified", outcome.failure.empty()}};
    if (!outcome.failure.empty()) {
      line["failure"] = outcome.failure;
    } else {
      line["phases"] = times_json(outcome);
      line["median_seconds"] = median(totals(outcome));
      line["read_mib_per_second"] = rate(workload, outcome, phase_read);
      line["write_mib_per_second"] = rate(workload, outcome, phase_write);
      line["input"] = access_json(outcome.input);
      line["output"] = access_json(outcome.output);
      if (outcome.peak_buffer_bytes >= 0) line["peak_buffer_bytes"] = outcome.peak_buffer_bytes;
      line["peak_growth_bytes"] = outcome.peak_growth_bytes;
      line["h5diff"] = word_of(outcome.diff);
      for (const char* name : {"hdf5-collective", "hdf5-independent"}) {
        const Outcome* base = find(outcomes, name);
        if (!base || base == &outcome) continue;
        const Ratios all = ratios(outcome, *base);
        line["times_as_fast"][name] = {{"read", all.read}, {"write", all.write}, {"all", all.whole}};
      }
    }
    text += line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  }
  return text;
}

}  // namespace concilio::bench::scorpio
