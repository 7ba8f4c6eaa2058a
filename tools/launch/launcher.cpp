#include "launch/launcher.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

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

// How many words after the option `word` are its values.
size_t values_of_option(std::string_view word, LauncherKind kind) {
  static constexpr std::string_view two[] = {"mca", "gmca", "prtemca", "pmixmca", "pmca", "genv", "env"};
  static constexpr std::string_view one[] = {
      // Open MPI
      "n", "np", "c", "N", "x", "H", "host", "hostfile", "machinefile", "default-hostfile", "map-by",
      "bind-to", "rank-by", "wdir", "wd", "prefix", "path", "timeout", "npernode", "npersocket",
      "output-filename", "stdin", "cpus-per-proc", "cpus-per-rank", "cpu-set", "cpu-list", "rf", "rankfile",
      "app", "xml-file", "preload-files", "personality", "tune", "am", "report-uri", "output",
      "runtime-options", "display", "pmixam", "dvm-uri", "set-sid", "max-restarts", "ompi-server",
      "server-wait-time",
      // Hydra
      "ppn", "perhost", "f", "hosts", "configfile", "launcher", "launcher-exec", "bootstrap",
      "bootstrap-exec", "membind", "rmk", "iface", "prepend-pattern", "outfile-pattern", "errfile-pattern",
      "genvlist", "envlist", "topolib", "demux", "order-nodes", "usize", "localhost", "ckpoint-interval",
      "ckpoint-prefix", "ckpointlib"};
  static constexpr std::string_view slurm_one[] = {
      "n",        "ntasks",      "N",    "nodes",        "c",     "cpus-per-task",
      "p",        "partition",   "t",    "time",         "J",     "job-name",
      "A",        "account",     "w",    "nodelist",     "x",     "exclude",
      "o",        "output",      "e",    "error",        "i",     "input",
      "D",        "chdir",       "m",    "distribution", "q",     "qos",
      "C",        "constraint",  "d",    "dependency",   "G",     "gpus",
      "mem",      "mem-per-cpu", "mpi",  "export",       "jobid", "ntasks-per-node",
      "cpu-bind", "mem-bind",    "hint", "gres",         "r",     "relative",
      "W",        "wait"};
  word.remove_prefix(std::min(word.find_first_not_of('-'), word.size()));
  if (word.find('=') != std::string_view::npos) return 0;
  if (kind == LauncherKind::slurm) return is_one_of(word, slurm_one) ? 1 : 0;
  if (is_one_of(word, two)) return 2;
  return is_one_of(word, one) ? 1 : 0;
}

bool is_option(const std::string& word) {
  return word.size() > 1 && word[0] == '-';
}

// The parts of a command line, between ":", after the launcher's own word: [begin, end) of each.
std::vector<std::pair<size_t, size_t>> parts(const Words& words, LauncherKind kind) {
  std::vector<std::pair<size_t, size_t>> all;
  size_t begin = 1;
  for (size_t i = 1; i <= words.size(); ++i) {
    if (i < words.size() && (words[i] != ":" || kind == LauncherKind::slurm)) continue;
    all.emplace_back(begin, i);
    begin = i + 1;
  }
  return all;
}

std::string joined_preload(const std::string& before, const std::string& library) {
  return before.empty() ? library : fmt::format("{}:{}", before, library);
}

// One part of an Open MPI command line. Options of one part do not hold for others.
void add_openmpi_part(const Words& words, std::pair<size_t, size_t> part, const RankSettings& settings,
                      const std::string& preload_before, Words& out) {
  const std::string name = fmt::format("{}=", preload_name);
  Words own;
  bool amended = false;
  for (size_t i = part.first; i < part.second; ++i) {
    own.push_back(words[i]);
    if (!is_option(words[i])) {
      own.insert(own.end(), words.begin() + static_cast<long>(i) + 1,
                 words.begin() + static_cast<long>(part.second));
      break;
    }
    const size_t values = std::min(values_of_option(words[i], LauncherKind::openmpi), part.second - i - 1);
    for (size_t v = 1; v <= values; ++v) {
      std::string value = words[i + v];
      if (words[i] == "-x" && value.compare(0, name.size(), name) == 0) {
        value = fmt::format("{}{}", name, joined_preload(value.substr(name.size()), settings.library));
        amended = true;
      } else if (words[i] == "-x" && value == preload_name) {
        value = fmt::format("{}{}", name, joined_preload(preload_before, settings.library));
        amended = true;
      }
      own.push_back(value);
    }
    i += values;
  }
  if (!amended) {
    out.push_back("-x");
    out.push_back(fmt::format("{}{}", name, joined_preload(preload_before, settings.library)));
  }
  for (const auto& [variable, value] : settings.variables) {
    out.push_back("-x");
    out.push_back(fmt::format("{}={}", variable, value));
  }
  out.insert(out.end(), own.begin(), own.end());
}

