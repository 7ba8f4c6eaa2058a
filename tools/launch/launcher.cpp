#include "launch/launcher.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <sstream>

namespace concilio::tools {

namespace {

constexpr const char* preload_name = "LD_PRELOAD";

std::string_view base_name(std::string_view word) {
  const size_t slash = word.rfind('/');
  return slash == std::string_view::npos ? word : word.substr(slash + 1);
}

template <size_t count>
bool is_one_of(std::string_view word, const std::string_view (&list)[count]) {
  return std::find(std::begin(list), std::end(list), word) != std::end(list);
}

bool is_option(const std::string& word) {
  return word.size() > 1 && word[0] == '-';
}

std::string_view without_dashes(std::string_view word) {
  word.remove_prefix(std::min(word.find_first_not_of('-'), word.size()));
  return word;
}

// How many words after the option words[place] are its values.
size_t values_of_option(const Words& words, size_t place, LauncherKind kind) {
  static constexpr std::string_view two[] = {"mca", "gmca", "omca", "prtemca", "pmixmca", "gpmixmca", "pmca"};
  static constexpr std::string_view one[] = {
      // Open MPI
      "n", "np", "c", "N", "x", "H", "host", "hostfile", "machinefile", "default-hostfile", "map-by",
      "bind-to", "rank-by", "wdir", "wd", "prefix", "path", "timeout", "npernode", "npersocket",
      "output-filename", "stdin", "cpus-per-proc", "cpus-per-rank", "cpu-set", "cpu-list", "rf", "rankfile",
      "app", "xml-file", "preload-files", "personality", "tune", "am", "report-uri", "output",
      "runtime-options", "display", "pmixam", "dvm-uri", "set-sid", "max-restarts", "ompi-server",
      "server-wait-time", "with-ft", "launch-agent", "add-host", "add-hostfile", "spawn-timeout",
      "report-pid", "num-connect-retries", "pset", "namespace", "unset-env", "debugger", "cf", "hnp", "xterm",
      "slot-list",
      // Hydra
      "ppn", "perhost", "f", "hosts", "configfile", "launcher", "launcher-exec", "bootstrap",
      "bootstrap-exec", "membind", "rmk", "iface", "prepend-pattern", "outfile-pattern", "errfile-pattern",
      "genvlist", "envlist", "topolib", "demux", "order-nodes", "usize", "localhost", "ckpoint-interval",
      "ckpoint-prefix", "ckpointlib", "nameserver", "gpus-per-proc", "gpu-subdevs-per-proc"};
  static constexpr std::string_view slurm_one[] = {
      // Of one letter
      "A", "B", "C", "D", "F", "G", "J", "L", "M", "N", "S", "T", "W", "c", "d", "e", "i", "m", "n", "o", "p",
      "q", "r", "t", "w", "x",
      // Of one word
      "account", "extra-node-info", "constraint", "chdir", "nodefile", "gpus", "job-name", "licenses",
      "clusters", "nodes", "core-spec", "threads", "wait", "cpus-per-task", "dependency", "error", "input",
      "distribution", "ntasks", "output", "partition", "qos", "relative", "time", "nodelist", "exclude",
      "accel-bind", "acctg-freq", "bb", "bbf", "bcast-exclude", "begin", "cluster-constraint", "comment",
      "container", "container-id", "cores-per-socket", "cpu-bind", "cpu-freq", "cpus-per-gpu", "deadline",
      "delay-boot", "epilog", "export", "extra", "gid", "gpu-bind", "gpu-freq", "gpus-per-node",
      "gpus-per-socket", "gpus-per-task", "gres", "gres-flags", "het-group", "hint", "jobid", "mail-type",
      "mail-user", "mcs-label", "mem", "mem-bind", "mem-per-cpu", "mem-per-gpu", "mincpus", "mpi",
      "msg-timeout", "network", "ntasks-per-core", "ntasks-per-gpu", "ntasks-per-node", "ntasks-per-socket",
      "ntasks-per-tres", "open-mode", "power", "prefer", "priority", "profile", "prolog", "reservation",
      "signal", "slurmd-debug", "sockets-per-node", "switches", "task-epilog", "task-prolog", "thread-spec",
      "threads-per-core", "time-min", "tmp", "tres-bind", "tres-per-task", "uid", "wckey"};
  const std::string_view name = without_dashes(words[place]);
  if (name.find('=') != std::string_view::npos) return 0;
  if (kind == LauncherKind::slurm) return is_one_of(name, slurm_one) ? 1 : 0;
  // Hydra takes "NAME VALUE" and "NAME=VALUE".
  if (name == "genv" || name == "env")
    return place + 1 < words.size() && words[place + 1].find('=') != std::string::npos ? 1 : 2;
  if (is_one_of(name, two)) return 2;
  return is_one_of(name, one) ? 1 : 0;
}

// Consecutive words: [begin, end).
struct Stretch {
  size_t begin, end;
};

// The parts of a command line, between ":", after the launcher's own word.
std::vector<Stretch> parts(const LauncherLine& line) {
  std::vector<Stretch> all;
  size_t begin = line.launcher + 1;
  for (size_t i = begin; i <= line.words.size(); ++i) {
    if (i < line.words.size() && (line.words[i] != ":" || line.kind == LauncherKind::slurm)) continue;
    all.push_back({begin, i});
    begin = i + 1;
  }
  return all;
}

// What is before the program of part number `part`, cut into options with their values, and other words: the
// values of options that are not known here.
std::vector<Stretch> options_of(const LauncherLine& line, Stretch part, size_t number) {
  const size_t end = number < line.programs.size() ? std::min(line.programs[number], part.end) : part.end;
  std::vector<Stretch> all;
  for (size_t i = part.begin; i < end; i = all.back().end) {
    const size_t values = is_option(line.words[i]) ? values_of_option(line.words, i, line.kind) : 0;
    all.push_back({i, std::min(i + 1 + values, end)});
  }
  return all;
}

// A variable that an option sets. Without a value it is that of the launcher's own environment.
struct Variable {
  std::string name;
  std::optional<std::string> value;
};

Variable variable_of(std::string_view text) {
  const size_t equals = text.find('=');
  if (equals == std::string_view::npos) return {std::string(text), std::nullopt};
  return {std::string(text.substr(0, equals)), std::string(text.substr(equals + 1))};
}

// The variable that an option of Open MPI's or MPICH's launcher sets.
std::optional<Variable> variable_of_option(const Words& words, Stretch option, LauncherKind kind) {
  const std::string_view name = without_dashes(words[option.begin]);
  const bool is_setting = kind == LauncherKind::openmpi ? name == "x"
                          : kind == LauncherKind::hydra ? name == "genv" || name == "env"
                                                        : false;
  if (!is_setting || option.end - option.begin < 2) return std::nullopt;
  if (option.end - option.begin == 3) return Variable{words[option.begin + 1], words[option.begin + 2]};
  return variable_of(words[option.begin + 1]);
}

bool holds_for_all_parts(const Words& words, Stretch option) {
  return without_dashes(words[option.begin]) == "genv";
}

// The list of an option --export of srun.
std::optional<std::string> exports_of_option(const Words& words, Stretch option) {
  constexpr std::string_view with_list = "--export=";
  const std::string& word = words[option.begin];
  if (word.starts_with(with_list)) return word.substr(with_list.size());
  if (word == "--export" && option.end - option.begin == 2) return words[option.begin + 1];
  return std::nullopt;
}

// What srun exports to its tasks, an item for each variable, or ALL, or NONE.
Words exports_of(const LauncherLine& line, const Environment& environment) {
  std::string list = environment.get("SLURM_EXPORT_ENV").value_or("ALL");
  for (const Stretch option : options_of(line, parts(line).front(), 0))
    list = exports_of_option(line.words, option).value_or(list);
  Words items;
  std::istringstream stream(list);
  for (std::string item; std::getline(stream, item, ',');) items.push_back(item);
  return items;
}

bool sets(const RankSettings& settings, const std::string& name) {
  return name == preload_name || std::ranges::any_of(settings.variables, [&](const auto& variable) {
           return variable.first == name;
         });
}

std::string joined_preload(const std::optional<std::string>& preloaded, const RankSettings& settings) {
  if (!preloaded || preloaded->empty()) return settings.library;
  return fmt::format("{}:{}", *preloaded, settings.library);
}

// The libraries of the ranks of a part, Concilio's behind those of the user.
std::string preload_of(const LauncherLine& line, size_t number, const RankSettings& settings,
                       const Environment& environment) {
  const Environment of_ranks = environment_of_ranks(line, line.programs.at(number), environment);
  return joined_preload(of_ranks.get(preload_name), settings);
}

void append_words(Words& words, const Words& from, Stretch stretch) {
  words.insert(words.end(), from.begin() + static_cast<long>(stretch.begin),
               from.begin() + static_cast<long>(stretch.end));
}

// Of several settings of one variable, launchers take the last, or refuse them. So each is there once.
// Options of one part of an Open MPI command line do not hold for others.
Words openmpi_words(const LauncherLine& line, const RankSettings& settings, const Environment& environment) {
  Words out;
  append_words(out, line.words, {0, line.launcher + 1});
  const std::vector<Stretch> all = parts(line);
  for (size_t number = 0; number < all.size(); ++number) {
    const Stretch part = all[number];
    if (number > 0) out.push_back(":");
    const std::string preload = preload_of(line, number, settings, environment);
    out.insert(out.end(), {"-x", fmt::format("{}={}", preload_name, preload)});
    for (const auto& [name, value] : settings.variables)
      out.insert(out.end(), {"-x", fmt::format("{}={}", name, value)});
    for (const Stretch option : options_of(line, part, number)) {
      const auto variable = variable_of_option(line.words, option, line.kind);
      if (!variable || !sets(settings, variable->name)) append_words(out, line.words, option);
    }
    append_words(out, line.words, {std::min(line.programs[number], part.end), part.end});
  }
  return out;
}

Words hydra_words(const LauncherLine& line, const RankSettings& settings, const Environment& environment) {
  std::string preload = joined_preload(environment.get(preload_name), settings);
  Words rest;
  const std::vector<Stretch> all = parts(line);
  for (size_t number = 0; number < all.size(); ++number) {
    const Stretch part = all[number];
    if (number > 0) rest.push_back(":");
    for (const Stretch option : options_of(line, part, number)) {
      const auto variable = variable_of_option(line.words, option, line.kind);
      if (!variable || !sets(settings, variable->name)) {
        append_words(rest, line.words, option);
      } else if (variable->name == preload_name && holds_for_all_parts(line.words, option)) {
        preload = joined_preload(variable->value, settings);
      } else if (variable->name == preload_name) {
        // What a part sets for itself goes before what is set for all.
        rest.insert(rest.end(), {"-env", preload_name, joined_preload(variable->value, settings)});
      }
    }
    append_words(rest, line.words, {std::min(line.programs[number], part.end), part.end});
  }
  Words out;
  append_words(out, line.words, {0, line.launcher + 1});
  out.insert(out.end(), {"-genv", preload_name, preload});
  for (const auto& [variable, value] : settings.variables) out.insert(out.end(), {"-genv", variable, value});
  out.insert(out.end(), rest.begin(), rest.end());
  return out;
}

Result<Words> slurm_words(const LauncherLine& line, const RankSettings& settings, Environment& environment) {
  // For srun a comma ends a value. So the values are set in srun's own environment, and only their names are
  // listed; but into srun itself nothing is to be preloaded.
  const std::string preload = preload_of(line, 0, settings, environment);
  if (preload.find(',') != std::string::npos)
    return Error{ErrorKind::unsupported, 0,
                 fmt::format("srun cannot pass on {}={}, because a comma ends a value there; preload these "
                             "libraries from a folder whose name has no comma",
                             preload_name, preload)};
  std::string exports;
  for (const std::string& item : exports_of(line, environment)) {
    if (!sets(settings, variable_of(item).name)) exports += item + ",";
  }
  exports += fmt::format("{}={}", preload_name, preload);
  for (const auto& [variable, value] : settings.variables) {
    environment.set(variable, value);
    exports += fmt::format(",{}", variable);
  }
  Words out;
  append_words(out, line.words, {0, line.launcher + 1});
  out.push_back("--export=" + exports);
  const Stretch part = parts(line).front();
  for (const Stretch option : options_of(line, part, 0)) {
    if (!exports_of_option(line.words, option)) append_words(out, line.words, option);
  }
  append_words(out, line.words, {std::min(line.programs[0], part.end), part.end});
  return out;
}

}  // namespace

bool is_launcher_name(std::string_view word) {
  static constexpr std::string_view names[] = {
      "mpirun",     "mpiexec",         "orterun",      "prterun",       "prun",         "mpirun.openmpi",
      "srun",       "mpiexec.openmpi", "mpirun.mpich", "mpiexec.mpich", "mpirun.hydra", "mpiexec.hydra",
      "mpirun_rsh", "aprun",           "jsrun",        "ibrun",         "flux",         "mpiexec.gforker"};
  return is_one_of(base_name(word), names);
}

bool is_wrapper_name(std::string_view word) {
  static constexpr std::string_view names[] = {
      "env",    "time",   "nice", "ionice", "timeout", "stdbuf", "numactl", "taskset", "setarch", "valgrind",
      "strace", "ltrace", "gdb",  "perf",   "xterm",   "chrt",   "nohup",   "setsid",  "prlimit", "concilio"};
  return is_one_of(base_name(word), names);
}

std::optional<size_t> place_of_launcher(const Words& words, const Environment& environment) {
  for (size_t i = 0; i < words.size(); ++i) {
    if (!environment.find_executable(words[i])) continue;
    if (is_launcher_name(words[i])) return i;
    // A path is the program. A name may be a word of the wrapper, as in "perf stat".
    const bool is_path = words[i].find('/') != std::string::npos;
    if (!is_wrapper_name(words[i]) && (i == 0 || is_path)) break;
  }
  return std::nullopt;
}

LauncherKind launcher_kind(std::string_view word, std::string_view version_text) {
  if (base_name(word) == "srun") return LauncherKind::slurm;
  const auto version = version_of_text(version_text);
  if (!version) return LauncherKind::other;
  return version->family == Family::openmpi ? LauncherKind::openmpi : LauncherKind::hydra;
}

std::vector<std::vector<size_t>> program_candidates(const LauncherLine& line) {
  std::vector<std::vector<size_t>> all;
  for (const auto& [begin, end] : parts(line)) {
    std::vector<size_t> candidates;
    for (size_t i = begin; i < end; ++i) {
      if (is_option(line.words[i])) {
        i += values_of_option(line.words, i, line.kind);
      } else {
        candidates.push_back(i);
      }
    }
    all.push_back(candidates);
  }
  return all;
}

Environment environment_of_ranks(const LauncherLine& line, size_t program, const Environment& environment) {
  Environment of_ranks = environment;
  const auto set = [&](const Variable& variable) {
    if (variable.value) of_ranks.set(variable.name, *variable.value);
  };
  if (line.kind == LauncherKind::slurm) {
    for (const std::string& item : exports_of(line, environment)) set(variable_of(item));
    return of_ranks;
  }
  const std::vector<Stretch> all = parts(line);
  for (size_t number = 0; number < all.size() && all[number].begin <= program; ++number) {
    for (const Stretch option : options_of(line, all[number], number)) {
      if (option.begin >= program) break;
      const bool holds = program <= all[number].end || holds_for_all_parts(line.words, option);
      const auto variable = variable_of_option(line.words, option, line.kind);
      if (variable && holds) set(*variable);
    }
  }
  return of_ranks;
}

std::string folder_of_ranks(const LauncherLine& line, size_t program) {
  static constexpr std::string_view names[] = {"wdir", "wd"}, names_of_slurm[] = {"D", "chdir"};
  std::string folder;
  const std::vector<Stretch> all = parts(line);
  for (size_t number = 0; number < all.size(); ++number) {
    if (program < all[number].begin || program > all[number].end) continue;
    for (const Stretch option : options_of(line, all[number], number)) {
      if (option.begin >= program) break;
      if (!is_option(line.words[option.begin])) continue;
      const Variable set = variable_of(without_dashes(line.words[option.begin]));
      const bool is_folder =
          line.kind == LauncherKind::slurm ? is_one_of(set.name, names_of_slurm) : is_one_of(set.name, names);
      if (is_folder && set.value)
        folder = *set.value;
      else if (is_folder && option.end - option.begin == 2)
        folder = line.words[option.begin + 1];
    }
  }
  return folder;
}

Result<Words> with_rank_settings(const LauncherLine& line, const RankSettings& settings,
                                 Environment& environment) {
  switch (line.kind) {
    case LauncherKind::openmpi:
      return openmpi_words(line, settings, environment);
    case LauncherKind::hydra:
      return hydra_words(line, settings, environment);
    case LauncherKind::slurm:
      return slurm_words(line, settings, environment);
    case LauncherKind::other:
      break;
  }
  set_in_environment(settings, environment);
  return line.words;
}

void set_in_environment(const RankSettings& settings, Environment& environment) {
  environment.append(preload_name, settings.library, ':');
  for (const auto& [variable, value] : settings.variables) environment.set(variable, value);
}

}  // namespace concilio::tools
