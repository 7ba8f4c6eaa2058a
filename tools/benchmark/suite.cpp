#include "benchmark/suite.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "base/median.h"
#include "benchmark/progress.h"
#include "benchmark/suite_programs.h"
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
      {collective, "16 KiB", "0.015625", false, {"variables", "variables:24:1:64"}},
      {collective, "4 MiB", "4", false, pieces},
      {independent, "4 MiB", "4", false, pieces},
      {icollective, "4 MiB", "4", false, some},
      {iindependent, "4 MiB", "4", false, some},
      {shared, "4 MiB", "4", false, {"contiguous", "mpiiotest:16384"}},
      {open, "16 times", "0.0001220703125", false, {"mpiiotest:8"}},
      {files, "256 KiB", "0.25", false, some},
      {files, "4 MiB", "4", false, some},
      {collective, "4 MiB", "4", true, {"interleaved:8", "hacc:100000:records", "timesteps"}},
      {collective, "64 KiB", "0.0625", true, others},
      {independent, "64 KiB", "0.0625", true, others},
      {collective, "64 MiB", "64", true, others},
      {independent, "64 MiB", "64", true, others},
  };
  return all;
}

constexpr const char* programs_kind = "programs";

bool may_be_chance(const SuiteCell& cell) {
  return std::ranges::any_of(measured_of(cell),
                             [](const Measured& measured) { return measured.finding() == Finding::unclear; });
}

// The cells that the same starts of the benchmark program measure, or one program.
struct Group {
  const Workload* workload;  // null: a program
  std::vector<size_t> cells;
};

class Suite {
 public:
  Suite(const SuiteOptions& options, const BenchMachine& machine, const Environment& environment)
      : options_(options), environment_(environment) {
    for (const Flavour flavour : machine.flavours) {
      for (const int ranks : machine.rank_counts) {
        for (const Workload& workload : workloads()) {
          if ((workload.full && !options.full) || !is_wanted(sim::name_of(workload.calls))) continue;
          Group& group = groups_.emplace_back(Group{&workload, {}});
          for (const std::string& pattern : workload.patterns)
            add_cell(group, workload.name(), flavour, ranks, pattern);
        }
        for (const SuiteProgram& program : programs_of(flavour))
          add_cell(groups_.emplace_back(), programs_kind, flavour, ranks, program.name);
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
        if (may_be_chance(cells_[cell])) unclear.cells.push_back(cell);
      }
      if (!unclear.cells.empty()) again.push_back(std::move(unclear));
    }
    return measure(again);
  }
  const std::vector<SuiteCell>& cells() const { return cells_; }

 private:
  bool is_wanted(const std::string& kind) const {
    return options_.calls.empty() || std::ranges::find(options_.calls, kind) != options_.calls.end();
  }
  void add_cell(Group& group, const std::string& calls, Flavour flavour, int ranks,
                const std::string& pattern) {
    group.cells.push_back(cells_.size());
    SuiteCell& cell = cells_.emplace_back();
    cell.calls = calls;
    cell.comparison.flavour = flavour;
    cell.comparison.ranks = ranks;
    cell.comparison.pattern = pattern;
  }
  const std::vector<SuiteProgram>& programs_of(Flavour flavour) {
    const auto [entry, is_new] = programs_.try_emplace(flavour);
    if (is_new && is_wanted(programs_kind)) entry->second = installed_programs(flavour, environment_);
    return entry->second;
  }

  Status measure(const std::vector<Group>& groups) {
    Progress progress(groups.size() * 2 * static_cast<size_t>(options_.bench.alternations));
    Status measured;
    for (const Group& group : groups) {
      for (int start = 0; measured.ok() && start < 2 * options_.bench.alternations; ++start) {
        SuiteCell& first = cells_[group.cells.front()];
        const Comparison& row = first.comparison;
        const bool under_concilio = start % 2 == 1;
        progress.next(fmt::format("{} {} ranks, {}, {}", flavour_word(row.flavour), row.ranks,
                                  group.workload ? first.calls : row.pattern,
                                  under_concilio ? "Concilio" : "own"));
        measured = group.workload ? start_group(group, under_concilio) : start_program(first, under_concilio);
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

  Status start_program(SuiteCell& cell, bool under_concilio) {
    Comparison& row = cell.comparison;
    if (!row.own.failure.empty() || !row.concilio.failure.empty()) return {};
    const auto& programs = programs_of(row.flavour);
    const auto program = std::ranges::find(programs, row.pattern, &SuiteProgram::name);
    const BenchLaunch launch{row.flavour, row.ranks, under_concilio, false};
    return time_program(*program, launch, options_.bench, environment_,
                        under_concilio ? cell.concilio_seconds : cell.own_seconds,
                        under_concilio ? row.concilio.failure : row.own.failure);
  }

  const SuiteOptions& options_;
  const Environment& environment_;
  std::map<Flavour, std::vector<SuiteProgram>> programs_;
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

nlohmann::json program_json(const SuiteCell& cell) {
  const Comparison& row = cell.comparison;
  const auto side_json = [](const std::vector<double>& seconds, const std::string& failure) {
    nlohmann::json object = {{"seconds", seconds}};
    if (!failure.empty()) object["failure"] = failure;
    return object;
  };
  return {{"mpi", flavour_word(row.flavour)},
          {"ranks", row.ranks},
          {"pattern", row.pattern},
          {"own", side_json(cell.own_seconds, row.own.failure)},
          {"concilio", side_json(cell.concilio_seconds, row.concilio.failure)}};
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

bool SuiteCell::is_program() const {
  return calls == programs_kind;
}

const char* name_of(Timed timed) {
  constexpr const char* names[] = {"write", "read", "first_write", "first_read", "program"};
  return names[static_cast<size_t>(timed)];
}

std::vector<Measured> measured_of(const SuiteCell& cell) {
  if (cell.is_program()) return {{Timed::program, &cell.own_seconds, &cell.concilio_seconds}};
  const Side &own = cell.comparison.own, &concilio = cell.comparison.concilio;
  return {{Timed::write, &own.write_seconds, &concilio.write_seconds},
          {Timed::read, &own.read_seconds, &concilio.read_seconds},
          {Timed::first_write, &own.first_write_seconds, &concilio.first_write_seconds},
          {Timed::first_read, &own.first_read_seconds, &concilio.first_read_seconds}};
}

std::string list_of_cells() {
  std::string text;
  for (const Workload& workload : workloads()) {
    text += fmt::format("  {}{}\n      {}\n", workload.name(), workload.full ? " (with --full)" : "",
                        fmt::join(workload.patterns, " "));
  }
  text += fmt::format("  {}, from their start to their end\n      {}\n", programs_kind, list_of_programs());
  return text;
}

nlohmann::json suite_json(const std::vector<SuiteCell>& cells) {
  nlohmann::json all = nlohmann::json::array();
  for (const SuiteCell& cell : cells) {
    const Comparison& row = cell.comparison;
    nlohmann::json one = cell.is_program() ? program_json(cell) : to_json(row);
    one["calls"] = cell.calls;
    for (const Measured& measured : measured_of(cell)) one[name_of(measured.timed)] = finding_json(measured);
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
