// concilio run: starts an MPI program with Concilio in its ranks.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <memory>
#include <optional>

#include "base/settings/config.h"
#include "base/text/record_words.h"
#include "benchmark/compare_program.h"
#include "launch/detect.h"
#include "launch/flavour.h"
#include "launch/launcher.h"
#include "launch/lost_preload.h"
#include "settings.h"
#include "subcommands.h"
#include "summary/joined_record.h"
#include "summary/live_folder.h"
#include "summary/page.h"
#include "summary/records.h"
#include "summary/records_file.h"
#include "summary/summary.h"
#include "system/other_work.h"
#include "system/unknown_word.h"
#include "system/write_text.h"

namespace concilio::tools {

namespace fs = std::filesystem;

namespace {

struct RunOptions {
  SettingOptions settings;
  std::string summary;  // "short" or "full"; empty if not wanted
  std::string report;
  std::string page;
  std::string record;
  std::string mpi;
  bool compare = false;
  int alternations = 3;
  Words command;
};

// Whether a file can be written where an option says.
Status check_path(const char* option, const std::string& path) {
  if (path.empty()) return {};
  const fs::path folder = fs::path(path).has_parent_path() ? fs::path(path).parent_path() : fs::path(".");
  if (fs::is_directory(path))
    return Error{ErrorKind::bad_file, EISDIR, fmt::format("{} {} is a folder; name a file", option, path)};
  if (access(folder.c_str(), W_OK | X_OK) != 0)
    return Error::from_errno(errno, fmt::format("{} {}: cannot write in {}", option, path, folder.string()));
  return {};
}

Status write_report(const std::string& path, const Report& report) {
  return write_text(path, text_of(report));
}

// The rank that this command stands for, if a launcher has started it for each rank. If the command has a
// launcher, that is the one that starts the ranks, whatever has started this command (a step of Slurm with
// one task, for example).
std::optional<int> own_rank(const RunOptions& options, const Environment& environment) {
  const auto outer = running_launcher(environment);
  if (!outer || place_of_launcher(options.command, environment)) return std::nullopt;
  return outer->rank;
}

// How the ranks are started.
struct Start {
  Words programs;     // from the first program on
  std::string hosts;  // the option that names hosts; empty if there is none
};
Start start_of(const RunOptions& options, const std::optional<LauncherLine>& launcher) {
  if (!launcher) return {options.command, ""};
  const size_t first = std::min(launcher->programs.front(), launcher->words.size());
  return {Words(launcher->words.begin() + static_cast<long>(first), launcher->words.end()),
          option_of_hosts(*launcher)};
}

// Why no rank has loaded the library, and what to do about it.
std::string why_not_loaded(const Environment& environment, const Start& start, const std::string& notes,
                           int exit_status) {
  const std::string lost = who_lost_preload(loadings_in(notes), start.programs, environment);
  if (!lost.empty()) return fmt::format("no rank was seen to load Concilio ({})", lost);
  if (notes.empty() && !start.hosts.empty()) {
    return fmt::format(
        "no rank was seen to load Concilio (no program on this host did; what ranks on other hosts, see {}, "
        "do is "
        "seen here only if these share {}: set TMPDIR to a folder that all nodes share)",
        start.hosts, environment.temporary_folder());
  }
  return fmt::format(
      "no rank was seen to load Concilio ({}if a script changes LD_PRELOAD, start the program itself; if "
      "the program is statically linked, link it dynamically; if rank 0 is on a node that does not share {}, "
      "set TMPDIR to a folder that all nodes share)",
      exit_status == 0 ? ""
                       : fmt::format("if MPI did not begin, what ended the program with status {} is above; ",
                                     exit_status),
      environment.temporary_folder());
}

// Why no file was recorded, and what to do about it.
std::string why_no_file(const RunOptions& options, const Environment& environment, const Start& start,
                        const RecordsFile& records_file, int exit_status) {
  if (asked_in_environment(Key::disable))
    return "CONCILIO_DISABLE is set, and leaves all files to the MPI's own MPI-IO (unset it)";
  if (!records_file.made_by_library())
    return why_not_loaded(environment, start, records_file.notes_of_loading(), exit_status);
  const std::string only =
      options.settings.only.empty() ? environment.get("CONCILIO_ONLY").value_or("") : options.settings.only;
  if (!only.empty()) {
    return fmt::format(
        "the program closed no file that --only (CONCILIO_ONLY) '{}' matches and that it had opened by "
        "MPI_File_open (leave it out to take over all files; a pattern matches a whole path or its last "
        "part)",
        only);
  }
  return "the program closed no file that it had opened by MPI_File_open (files opened by POSIX calls, by "
         "stdio or by serial HDF5 do not use MPI-IO; in h5py, driver='mpio' opens them for all ranks)";
}

// If every rank has a `concilio run` of its own (mpirun -n 4 concilio run ./app), those whose program wrote
// records write a summary, and if none did, rank 0 says so. Only rank 0 writes to the very file that --report
// names.
void conclude(const RunOptions& options, const Environment& environment, const Start& start,
              const RecordsFile& records_file, const std::optional<LiveFolder>& live, int exit_status) {
  Records records = records_file.read();
  if (live) {
    for (FileRecord& file : live->untold_files(now_ns())) records.files.push_back(std::move(file));
  }
  const int rank = own_rank(options, environment).value_or(0);
  if (records.files.empty() && rank != 0) return;
  if (records.unreadable_lines > 0)
    complain(fmt::format("{} of the library's records could not be read", records.unreadable_lines));
  if ((!options.summary.empty() || options.compare) && records.files.empty()) {
    complain(why_no_file(options, environment, start, records_file, exit_status) +
             ", so there is no summary");
  } else if (!options.summary.empty()) {
    const std::vector<FileRecord> files = by_name(records.files);
    fmt::print(stderr, "{}", render_summary(files));
    if (options.summary == "full") fmt::print(stderr, "{}", render_details(files));
  }
  const Report report{CONCILIO_VERSION, options.command, exit_status, records};
  using Write = Status (*)(const std::string&, const Report&);
  for (const auto& [asked, write] :
       {std::pair{&options.report, Write(write_report)}, std::pair{&options.page, Write(write_page)}}) {
    if (asked->empty()) continue;
    std::string path = *asked;
    if (rank != 0) {
      path += fmt::format(".rank{}", rank);
      complain(fmt::format("rank {} wrote its part of the report to {}", rank, path));
    }
    if (const Status written = write(path, report); !written.ok()) complain(written.error().message);
  }
}

// "rank 3", "ranks 1, 2, 3 and 60 more".
std::string text_of_ranks(const std::vector<int64_t>& ranks) {
  constexpr size_t most = 8;
  const std::vector<int64_t> first(ranks.begin(),
                                   ranks.begin() + static_cast<int64_t>(std::min(ranks.size(), most)));
  std::string text = fmt::format("rank{} {}", ranks.size() == 1 ? "" : "s", fmt::join(first, ", "));
  if (ranks.size() > most) text += fmt::format(" and {} more", ranks.size() - most);
  return text;
}

// Joins what the ranks have recorded, and says what is not there.
void conclude_record(const RunOptions& options, const Environment& environment, const Start& start,
                     const JoinedRecord& record, const RecordsFile& records_file, int exit_status) {
  if (!record.has_parts())
    return complain(why_no_file(options, environment, start, records_file, exit_status) +
                    ", so there is no record");
  const auto joined = record.join();
  if (!joined) return complain(joined.error().message);
  if (!joined->full.empty())
    complain(
        fmt::format("the record of {} ends before the program did: it holds at most {} MiB a rank, or there "
                    "was no room or "
                    "memory for more (record a shorter run, or --only the files that matter)",
                    text_of_ranks(joined->full), most_record_bytes >> 20));
  if (!joined->absent.empty())
    complain(
        fmt::format("{} opened no file that is recorded (if that is not so, name a record in a folder "
                    "that all nodes share)",
                    text_of_ranks(joined->absent)));
}

// What a record needs.
Status check_record(const RunOptions& options, const Environment& environment) {
  if (options.record.empty() || !own_rank(options, environment)) return {};
  return Error{ErrorKind::argument, 0,
               "--record joins what all ranks record: put concilio run before the launcher"};
}

// What makes a comparison pointless.
Status check_comparison(const RunOptions& options, const Environment& environment) {
  if (!options.compare) return {};
  const auto refuse = [](const char* why) { return Error{ErrorKind::argument, 0, why}; };
  if (own_rank(options, environment))
    return refuse("--compare starts the program several times: put concilio run before the launcher");
  if (asked_in_environment(Key::disable))
    return refuse("CONCILIO_DISABLE is set, so there is no Concilio to compare with (unset it)");
  if (environment.get("LD_PRELOAD").value_or("").find("libconcilio-") != std::string::npos)
    return refuse("LD_PRELOAD has Concilio in it, so nothing runs without it (unset it)");
  return {};
}

// The program as the user gave it, with Concilio in its ranks.
Result<Launch> with_concilio(const RunOptions& options, const Environment& environment,
                             const Detection& detection, const RankSettings& settings) {
  Launch launch{options.command, environment};
  if (!detection.launcher) {
    set_in_environment(settings, launch.environment);
    return launch;
  }
  auto words = with_rank_settings(*detection.launcher, settings, launch.environment);
  if (!words) return words.error();
  launch.words = std::move(*words);
  return launch;
}

// The exit status of a program or its launcher that has ended.
int status_of(int ended, const std::optional<LauncherLine>& launcher) {
  // A program says by its status what it made of a signal; its launcher does not. But srun outlives a first
  // Ctrl-C, and ends with 0 only if all tasks did.
  if (!launcher || (launcher->kind == LauncherKind::slurm && ended == 0)) return ended;
  return status_after_signals(ended);
}

int run_command(const RunOptions& options, const Environment& environment) {
  const std::optional<int> rank = own_rank(options, environment);
  if (rank.value_or(0) == 0) {
    for (const std::string& note : unknown_variables(environment)) complain(note);
  }
  for (const Status& status : {check_comparison(options, environment), check_path("--report", options.report),
                               check_path("--html", options.page), check_path("--record", options.record),
                               check_record(options, environment)}) {
    if (status.ok()) continue;
    complain(status.error().message);
    return exit_usage;
  }
  const auto detection = detect(options.command, environment, flavour_of_word(options.mpi));
  if (!detection) {
    complain(detection.error().message);
    return detection.error().kind == ErrorKind::no_such_file ? exit_not_found : exit_usage;
  }
  if (rank.value_or(0) == 0) {
    for (const std::string& note : detection->notes) complain(note);
  }
  // Hints that the user gives the ranks on the launcher's command line stay too.
  const auto& launcher = detection->launcher;
  auto variables = check_settings(
      options.settings,
      launcher ? environment_of_ranks(*launcher, launcher->programs.front(), environment) : environment);
  if (!variables) {
    complain(variables.error().message);
    return exit_usage;
  }

  std::unique_ptr<RecordsFile> records_file;
  std::optional<LiveFolder> live;
  std::optional<JoinedRecord> record;
  if (!options.record.empty()) {
    auto begun = JoinedRecord::begin(options.record);
    if (!begun) {
      complain(begun.error().message);
      return exit_usage;
    }
    record.emplace(std::move(*begun));
    variables->emplace_back("CONCILIO_RECORD", record->folder());
  }
  if (!options.summary.empty() || !options.report.empty() || !options.page.empty() || options.compare ||
      record) {
    auto made = RecordsFile::make(environment);
    if (!made) {
      complain(made.error().message + "; set TMPDIR to a folder that can be written to");
      return exit_usage;
    }
    records_file = std::move(*made);
    variables->emplace_back("CONCILIO_REPORT", records_file->path());
    // If each rank has a `concilio run` of its own, the launcher ends these too. And what one rank knows is
    // no summary. Without the folder, a program that ends early is told of in part.
    if (!rank && !options.compare) {
      if (auto folder = LiveFolder::make(environment)) live.emplace(std::move(*folder));
    }
    if (live) variables->emplace_back("CONCILIO_LIVE", live->path());
  }
  const auto launch =
      with_concilio(options, environment, *detection, RankSettings{detection->preload, *variables});
  if (!launch) {
    complain(launch.error().message);
    return exit_usage;
  }
  // Then nothing is to be done afterwards, and signals and statuses are the program's own.
  if (!records_file && !launcher) {
    complain(replace_by(launch->words, launch->environment).message);
    return exit_not_executable;
  }
  const Start start = start_of(options, launcher);
  int exit_status = 0;
  if (options.compare) {
    tell_of_other_work("run --compare");
    exit_status =
        compare_program({options.command, environment}, *launch, *records_file, options.alternations);
  } else {
    // A launcher signals all processes of a rank, and so the program too.
    const auto ended = run_to_end(launch->words, launch->environment, rank ? Forward::no : Forward::yes);
    if (!ended) {
      complain(ended.error().message);
      return exit_not_executable;
    }
    exit_status = status_of(*ended, launcher);
  }
  // If one side of a comparison failed, that is all there is to say.
  if (records_file && (!options.compare || exit_status == 0))
    conclude(options, environment, start, *records_file, live, exit_status);
  if (record) conclude_record(options, environment, start, *record, *records_file, exit_status);
  return exit_status;
}

std::vector<std::string> all_words() {
  std::vector<std::string> words;
  words.reserve(std::size(all_flavours));
  for (const Flavour flavour : all_flavours) words.emplace_back(flavour_word(flavour));
  return words;
}

}  // namespace

Subcommand add_run(CLI::App& app, const Environment& environment, const std::optional<Words>& after_mark) {
  CLI::App* parser =
      app.add_subcommand("run", "Run an MPI program with Concilio in place of its MPI's MPI-IO");
  auto options = std::make_shared<RunOptions>();
  // A flag takes no value of its own, so the word after it is the program's launcher.
  parser
      ->add_flag("--summary{short}", options->summary,
                 "At the end, print on stderr where the time went and what would help; --summary=full also "
                 "prints what was done for each file, and why")
      ->check(CLI::IsMember({"short", "full"}));
  parser->add_option("--report", options->report, "At the end, write the same as JSON to FILE")
      ->type_name("FILE");
  parser->add_option("--html", options->page, "At the end, write the same as a page for a browser to FILE")
      ->type_name("FILE");
  auto* record = parser
                     ->add_option("--record", options->record,
                                  "Write down every MPI-IO call in FILE, for concilio simulate --record")
                     ->type_name("FILE");
  parser
      ->add_option("--hint", options->settings.hints,
                   "Set a hint, which takes precedence over the program's (see: concilio hints)")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  parser
      ->add_option("--memory-limit", options->settings.memory_limit,
                   "Limit of Concilio's own memory in each rank, e.g. 4MiB")
      ->type_name("BYTES");
  parser
      ->add_option("--only", options->settings.only,
                   "Take over only files that match; several patterns: GLOB:GLOB")
      ->type_name("GLOB");
  parser->add_flag("--threads", options->settings.threads,
                   "Initialise MPI with MPI_THREAD_MULTIPLE, whatever level the program asks for");
  parser
      ->add_option("--mpi", options->mpi, "The program's MPI, if it cannot be found out: " + flavour_words())
      ->check(CLI::IsMember(all_words()))
      ->type_name("MPI");
  auto* compare = parser->add_flag(
      "--compare", options->compare,
      "Run the program without and with Concilio by turns, compare times and the files that it writes");
  compare->excludes(record);
  parser
      ->add_option("--alternations", options->alternations,
                   "With --compare: how often each side is started, after one start to warm up")
      ->check(CLI::Range(1, 1000))
      ->type_name("COUNT")
      ->capture_default_str()
      ->needs(compare);
  parser->prefix_command();
  parser->footer(
      "Usage: concilio run [OPTIONS] [--] mpirun ... PROGRAM ARGUMENTS\n"
      "       concilio run --compare [OPTIONS] [--] mpirun ... PROGRAM ARGUMENTS\n"
      "       mpirun ... concilio run [OPTIONS] [--] PROGRAM ARGUMENTS\n\n"
      "The exit status is the program's, 128+N if signal N ended it, or stopped its launcher; 2 if it could "
      "not be run with Concilio; with --compare 1 if a file differs.");
  return {parser, [=] {
            options->command = parser->remaining();
            Words& command = options->command;
            if (!command.empty() && command[0].size() > 1 && command[0][0] == '-') {
              complain(unknown_option(*parser, command[0]));
              return exit_usage;
            }
            if (after_mark) {
              // A "--" that comes after the program's name belongs to the program.
              if (!command.empty()) command.push_back("--");
              command.insert(command.end(), after_mark->begin(), after_mark->end());
            }
            if (command.empty()) {
              complain("run: no program is given; write: concilio run [OPTIONS] mpirun -n 4 ./program");
              return exit_usage;
            }
            return run_command(*options, environment);
          }};
}

}  // namespace concilio::tools
