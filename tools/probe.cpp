// concilio probe: measures a storage under an MPI launcher, or shows what was measured.
#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "base/settings/config.h"
#include "base/system/process.h"
#include "base/system/read_file.h"
#include "benchmark/launch_bench.h"
#include "probe/measure/place.h"
#include "probe/measure/workplace.h"
#include "probe/show/figures.h"
#include "probe/show/report.h"
#include "subcommands.h"
#include "system/other_work.h"
#include "system/write_text.h"

namespace concilio::tools {

namespace {

constexpr int most_default_ranks = 8;

struct ProbeOptions {
  std::string folder;
  int ranks = 0;  // 0 if not given
  std::string mpi;
  bool quick = false, verbose = false, show = false;
  std::string shown;  // the argument of --show; if empty, the profile is where the library finds it
  std::string output, picture, json;
  double timeout_seconds = 600;
};

int refuse(const Error& error, int exit_status) {
  complain("probe: " + error.message);
  return exit_status;
}

// Two ranks for each core, so that the cost of waiting for a core is measured too. On nodes with many cores
// fewer ranks are enough to measure storage.
int default_ranks() {
  cpu_set_t cores;
  const int count = sched_getaffinity(0, sizeof cores, &cores) == 0 ? CPU_COUNT(&cores) : 1;
  return std::min(2 * count, most_default_ranks);
}

Words arguments_of(const ProbeOptions& options, const std::string& workplace) {
  Words words = {options.folder};
  if (!workplace.empty()) words.insert(words.end(), {"--workplace", workplace});
  if (options.quick) words.push_back("--quick");
  if (!options.output.empty()) words.insert(words.end(), {"--output", options.output});
  if (!options.picture.empty()) words.insert(words.end(), {"--picture", options.picture});
  if (!options.json.empty()) words.insert(words.end(), {"--json", options.json});
  const char* progress = options.verbose ? "lines" : isatty(STDERR_FILENO) ? "bar" : "none";
  words.insert(words.end(), {"--progress", progress});
  return words;
}

// The file in which the profile of a folder is stored. The argument of --show may also be a folder.
Result<std::string> file_to_show(const ProbeOptions& options) {
  std::error_code failed;
  const bool is_folder = std::filesystem::is_directory(options.shown, failed);
  if (!options.shown.empty() && !is_folder) return options.shown;
  const std::string folder = is_folder ? options.shown : options.folder.empty() ? "." : options.folder;
  return probe::place_of_profile(host_name(), folder, Config::from_environment().text(Key::throttle));
}

int show(const ProbeOptions& options) {
  const auto file = file_to_show(options);
  if (!file) return refuse(file.error(), exit_failure);
  const auto text = read_file(*file, plan::most_profile_bytes);
  if (!text) {
    Error error = text.error();
    error.message = fmt::format("cannot read {}: {}", *file, error.message);
    return refuse(error, exit_failure);
  }
  const auto stored = probe::stored_in(*text);
  if (!stored)
    return refuse({ErrorKind::argument, 0, fmt::format("{}: {}", *file, stored.error().message)},
                  exit_failure);
  if (options.json != "-")
    fmt::print("{}\nprofile: {}\n", probe::report_of(stored->profile, stored->found), *file);
  if (!options.json.empty()) {
    if (const Status status = write_or_print(options.json, *text); !status)
      return refuse(status.error(), exit_failure);
  }
  if (options.picture.empty()) return 0;
  const std::string title = fmt::format("{} ({})", stored->profile.mount, stored->profile.file_system);
  const Status status =
      probe::replace_file(options.picture, probe::picture_of(probe::figures_of(stored->found), title));
  return status ? 0 : refuse(status.error(), exit_failure);
}

// The MPI whose probe program this process is going to become.
Result<Flavour> flavour_here(const ProbeOptions& options, const Environment& environment) {
  if (!options.mpi.empty()) {
    const auto flavours = bench_flavours(options.mpi, environment);
    if (!flavours) return flavours.error();
    return flavours->front();
  }
  const auto launcher = running_launcher(environment);
  if (!launcher || !launcher->family)
    return Error{ErrorKind::argument, 0,
                 fmt::format("the launcher does not tell which MPI it belongs to; name it by --mpi {}",
                             flavour_words())};
  // Of several versions of one MPI, the one whose probe program is installed. If several are installed, the
  // launcher's environment does not tell which one is meant.
  std::vector<Flavour> fitting;
  for (const Flavour flavour : all_flavours) {
    if (usual_family(flavour) == *launcher->family && find_probe_program(flavour, environment).ok())
      fitting.push_back(flavour);
  }
  if (fitting.size() == 1) return fitting.front();
  const auto library = library_for(MpiVersion{*launcher->family, 0, ""}, environment);
  if (!library) return library.error();
  return library->flavour;
}

// Under a launcher this process is one of the ranks. It becomes the probe program.
int take_part(const ProbeOptions& options, const Environment& environment) {
  if (options.ranks > 0)
    return refuse(
        {ErrorKind::argument, 0, "-n cannot be given under a launcher, which has already started the ranks"},
        exit_usage);
  const auto flavour = flavour_here(options, environment);
  if (!flavour) return refuse(flavour.error(), exit_usage);
  const auto program = find_probe_program(*flavour, environment);
  if (!program) return refuse(program.error(), exit_usage);
  Words words = {*program};
  const Words arguments = arguments_of(options, "");
  words.insert(words.end(), arguments.begin(), arguments.end());
  return refuse(replace_by(words, environment), exit_failure);
}

int launch(const ProbeOptions& options, const Environment& environment) {
  const auto flavours = bench_flavours(options.mpi, environment, find_probe_program);
  if (!flavours) return refuse(flavours.error(), exit_usage);
  const auto program = find_probe_program(flavours->front(), environment);
  if (!program) return refuse(program.error(), exit_usage);
  // The work folder is made here, so that it is removed even if the ranks are killed.
  const auto workplace = probe::make_workplace_until_signal(options.folder);
  if (!workplace) return refuse(workplace.error(), exit_failure);
  const BenchLaunch start{flavours->front(), options.ranks > 0 ? options.ranks : default_ranks()};
  const auto command =
      make_launch_command(start, *program, arguments_of(options, *workplace), "", environment);
  tell_of_other_work("probe");
  const auto captured =
      command ? capture(command->words, command->environment, options.timeout_seconds, Echo::yes)
              : Result<Captured>(command.error());
  probe::remove_workplace(*workplace);
  if (!captured) return refuse(captured.error(), command ? exit_failure : exit_usage);
  if (captured->exit_status == exit_timeout)
    complain(fmt::format("probe: stopped after {} seconds (see --timeout)", options.timeout_seconds));
  return status_after_signals(captured->exit_status);
}

int run(const ProbeOptions& options, const Environment& environment) {
  if (options.show) return show(options);
  if (options.folder.empty())
    return refuse({ErrorKind::argument, 0, "no folder is given; write: concilio probe DIR"}, exit_usage);
  return running_launcher(environment) ? take_part(options, environment) : launch(options, environment);
}

}  // namespace

Subcommand add_probe(CLI::App& app, const Environment& environment) {
  CLI::App* parser =
      app.add_subcommand("probe", "Measure the costs of a storage, which the library plans with");
  auto options = std::make_shared<ProbeOptions>();
  parser
      ->add_option("folder", options->folder,
                   "Folder on the storage, where files of at most 320 MiB are made")
      ->type_name("DIR");
  parser->add_option("-n,--ranks", options->ranks, "Number of ranks (default: two a core, at most 8)")
      ->check(CLI::PositiveNumber)
      ->type_name("RANKS");
  parser->add_option("--mpi", options->mpi, flavour_words() + " (default: what is installed)")
      ->type_name("MPI");
  parser->add_flag("--quick", options->quick, "Take about 10 seconds instead of a minute");
  parser
      ->add_option("--output", options->output, "File for the profile (default: where the library finds it)")
      ->type_name("FILE");
  parser->add_option("--picture", options->picture, "Draw the curves as an SVG picture")->type_name("FILE");
  parser
      ->add_option(
          "--json", options->json,
          "Print the profile, with all that was measured, as JSON to stdout in place of the text; or "
          "write it to FILE as well if it is given")
      ->expected(0, 1)
      ->default_str("-")
      ->type_name("FILE");
  auto* show = parser
                   ->add_option("--show", options->shown,
                                "Measure nothing, and print a stored profile: FILE, or that of DIR (default: "
                                "the working folder)")
                   ->expected(0, 1)
                   ->type_name("FILE");
  parser->add_flag("--verbose", options->verbose, "Print a line on stderr for each step, instead of a bar");
  parser->add_option("--timeout", options->timeout_seconds, "Seconds after which the probe is stopped")
      ->check(CLI::PositiveNumber)
      ->type_name("SECONDS")
      ->capture_default_str();
  return {parser, [=] {
            options->show = show->count() > 0;
            return run(*options, environment);
          }};
}

}  // namespace concilio::tools
