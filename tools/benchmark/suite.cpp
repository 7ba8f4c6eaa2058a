#include "benchmark/suite.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/median.h"
#include "benchmark/progress.h"
#include "system/complain.h"

namespace concilio::tools {
namespace {

// The patterns that one start of the benchmark program measures. Tiny calls are patterns of 4096 of them.
struct Workload {
  const char* calls;
  const char* mib_per_rank;
  bool independent;
  bool full;  // only measured with --full
  std::vector<std::string> patterns;
};

const std::vector<Workload>& workloads() {
  static const std::vector<std::string> tiny = {"ior:8", "mpiiotest:8"},
                                        pieces = {"contiguous",       "ior:16384",
                                                  "mpiiotest:16384",  "interleaved:64",
                                                  "interleaved:1024", "interleaved:65536",
                                                  "hpio:64/64",       "hpio:64/64:contigmem",
                                                  "block3d",          "btio",
                                                  "unstruc:8",        "extent:1024/50"},
                                        others = {"contiguous", "ior:1024", "interleaved:4096",
                                                  "block3d",    "btio",     "unstruc"};
  static const std::vector<Workload> all = {
      {"collective, 32 KiB", "0.03125", false, false, tiny},
      {"independent, 32 KiB", "0.03125", true, false, tiny},
      {"collective, 4 MiB", "4", false, false, pieces},
      {"independent, 4 MiB", "4", true, false, pieces},
      {"collective, 4 MiB", "4", false, true, {"interleaved:8", "hacc:100000:records", "timesteps"}},
      {"collective, 64 KiB", "0.0625", false, true, others},
      {"independent, 64 KiB", "0.0625", true, true, others},
      {"collective, 64 MiB", "64", false, true, others},
      {"independent, 64 MiB", "64", true, true, others},
  };
  return all;
}

Finding worse(Finding a, Finding b) {
  return std::max(a, b);
}

Finding finding_of_cell(const Comparison& row) {
  return worse(finding_of(row.own.write_seconds, row.concilio.write_seconds),
               finding_of(row.own.read_seconds, row.concilio.read_seconds));
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
          Group& group = groups_.emplace_back(Group{&workload, {}});
          for (const std::string& pattern : workload.patterns) {
            group.cells.push_back(cells_.size());
            SuiteCell& cell = cells_.emplace_back();
            cell.calls = workload.calls;
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
    // A cell that may be slower by chance is measured once more.
    std::vector<Group> again;
    for (const Group& group : groups_) {
      Group unclear{group.workload, {}};
      for (const size_t cell : group.cells) {
        if (finding_of_cell(cells_[cell].comparison) == Finding::unclear) unclear.cells.push_back(cell);
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
                                  group.workload->calls, start % 2 == 1 ? "Concilio" : "own"));
        measured = start_group(group, start % 2 == 1);
      }
    }
    progress.end();
    return measured;
  }

  Status start_group(const Group& group, bool under_concilio) {
    BenchOptions bench = options_.bench;
    bench.mib_per_rank = group.workload->mib_per_rank;
    bench.independent = group.workload->independent;
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

nlohmann::json direction_json(const std::vector<double>& own, const std::vector<double>& concilio) {
  constexpr const char* names[] = {"not measured", "not slower", "unclear", "slower"};
  const auto quartiles = [](const std::vector<double>& seconds) {
    return nlohmann::json{quantile(seconds, 0.25), median(seconds), quantile(seconds, 0.75)};
  };
  return {{"own_quartiles", quartiles(own)},
          {"concilio_quartiles", quartiles(concilio)},
          {"finding", names[static_cast<size_t>(finding_of(own, concilio))]}};
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
  const double mine = median(concilio);
  if (own.empty() || mine <= 0) return Finding::not_measured;
  if (median(own) / mine >= enough) return Finding::not_slower;
  return clearly_below(own, concilio, enough) ? Finding::slower : Finding::unclear;
}

nlohmann::json suite_json(const std::vector<SuiteCell>& cells) {
  nlohmann::json all = nlohmann::json::array();
  for (const SuiteCell& cell : cells) {
    const Comparison& row = cell.comparison;
    nlohmann::json one = to_json(row);
    one["calls"] = cell.calls;
    one["write"] = direction_json(row.own.write_seconds, row.concilio.write_seconds);
    one["read"] = direction_json(row.own.read_seconds, row.concilio.read_seconds);
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
