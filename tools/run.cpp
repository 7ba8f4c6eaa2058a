// concilio run: starts an MPI program whose ranks load Concilio.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/settings/config.h"
#include "base/system/read_file.h"
#include "launch/detect.h"
#include "settings.h"
#include "subcommands.h"
#include "summary/records.h"
#include "summary/summary.h"

namespace concilio::tools {

namespace fs = std::filesystem;

namespace {

struct RunOptions {
  SettingOptions settings;
  std::string summary;  // "short" or "full"; empty if not wanted
  std::string report;
  std::string mpi;
  Words command;
};

// The file that the library creates when MPI begins, and writes its records to. It is removed with this
// object.
class RecordsFile {
 public:
  static Result<std::unique_ptr<RecordsFile>> make(const Environment& environment) {
    std::string path = environment.temporary_folder() + "/concilio-run-XXXXXX";
    const int descriptor = mkstemp(path.data());
    if (descriptor < 0)
      return Error::from_errno(errno, "cannot make a temporary file in " + environment.temporary_folder());
    close(descriptor);
    unlink(path.c_str());
    return std::unique_ptr<RecordsFile>(new RecordsFile(std::move(path)));
  }
  ~RecordsFile() { unlink(path_.c_str()); }
  RecordsFile(const RecordsFile&) = delete;
  RecordsFile& operator=(const RecordsFile&) = delete;

  const std::string& path() const { return path_; }
  // Whether a rank has loaded the library.
  bool made_by_library() const { return access(path_.c_str(), F_OK) == 0; }
  Records read() const {
    const auto text = read_all(path_);
    return parse_records(text ? *text : "");
  }

 private:
  explicit RecordsFile(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

Status check_report_path(const std::string& report) {
  const fs::path folder = fs::path(report).has_parent_path() ? fs::path(report).parent_path() : fs::path(".");
  if (fs::is_directory(report))
    return Error{ErrorKind::bad_file, EISDIR, "--report " + report + " is a folder"};
  if (access(folder.c_str(), W_OK | X_OK) != 0)
    return Error::from_errno(errno, "--report " + report + ": cannot write in " + folder.string());
  return {};
}

Status write_report(const std::string& path, const RunOptions& options, int exit_status,
                    const Records& records) {
  nlohmann::json files = nlohmann::json::array();
  for (const FileRecord& file : records.files) files.push_back(to_json(file));
  const nlohmann::json report = {{"concilio", CONCILIO_VERSION},
                                 {"command", options.command},
                                 {"exit_code", exit_status},
                                 {"files", files}};
  errno = 0;
  std::ofstream out(path);
  // A file name may contain bytes that are not UTF-8.
  out << report.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) << "\n";
  out.close();
  if (!out) return Error::from_errno(errno ? errno : EIO, "cannot write the report " + path);
  return {};
}

// The rank that this `concilio run` stands for if every rank has a `concilio run` of its own, else 0.
int own_rank(const Environment& environment) {
  const bool inside_launcher = family_of_running_launcher(environment).has_value();
  return inside_launcher ? rank_of_running_launcher(environment).value_or(0) : 0;
}

// Why no file was recorded, and what to do about it.
std::string why_no_file(const RunOptions& options, const Environment& environment, bool loaded) {
  if (asked_in_environment(Key::disable))
    return "CONCILIO_DISABLE is set, and leaves all files to the MPI's own MPI-IO (unset it)";
  if (!loaded) {
    return fmt::format(
        "no rank was seen to load Concilio (if a script changes LD_PRELOAD, start the program itself; if the "
        "program is statically linked, link it dynamically; if rank 0 is on a node that does not share {}, "
        "set TMPDIR to a folder that all nodes share)",
        environment.temporary_folder());
  }
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
         "stdio or by serial HDF5 do not use MPI-IO; in h5py, driver='mpio' opens them for all ranks; files "
         "that are open when the program is killed are not reported)";
}

// If every rank has a `concilio run` of its own (mpirun -n 4 concilio run ./app), those whose program wrote
// records write a summary, and if none did, rank 0 says so. Only rank 0 writes to the very file that --report
// names.
void conclude(const RunOptions& options, const Environment& environment, const RecordsFile& records_file,
              int exit_status) {
  const Records records = records_file.read();
  const int rank = own_rank(environment);
  if (records.files.empty() && rank != 0) return;
  if (records.unreadable_lines > 0)
    complain(fmt::format("{} of the library's records could not be read", records.unreadable_lines));
  if (!options.summary.empty() && records.files.empty()) {
    complain(why_no_file(options, environment, records_file.made_by_library()) + ", so there is no summary");
  } else if (!options.summary.empty()) {
    const std::vector<FileRecord> files = by_name(records.files);
    fmt::print(stderr, "{}", render_summary(files));
    if (options.summary == "full") fmt::print(stderr, "{}", render_details(files));
  }
  if (options.report.empty()) return;
  std::string path = options.report;
  if (rank != 0) {
    path += fmt::format(".rank{}", rank);
    complain(fmt::format("rank {} wrote its part of the report to {}", rank, path));
  }
  if (const Status written = write_report(path, options, exit_status, records); !written.ok())
    complain(written.error().message);
}

int run_command(const RunOptions& options, Environment environment) {
  std::vector<std::string> notes;
  auto variables = check_settings(options.settings, environment, notes);
  if (!variables) {
    complain(variables.error().message);
    return exit_usage;
  }
  for (const std::string& note : notes) complain(note);
  if (own_rank(environment) == 0) {
    for (const std::string& note : unknown_variables(environment)) complain(note);
  }
  if (!options.report.empty()) {
    if (const Status status = check_report_path(options.report); !status.ok()) {
      complain(status.error().message);
      return exit_usage;
    }
  }
  const auto detection = detect(options.command, environment, flavour_of_word(options.mpi));
  if (!detection) {
    complain(detection.error().message);
    return detection.error().kind == ErrorKind::no_such_file ? exit_not_found : exit_usage;
  }

  std::unique_ptr<RecordsFile> records_file;
  if (!options.summary.empty() || !options.report.empty()) {
    auto made = RecordsFile::make(environment);
    if (!made) {
      complain(made.error().message);
      return exit_failure;
    }
    records_file = std::move(*made);
    variables->emplace_back("CONCILIO_REPORT", records_file->path());
  }
  const RankSettings settings{detection->preload, *variables};
  Environment of_child = environment;
  Words words = options.command;
  if (detection->launcher) {
    words = with_rank_settings(words, *detection->launcher, settings, of_child);
  } else {
    set_in_environment(settings, of_child);
  }
  const auto exit_status = run_to_end(words, of_child);
  if (!exit_status) {
    complain(exit_status.error().message);
    return exit_not_executable;
  }
  if (records_file) conclude(options, environment, *records_file, *exit_status);
  return *exit_status;
}

std::vector<std::string> all_words() {
  std::vector<std::string> words;
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
  parser->prefix_command();
  parser->footer(
      "Usage: concilio run [OPTIONS] [--] mpirun ... PROGRAM ARGUMENTS\n       mpirun ... concilio run "
      "[OPTIONS] [--] PROGRAM ARGUMENTS\n\nThe exit status is the program's, or 128+N if signal N ended it. "
      "It is 2 if the program could not be run with Concilio.");
  return {parser, [=] {
            options->command = parser->remaining();
            Words& command = options->command;
            if (!command.empty() && command[0].size() > 1 && command[0][0] == '-') {
              complain(fmt::format("run: unknown option {}; see concilio run --help", command[0]));
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
