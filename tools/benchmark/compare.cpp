#include "benchmark/compare.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/median.h"
#include "base/system/read_file.h"
#include "benchmark/progress.h"
#include "launch/installation.h"
#include "system/complain.h"
#include "system/write_text.h"

namespace concilio::tools {

using nlohmann::json;

namespace {

constexpr double mib = 1024.0 * 1024.0;

double rate(int64_t bytes, const std::vector<double>& seconds) {
  const double middle = median(seconds);
  return middle > 0 ? static_cast<double>(bytes) / mib / middle : 0;
}

std::string number_or_dash(double value, int digits) {
  return value > 0 ? fmt::format("{:.{}f}", value, digits) : "-";
}

// How many times as fast Concilio is; 0 if not measured.
double ratio(const std::vector<double>& own, const std::vector<double>& concilio) {
  const double mine = median(concilio);
  return mine > 0 ? median(own) / mine : 0;
}

// "1.25", or "1.25?" where the times of both sides spread so far that the difference may be chance.
std::string shown_ratio(const std::vector<double>& own, const std::vector<double>& concilio) {
  constexpr double about_equal = 0.05;
  if (own.empty() || concilio.empty() || median(concilio) <= 0) return "-";
  const double times_faster = median(own) / median(concilio);
  const bool differ = times_faster < 1 - about_equal || times_faster > 1 + about_equal;
  const bool clear = clearly_below(own, concilio) || clearly_below(concilio, own);
  return fmt::format("{:.2f}{}", times_faster, differ && !clear ? "?" : "");
}

std::string last_line(const std::string& text) {
  const size_t end = text.find_last_not_of("\n ");
  if (end == std::string::npos) return {};
  const size_t begin = text.rfind('\n', end);
  return text.substr(begin == std::string::npos ? 0 : begin + 1,
                     end - (begin == std::string::npos ? 0 : begin + 1) + 1);
}

// Without the spaces that pad the last column.
std::string without_padding(std::string line) {
  line.erase(line.find_last_not_of(" \n") + 1);
  return line + "\n";
}

std::string name_of_start(const Comparison& row, bool under_concilio) {
  return fmt::format("{} {} ranks, {}, {}", flavour_word(row.flavour), row.ranks, row.pattern,
                     under_concilio ? "Concilio" : "own");
}

std::string read_and_remove(const std::string& path) {
  const auto text = read_all(path);
  unlink(path.c_str());
  return text ? *text : "";
}

}  // namespace

double Side::write_rate() const {
  return rate(bytes, write_seconds);
}
double Side::read_rate() const {
  return rate(bytes, read_seconds);
}

std::string failure_of(const Captured& captured) {
  if (captured.exit_status == exit_timeout) return "stopped by the timeout";
  // The benchmark program writes the line that names the cause, and the launcher may write more after it.
  std::istringstream lines(captured.errors);
  for (std::string line; std::getline(lines, line);) {
    if (line.compare(0, 15, "concilio bench:") == 0) return line.substr(16);
  }
  const std::string last = last_line(captured.errors);
  return fmt::format("exit status {}{}{}", captured.exit_status, last.empty() ? "" : ": ", last);
}

void add_to_side(Side& side, const Captured& captured, size_t pattern) {
  if (captured.exit_status != 0) {
    side.failure = failure_of(captured);
    return;
  }
  try {
    const json all = json::parse(captured.output);
    const json& one = all.at("patterns").at(pattern);
    side.bytes = one.at("bytes").get<int64_t>();
    side.peak_growth_bytes = std::max(side.peak_growth_bytes, one.at("peak_growth_bytes").get<int64_t>());
    for (const auto& [name, seconds, first] :
         {std::tuple{"write", &side.write_seconds, &side.first_write_seconds},
          std::tuple{"read", &side.read_seconds, &side.first_read_seconds}}) {
      if (!one.contains(name)) continue;
      const auto more = one.at(name).at("seconds").get<std::vector<double>>();
      seconds->insert(seconds->end(), more.begin(), more.end());
      first->push_back(one.at(name).at("first_seconds").get<double>());
    }
  } catch (const json::exception&) {
    side.failure = "the benchmark program wrote no result: " + last_line(captured.output);
  }
}

Status start_side(std::span<Comparison* const> rows, bool under_concilio, const BenchOptions& options,
                  const Environment& environment) {
  // A report tells which methods a file's calls took. All patterns of a start use one file, so it would not
  // say of which pattern; and to report takes a little of the time of short calls, and of opens.
  const bool reports = under_concilio && rows.size() == 1 && options.calls != "open";
  std::string report;
  if (reports) {
    report = environment.temporary_folder() + "/concilio-bench-XXXXXX";
    const int descriptor = mkstemp(report.data());
    if (descriptor < 0)
      return Error::from_errno(errno, "cannot make a temporary file in " + environment.temporary_folder());
    close(descriptor);
  }
  std::vector<std::string> patterns;
  for (const Comparison* row : rows) patterns.push_back(row->pattern);
  const BenchLaunch launch{rows.front()->flavour, rows.front()->ranks, under_concilio, true};
  const auto command = make_bench_command(launch, options, patterns, report, environment);
  if (!command) {
    if (!report.empty()) unlink(report.c_str());
    return command.error();
  }
  const auto captured = run_bench_command(*command, options.timeout_seconds, Echo::no);
  const Records records = report.empty() ? Records{} : parse_records(read_and_remove(report));
  if (!captured) return captured.error();
  if (stop_signal() != 0)
    return Error{ErrorKind::other, 0, fmt::format("stopped by signal {}", stop_signal())};
  if (captured->exit_status == exit_usage) return Error{ErrorKind::argument, 0, failure_of(*captured)};
  for (size_t i = 0; i < rows.size(); ++i) {
    Side& side = under_concilio ? rows[i]->concilio : rows[i]->own;
    if (!side.failure.empty()) continue;
    add_to_side(side, *captured, i);
    if (!side.failure.empty()) continue;
    if (reports) {
      for (const FileRecord& file : by_name(records.files)) rows[i]->methods = methods_taken(file);
    }
    const json all = json::parse(captured->output, nullptr, false);
    rows[i]->note = all["patterns"][i].value("note", "");
  }
  return {};
}

Status check_parts(const std::vector<Flavour>& flavours, const Environment& environment) {
  for (const Flavour flavour : flavours) {
    if (const auto found = find_launcher(flavour, environment); !found) return found.error();
    if (const auto found = find_bench_program(flavour, environment); !found) return found.error();
    if (const auto found = find_library(flavour, environment); !found) return found.error();
  }
  return {};
}

int write_json(const std::string& path, const json& all) {
  const std::string text = all.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
  const Status written = write_or_print(path, text);
  if (written) return 0;
  complain(written.error().message);
  return exit_failure;
}

std::string render_table(const std::vector<Comparison>& rows) {
  constexpr const char* line = "{:>5}  {:<8} {:<18} {:>8} {:>8} {:>9} {:>8} {:>7} {:>7} {:>7} {:>8}  {}\n";
  std::string text = without_padding(fmt::format(line, "", "", "", "own", "own", "Concilio", "Concilio",
                                                 "ratio", "ratio", "MiB", "MiB", ""));
  text += fmt::format(line, "ranks", "MPI", "pattern", "write", "read", "write", "read", "write", "read",
                      "own", "Concilio", "method");
  std::string below;
  for (const Comparison& row : rows) {
    const auto memory = [](const Side& side) {
      return side.failure.empty() ? fmt::format("{:.1f}", static_cast<double>(side.peak_growth_bytes) / mib)
                                  : "-";
    };
    text +=
        fmt::format(line, row.ranks, flavour_word(row.flavour), row.pattern,
                    number_or_dash(row.own.write_rate(), 0), number_or_dash(row.own.read_rate(), 0),
                    number_or_dash(row.concilio.write_rate(), 0), number_or_dash(row.concilio.read_rate(), 0),
                    shown_ratio(row.own.write_seconds, row.concilio.write_seconds),
                    shown_ratio(row.own.read_seconds, row.concilio.read_seconds), memory(row.own),
                    memory(row.concilio), row.methods.empty() ? "-" : row.methods);
    for (const auto& [name, side] : {std::pair{"own", &row.own}, std::pair{"Concilio", &row.concilio}}) {
      if (!side->failure.empty()) {
        below += fmt::format("{} ranks, {}, {}, {}: FAILED: {}\n", row.ranks, flavour_word(row.flavour),
                             row.pattern, name, side->failure);
      }
    }
    if (!row.note.empty()) below += fmt::format("{} ranks, {}: {}\n", row.ranks, row.pattern, row.note);
  }
  return text +
         "write and read: MiB/s of all ranks together, medians; MiB: growth of a rank's peak memory; ?: the "
         "times "
         "spread so far that it may be chance\n" +
         below;
}

json to_json(const Comparison& row) {
  const auto side_json = [](const Side& side) {
    json object = {{"bytes", side.bytes},
                   {"write_seconds", side.write_seconds},
                   {"read_seconds", side.read_seconds},
                   {"first_write_seconds", side.first_write_seconds},
                   {"first_read_seconds", side.first_read_seconds},
                   {"write_mib_per_second", side.write_rate()},
                   {"read_mib_per_second", side.read_rate()},
                   {"peak_growth_bytes", side.peak_growth_bytes}};
    if (!side.failure.empty()) object["failure"] = side.failure;
    return object;
  };
  return {{"mpi", flavour_word(row.flavour)},
          {"ranks", row.ranks},
          {"pattern", row.pattern},
          {"own", side_json(row.own)},
          {"concilio", side_json(row.concilio)},
          {"write_ratio", ratio(row.own.write_seconds, row.concilio.write_seconds)},
          {"read_ratio", ratio(row.own.read_seconds, row.concilio.read_seconds)},
          {"methods", row.methods},
          {"note", row.note}};
}

namespace {

json all_to_json(const std::vector<Comparison>& rows, const BenchOptions& options) {
  json comparisons = json::array();
  for (const Comparison& row : rows) comparisons.push_back(to_json(row));
  return {{"concilio", CONCILIO_VERSION},
          {"repetitions", options.repetitions},
          {"alternations", options.alternations},
          {"calls", options.calls},
          {"hints", options.hints},
          {"comparisons", comparisons}};
}

}  // namespace

Result<int> compare(const BenchOptions& options, const BenchMachine& machine,
                    const Environment& environment) {
  const auto& [rank_counts, flavours] = machine;
  if (const Status parts = check_parts(flavours, environment); !parts.ok()) return parts.error();

  const std::vector<std::string>& patterns = options.patterns.empty() ? default_patterns() : options.patterns;
  std::vector<Comparison> rows;
  for (const Flavour flavour : flavours) {
    for (const int ranks : rank_counts) {
      for (const std::string& pattern : patterns) {
        Comparison& row = rows.emplace_back();
        row.flavour = flavour;
        row.ranks = ranks;
        row.pattern = pattern;
      }
    }
  }
  Progress progress(rows.size() * 2 * static_cast<size_t>(options.alternations));
  bool all_well = true;
  for (Comparison& row : rows) {
    for (int start = 0; start < 2 * options.alternations; ++start) {
      const bool under_concilio = start % 2 == 1;
      progress.next(name_of_start(row, under_concilio));
      Comparison* const one[] = {&row};
      const Status started = start_side(one, under_concilio, options, environment);
      if (!started.ok()) {
        progress.end();
        return started.error();
      }
    }
    all_well = all_well && row.own.failure.empty() && row.concilio.failure.empty();
  }
  progress.end();
  if (options.json_file != "-") fmt::print("{}", render_table(rows));
  const int written =
      options.json_file.empty() ? 0 : write_json(options.json_file, all_to_json(rows, options));
  return all_well ? written : exit_failure;
}

}  // namespace concilio::tools
