#include "benchmark/suite.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/median.h"
#include "benchmark/progress.h"
#include "sim/patterns/calls.h"
#include "system/complain.h"

namespace concilio::tools {
namespace {

// The patterns that one start of the benchmark program measures. Tiny calls are patterns of 4096 of them.
struct Workload {
  sim::Calls calls;
  const char* size;  // in words
  const char* mib_per_rank;
  bool full;  // only measured with --full
  std::vector<std::string> patterns;

  std::string name() const { return fmt::format("{}, {}", sim::name_of(calls), size); }
};

const std::vector<Workload>& workloads() {
  static const std::vector<std::string> tiny = {"ior:8", "mpiiotest:8"},
                                        pieces = {"contiguous",       "ior:16384",
                                                  "mpiiotest:16384",  "interleaved:64",
                                                  "interleaved:1024", "interleaved:65536",
                                                  "hpio:64/64",       "hpio:64/64:contigmem",
                                                  "block3d",          "btio",
                                                  "unstruc:8",        "extent:1024/50"},
                                        some = {"contiguous", "interleaved:1024", "interleaved:65536",
                                                "btio"},
                                        others = {"contiguous", "ior:1024", "interleaved:4096",
                                                  "block3d",    "btio",     "unstruc"};
  using enum sim::Calls;
  static const std::vector<Workload> all = {
      {collective, "32 KiB", "0.03125", false, tiny},
      {independent, "32 KiB", "0.03125", false, tiny},
      {icollective, "32 KiB", "0.03125", false, tiny},
      {iindependent, "32 KiB", "0.03125", false, tiny},
      {shared, "32 KiB", "0.03125", false, {"mpiiotest:8"}},
      {collective, "4 MiB", "4", false, pieces},
      {independent, "4 MiB", "4", false, pieces},
      {icollective, "4 MiB", "4", false, some},
      {iindependent, "4 MiB", "4", false, some},
      {shared, "4 MiB", "4", false, {"contiguous", "mpiiotest:16384"}},
      {open, "16 times", "0.0001220703125", false, {"mpiiotest:8"}},
      {collective, "4 MiB", "4", true, {"interleaved:8", "hacc:100000:records", "timesteps"}},
      {collective, "64 KiB", "0.0625", true, others},
      {independent, "64 KiB", "0.0625", true, others},
      {collective, "64 MiB", "64", true, others},
      {independent, "64 MiB", "64", true, others},
  };
  return all;
}

bool may_be_chance(const Comparison& row) {
  return std::ranges::any_of(measured_of(row),
                             [](const Measured& measured) { return measured.finding() == Finding::unclear; });
}

// The cells that the same starts of the benchmark program measure.
struct Group {
  const Workload* workload;
  std::vector<size_t> cells;
};

class Suite {
 public:
  Suite(const SuiteOptions& options, const BenchMachine& machine, const Environment& environment)
      : options_(options), environment_(environment) {
    for (const Flavour flavour : machine.flavours) {
      for (const int ranks : machine.rank_counts) {
        for (const Workload& workload : workloads()) {
          if (workload.full && !options.full) continue;
          if (!options.calls.empty() &&
              std::ranges::find(options.calls, sim::name_of(workload.calls)) == options.calls.end())
            continue;
          Group& group = groups_.emplace_back(Group{&workload, {}});
          for (const std::string& pattern : workload.patterns) {
            group.cells.push_back(cells_.size());
            SuiteCell& cell = cells_.emplace_back();
            cell.calls = workload.name();
            cell.comparison.flavour = flavour;
            cell.comparison.ranks = ranks;
            cell.comparison.pattern = pattern;
          }
        }
      }
    }
  }

  Status measure() {
    if (Status measured = measure(groups_); !measured.ok()) return measured;
    // A cell of which the times do not tell enough is measured once more.
    std::vector<Group> again;
    for (const Group& group : groups_) {
      Group unclear{group.workload, {}};
      for (const size_t cell : group.cells) {
        if (may_be_chance(cells_[cell].comparison)) unclear.cells.push_back(cell);
      }
      if (!unclear.cells.empty()) again.push_back(std::move(unclear));
    }
    return measure(again);
  }
  const std::vector<SuiteCell>& cells() const { return cells_; }

 private:
  Status measure(const std::vector<Group>& groups) {
    Progress progress(groups.size() * 2 * static_cast<size_t>(options_.bench.alternations));
    Status measured;
    for (const Group& group : groups) {
      for (int start = 0; measured.ok() && start < 2 * options_.bench.alternations; ++start) {
        const Comparison& first = cells_[group.cells.front()].comparison;
        progress.next(fmt::format("{} {} ranks, {}, {}", flavour_word(first.flavour), first.ranks,
                                  group.workload->name(), start % 2 == 1 ? "Concilio" : "own"));
        measured = start_group(group, start % 2 == 1);
      }
    }
    progress.end();
    return measured;
  }

