// concilio-probe-MPI, the program that `concilio probe` starts under an MPI launcher.
#include <fmt/format.h>
#include <mpi.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <climits>
#include <cstring>
#include <ctime>
#include <filesystem>

#include "base/settings/config.h"
#include "base/system/process.h"
#include "probe/derive/derive.h"
#include "probe/measure/place.h"
#include "probe/measure/progress.h"
#include "probe/measure/session.h"
#include "probe/measure/workplace.h"
#include "probe/show/figures.h"
#include "probe/show/measurements_json.h"
#include "probe/show/report.h"
#include "store/devices/throttle_costs.h"
#include "store/place/mount.h"
#include "store/wrappers/stack.h"

namespace concilio::probe {

namespace {

struct Options {
  std::string folder;
  std::string workplace;  // made and removed by the process that started this one; empty: make it here
  std::string output, picture;
  std::string json;  // a file; "-": stdout, in place of the text
  bool quick = false;
  Progress::Kind progress = Progress::Kind::none;
};

constexpr const char* to_stdout = "-";  // as the name of a file

void complain(const std::string& message) {
  fmt::print(stderr, "concilio: probe: {}\n", message);
}

struct HostName {
  char text[256];
};

std::vector<std::string> hosts_of(mpi::Team& team) {
  HostName mine{};
  std::strncpy(mine.text, host_name().c_str(), sizeof mine.text - 1);
  std::vector<HostName> of_nodes(team.nodes().size());
  (void)team.gather_nodes(mine, of_nodes);  // gives no names if the team has failed
  std::vector<std::string> hosts;
  for (const HostName& host : of_nodes) {
    if (std::find(hosts.begin(), hosts.end(), host.text) == hosts.end()) hosts.emplace_back(host.text);
  }
  return hosts;
}

// Rank 0 makes the workplace, and all ranks get its name.
Result<std::string> agree_on_workplace(mpi::Team& team, const Options& options) {
  char path[PATH_MAX] = "";
  Status status;
  if (team.rank() == 0) {
    const auto made =
        options.workplace.empty() ? make_workplace_until_signal(options.folder) : options.workplace;
    if (!made)
      status = made.error();
    else if (made->size() >= sizeof path)
      status = Error::from_errno(ENAMETOOLONG, "cannot use " + options.folder);
    else
      std::memcpy(path, made->c_str(), made->size() + 1);
    if (made && !options.workplace.empty()) remove_on_signals(*made);
  }
  if (Status all = agree_at_rest(team, status); !all) return all.error();
  PMPI_Bcast(path, sizeof path, MPI_CHAR, 0, team.comm());
  // A launcher may kill rank 0 as soon as another rank has ended, so every rank removes it.
  if (team.rank() != 0) remove_on_signals(path);
  return std::string(path);
}

Status take_steps(Session& session, Progress& progress) {
  double done = 0;
  for (const Step& step : steps()) {
    session.seconds = step.share * session.total_seconds;
    if (session.first()) progress.begin(step.name, done, done + step.share);
    Status status;
    if (step.of_all || session.first()) status = step.run(session);
    if (Status all = agree_at_rest(session.team, status); !all) return all;
    done += step.share;
  }
  return {};
}

plan::StorageFacts::Kind kind_of(store::StorageLayout::Kind kind) {
  switch (kind) {
    case store::StorageLayout::Kind::local:
      return plan::StorageFacts::Kind::local;
    case store::StorageLayout::Kind::memory:
      return plan::StorageFacts::Kind::memory;
    case store::StorageLayout::Kind::network:
      return plan::StorageFacts::Kind::network;
    case store::StorageLayout::Kind::parallel:
      return plan::StorageFacts::Kind::parallel;
    case store::StorageLayout::Kind::unknown:
      break;
  }
  return plan::StorageFacts::Kind::unknown;
}

std::string time_of_day() {
  const std::time_t now = std::time(nullptr);
  char text[64] = "";
  std::tm parts{};
  localtime_r(&now, &parts);
  std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S %z", &parts);
  return text;
}

plan::Profile profile_of(const Session& session, const Options& options, const Config& config) {
  plan::Profile profile;
  plan::StorageFacts storage;
  if (const auto layout = session.file->layout()) {
    storage.kind = kind_of(layout->kind);
    storage.stripe_targets = layout->stripe_targets;
    profile.file_system = layout->name;
  }
  if (const auto mount = store::mount_of(options.folder)) {
    profile.mount = mount->point;
    if (profile.file_system.empty()) profile.file_system = mount->type;
  }
  profile.throttle = store::throttle_identity(config.text(Key::throttle));
  profile.made = time_of_day();
  profile.prices = derived_prices(session.found, builtin_prices(storage));
  profile.parameters = derived_parameters(session.found);
  return profile;
}

// There is one place for each host, because the hosts may share the folder of settings.
Result<std::vector<std::string>> places_of(const plan::Profile& profile, const Options& options) {
  if (!options.output.empty()) return std::vector<std::string>{options.output};
  std::vector<std::string> places;
  for (const std::string& host : profile.hosts) {
    auto place = place_of_profile(host, options.folder, profile.throttle);
    if (!place) return place.error();
    places.push_back(std::move(*place));
  }
  return places;
}

// Checks that all results can be written in the end, before a minute is spent on measuring. Collective.
Status check_places(Session& session, const Options& options, const plan::Profile& profile) {
  Status status;
  if (session.first()) {
    const auto places = places_of(profile, options);
    if (!places) status = places.error();
    for (size_t i = 0; status.ok() && i < places->size(); ++i) status = check_place((*places)[i]);
    for (const std::string& file : {options.picture, options.json}) {
      if (status.ok() && !file.empty() && file != to_stdout) status = check_place(file);
    }
  }
  return agree_at_rest(session.team, status);
}

Status tell(const Session& session, const plan::Profile& profile, const Options& options) {
  const bool as_text = options.json != to_stdout;
  if (as_text) fmt::print("{}", report_of(profile, session.found));
  for (const std::string& note : session.notes) complain(note);
  const auto places = places_of(profile, options);
  if (!places) return places.error();
  const std::string text = profile_as_text(profile, json_of(session.found));
  for (const std::string& place : *places) {
    if (Status status = replace_file(place, text); !status) return status;
    if (as_text) fmt::print("\nprofile: {}", place);
  }
  if (!as_text) {
    fmt::print("{}", text);
  } else if (!options.json.empty()) {
    if (Status status = replace_file(options.json, text); !status) return status;
  }
  if (!options.picture.empty()) {
    const std::string title =
        fmt::format("{} ({}) from {}{}", profile.mount, profile.file_system, profile.hosts.front(),
                    profile.throttle.empty() ? "" : ", throttled: " + profile.throttle);
    if (Status status = replace_file(options.picture, picture_of(figures_of(session.found), title)); !status)
      return status;
    if (as_text) fmt::print("\npicture: {}", options.picture);
  }
  if (as_text) fmt::print("\n");
  return {};
}

// Returns the same status on all ranks.
Status measure(Session& session, const Options& options, const Config& config) {
  plan::Profile known;
  known.hosts = hosts_of(session.team);
  known.throttle = config.text(Key::throttle);
  if (Status status = check_places(session, options, known); !status) return status;
  // The ranks that wait for others sleep, so the thread that draws takes no core away from them.
  Progress progress(session.first() ? options.progress : Progress::Kind::none, session.total_seconds);
  Status status = take_steps(session, progress);
  progress.end();
  if (!status || !session.first()) return status;
  plan::Profile profile = profile_of(session, options, config);
  profile.hosts = known.hosts;
  return tell(session, profile, options);
}

Status run(const Options& options) {
  const Config config = Config::from_environment();
  auto team = mpi::Team::acquire(MPI_COMM_WORLD, static_cast<int>(config.integer(Key::ranks_per_node)));
  if (!team) return team.error();
  const bool first = (*team)->rank() == 0;
  if (first) {
    for (const std::string& complaint : config.complaints()) complain(complaint);
  }
  const auto workplace = agree_on_workplace(**team, options);
  if (!workplace) return first ? workplace.error() : Status();
  const auto store = store::make_store(config, (*team)->rank());
  Session session{**team, *store, data_file_of(*workplace), new_file_of(*workplace)};
  session.throttled = session.found.throttled = !config.text(Key::throttle).empty();
  session.total_seconds = options.quick ? 8.5 : 55;
  session.most_file_bytes = (options.quick ? 64 : 256) << 20;
  session.found.ranks = (*team)->size();
  session.found.nodes = static_cast<int64_t>((*team)->nodes().size());
  session.found.cores_per_node = (*team)->cores();
  const Status status = measure(session, options, config);
  session.file.reset();
  if (first) remove_workplace(*workplace);
  wait_for_all(**team);
  // Only rank 0 says what failed.
  return first ? status : Status();
}

int main_of(int argument_count, char** arguments) {
  Options options;
  CLI::App app("Measure a storage; `concilio probe` starts this program");
  app.add_option("folder", options.folder)->required();
  app.add_option("--workplace", options.workplace);
  app.add_option("--output", options.output);
  app.add_option("--picture", options.picture);
  app.add_option("--json", options.json);
  app.add_flag("--quick", options.quick);
  const std::map<std::string, Progress::Kind> kinds = {
      {"none", Progress::Kind::none}, {"bar", Progress::Kind::bar}, {"lines", Progress::Kind::lines}};
  app.add_option("--progress", options.progress)->transform(CLI::CheckedTransformer(kinds));
  int level = 0;
  MPI_Init_thread(&argument_count, &arguments, MPI_THREAD_FUNNELED, &level);
  int exit_status = 0;
  try {
    app.parse(argument_count, arguments);
    if (const Status status = run(options); !status) {
      complain(status.error().message);
      exit_status = 1;
    }
  } catch (const CLI::ParseError& error) {
    exit_status = app.exit(error) == 0 ? 0 : 2;
  } catch (const std::exception& error) {
    // An error of this rank alone, such as lack of memory: the other ranks are waiting for it.
    complain(error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  mpi::Team::part_ends();
  MPI_Finalize();
  return exit_status;
}

}  // namespace

}  // namespace concilio::probe

int main(int argument_count, char** arguments) {
  return concilio::probe::main_of(argument_count, arguments);
}