Words openmpi_words(const Words& words, const RankSettings& settings, const Environment& environment) {
  Words out = {words[0]};
  bool first = true;
  for (const auto& part : parts(words, LauncherKind::openmpi)) {
    if (!first) out.push_back(":");
    first = false;
    add_openmpi_part(words, part, settings, environment.get(preload_name).value_or(""), out);
  }
  return out;
}

Words hydra_words(const Words& words, const RankSettings& settings, const Environment& environment) {
  Words rest(words.begin() + 1, words.end());
  bool amended_for_all = false;
  for (const auto& part : parts(words, LauncherKind::hydra)) {
    for (size_t i = part.first; i < part.second && is_option(words[i]);
         i += 1 + values_of_option(words[i], LauncherKind::hydra)) {
      const bool for_all = words[i] == "-genv" || words[i] == "--genv";
      const bool for_part = words[i] == "-env" || words[i] == "--env";
      if ((for_all || for_part) && i + 2 < part.second && words[i + 1] == preload_name) {
        rest[i + 1] = joined_preload(words[i + 2], settings.library);
        amended_for_all |= for_all;
      }
    }
  }
  Words out = {words[0]};
  if (!amended_for_all) {
    out.insert(out.end(), {"-genv", preload_name,
                           joined_preload(environment.get(preload_name).value_or(""), settings.library)});
  }
  for (const auto& [variable, value] : settings.variables) out.insert(out.end(), {"-genv", variable, value});
  out.insert(out.end(), rest.begin(), rest.end());
  return out;
}

Words slurm_words(const Words& words, const RankSettings& settings, Environment& environment) {
  // For srun a comma would end a value. So the values are set in srun's own environment, and only their names
  // are listed.
  std::string names = fmt::format(
      "{}={}", preload_name, joined_preload(environment.get(preload_name).value_or(""), settings.library));
  for (const auto& [variable, value] : settings.variables) {
    environment.set(variable, value);
    names += fmt::format(",{}", variable);
  }
  Words out = {words[0]};
  bool amended = false;
  for (size_t i = 1; i < words.size(); ++i) {
    out.push_back(words[i]);
    if (!is_option(words[i])) {
      out.insert(out.end(), words.begin() + static_cast<long>(i) + 1, words.end());
      break;
    }
    const size_t values = std::min(values_of_option(words[i], LauncherKind::slurm), words.size() - i - 1);
    if (words[i].compare(0, 9, "--export=") == 0) {
      out.back() += fmt::format(",{}", names);
      amended = true;
    }
    for (size_t v = 1; v <= values; ++v) {
      out.push_back(words[i + v]);
      if (words[i] == "--export") {
        out.back() += fmt::format(",{}", names);
        amended = true;
      }
    }
    i += values;
  }
  if (!amended) out.insert(out.begin() + 1, fmt::format("--export=ALL,{}", names));
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

LauncherKind launcher_kind(std::string_view word, std::string_view version_text) {
  if (base_name(word) == "srun") return LauncherKind::slurm;
  const auto version = version_of_text(version_text);
  if (!version) return LauncherKind::other;
  return version->family == Family::openmpi ? LauncherKind::openmpi : LauncherKind::hydra;
}

std::vector<std::vector<size_t>> program_candidates(const Words& words, LauncherKind kind) {
  std::vector<std::vector<size_t>> all;
  for (const auto& [begin, end] : parts(words, kind)) {
    std::vector<size_t> candidates;
    for (size_t i = begin; i < end; ++i) {
      if (is_option(words[i])) {
        i += values_of_option(words[i], kind);
      } else {
        candidates.push_back(i);
      }
    }
    all.push_back(candidates);
  }
  return all;
}

Words with_rank_settings(const Words& words, LauncherKind kind, const RankSettings& settings,
                         Environment& environment) {
  switch (kind) {
    case LauncherKind::openmpi:
      return openmpi_words(words, settings, environment);
    case LauncherKind::hydra:
      return hydra_words(words, settings, environment);
    case LauncherKind::slurm:
      return slurm_words(words, settings, environment);
    case LauncherKind::other:
      break;
  }
  set_in_environment(settings, environment);
  return words;
}

void set_in_environment(const RankSettings& settings, Environment& environment) {
  environment.append(preload_name, settings.library, ':');
  for (const auto& [variable, value] : settings.variables) environment.set(variable, value);
}

}  // namespace concilio::tools