  Status start_group(const Group& group, bool under_concilio) {
    BenchOptions bench = options_.bench;
    bench.mib_per_rank = group.workload->mib_per_rank;
    bench.calls = sim::name_of(group.workload->calls);
    std::vector<Comparison*> rows;
    for (const size_t cell : group.cells) {
      Comparison& row = cells_[cell].comparison;
      if (row.own.failure.empty() && row.concilio.failure.empty()) rows.push_back(&row);
    }
    if (rows.empty()) return {};
    const auto failure = [&](Comparison* row) -> std::string& {
      return under_concilio ? row->concilio.failure : row->own.failure;
    };
    if (Status started = start_side(rows, under_concilio, bench, environment_); !started.ok()) return started;
    if (rows.size() == 1 || failure(rows.front()).empty()) return {};
    // One pattern has failed, and took the others with it.
    for (Comparison* row : rows) {
      failure(row).clear();
      Comparison* const one[] = {row};
      if (Status started = start_side(one, under_concilio, bench, environment_); !started.ok())
        return started;
    }
    return {};
  }

  const SuiteOptions& options_;
  const Environment& environment_;
  std::vector<SuiteCell> cells_;
  std::vector<Group> groups_;
};

nlohmann::json finding_json(const Measured& measured) {
  constexpr const char* names[] = {"not measured", "not slower", "unclear", "slower"};
  const auto quartiles = [](const std::vector<double>& seconds) {
    return nlohmann::json{quantile(seconds, 0.25), median(seconds), quantile(seconds, 0.75)};
  };
  return {{"own_quartiles", quartiles(*measured.own)},
          {"concilio_quartiles", quartiles(*measured.concilio)},
          {"finding", names[static_cast<size_t>(measured.finding())]}};
}

int write_picture(const std::string& path, const std::vector<SuiteCell>& cells) {
  std::ofstream out(path);
  out << suite_picture(cells);
  out.close();
  if (out) return 0;
  complain(fmt::format("cannot write {}", path));
  return exit_failure;
}

}  // namespace

Finding finding_of(const std::vector<double>& own, const std::vector<double>& concilio) {
  constexpr double enough = 0.95;
  // The middle half of the times is so wide, as a part of the median, that the median says little.
  constexpr double wide = 0.3;
  const double mine = median(concilio);
  if (own.empty() || mine <= 0) return Finding::not_measured;
  if (median(own) / mine >= enough) {
    const auto is_wide = [](const std::vector<double>& seconds) {
      return quantile(seconds, 0.75) - quantile(seconds, 0.25) > wide * median(seconds);
    };
    const bool may_be_slower = quantile(own, 0.25) < enough * quantile(concilio, 0.75);
    return may_be_slower && (is_wide(own) || is_wide(concilio)) ? Finding::unclear : Finding::not_slower;
  }
  return clearly_below(own, concilio, enough) ? Finding::slower : Finding::unclear;
}

Finding Measured::finding() const {
  return finding_of(*own, *concilio);
}
double Measured::ratio() const {
  return median(*own) / median(*concilio);
}

std::array<Measured, 4> measured_of(const Comparison& row) {
  const Side &own = row.own, &concilio = row.concilio;
  return {{{false, false, &own.write_seconds, &concilio.write_seconds},
           {true, false, &own.read_seconds, &concilio.read_seconds},
           {false, true, &own.first_write_seconds, &concilio.first_write_seconds},
           {true, true, &own.first_read_seconds, &concilio.first_read_seconds}}};
}

std::string list_of_cells() {
  std::string text;
  for (const Workload& workload : workloads()) {
    text += fmt::format("  {}{}\n      {}\n", workload.name(), workload.full ? " (with --full)" : "",
                        fmt::join(workload.patterns, " "));
  }
  return text;
}

nlohmann::json suite_json(const std::vector<SuiteCell>& cells) {
  nlohmann::json all = nlohmann::json::array();
  for (const SuiteCell& cell : cells) {
    const Comparison& row = cell.comparison;
    nlohmann::json one = to_json(row);
    one["calls"] = cell.calls;
    for (const Measured& measured : measured_of(row)) {
      const std::string key =
          fmt::format("{}{}", measured.first ? "first_" : "", measured.reads ? "read" : "write");
      one[key] = finding_json(measured);
    }
    all.push_back(std::move(one));
  }
  return all;
}

Result<int> suite(const SuiteOptions& options, const BenchMachine& machine, const Environment& environment) {
  if (const Status parts = check_parts(machine.flavours, environment); !parts.ok()) return parts.error();
  Suite suite(options, machine, environment);
  if (const Status measured = suite.measure(); !measured.ok()) return measured.error();
  const std::vector<SuiteCell>& cells = suite.cells();
  const std::string& json_file = options.bench.json_file;
  if (json_file != "-") fmt::print("{}", suite_table(cells));
  int status = 0;
  if (!json_file.empty()) {
    status = write_json(json_file, {{"concilio", CONCILIO_VERSION},
                                    {"repetitions", options.bench.repetitions},
                                    {"alternations", options.bench.alternations},
                                    {"cells", suite_json(cells)}});
  }
  if (!options.picture_file.empty()) status = std::max(status, write_picture(options.picture_file, cells));
  const bool all_well = std::ranges::all_of(cells, [](const SuiteCell& cell) {
    return cell.comparison.own.failure.empty() && cell.comparison.concilio.failure.empty();
  });
  return all_well ? status : exit_failure;
}

}  // namespace concilio::tools
