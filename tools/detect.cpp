#include "detect.h"

#include <fmt/format.h>

#include "program.h"

namespace concilio::tools {

namespace {

constexpr double version_timeout_seconds = 20;

// The program of one part of a command line: the first word that is an executable file; if that has no MPI
// but a later word does, that one, since the first may have been the value of an option not known here.
std::optional<Program> choose_program(const Words& words, const std::vector<size_t>& candidates,
                                      const Environment& environment) {
  std::optional<Program> first;
  for (const size_t i : candidates) {
    const auto path = environment.find_executable(words[i]);
    if (!path) continue;
    Program program = inspect_program(*path, environment);
    if (program.kind == Program::Kind::linked_with_mpi) return program;
    if (!first) first = std::move(program);
  }
  return first;
}

Error unserved(const Program& program) {
  return {
      ErrorKind::unsupported, 0,
      fmt::format("{} is linked with {}, an MPI library that Concilio does not serve; build it with Open MPI "
                  "(libmpi.so.40) or MPICH (libmpich.so.12, libmpi.so.12)",
                  program.path, program.mpi->name)};
}

Error mismatch_with_launcher(const Program& program, Flavour of_program, const std::string& launcher,
                             Flavour of_launcher) {
  return {
      ErrorKind::unsupported, 0,
      fmt::format(
          "{} is linked with {} ({}), but {} starts programs of {}; use the launcher of {} (mpirun.{}), or "
          "build the program with {}",
          program.path, flavour_name(of_program), program.mpi->name, launcher, flavour_name(of_launcher),
          flavour_name(of_program), flavour_word(of_program), flavour_name(of_launcher))};
}

// The flavour that the program says it has; none where it cannot say.
Result<std::optional<Flavour>> flavour_of_program(const Program& program) {
  using Answer = std::optional<Flavour>;
  switch (program.kind) {
    case Program::Kind::linked_with_mpi:
      if (!program.mpi->flavour) return unserved(program);
      return Answer(program.mpi->flavour);
    case Program::Kind::statically_linked:
      return Error{
          ErrorKind::unsupported, 0,
          fmt::format("{} is statically linked, so nothing can be preloaded into it; link it dynamically",
                      program.path)};
    case Program::Kind::without_mpi:
      return Error{
          ErrorKind::unsupported, 0,
          fmt::format("{} is not linked with MPI, so there is no MPI-IO to take over; if it loads MPI while "
                      "it runs, or starts the real program, say which MPI: --mpi openmpi or --mpi mpich",
                      program.path)};
    case Program::Kind::starts_others:
      break;
  }
  return Answer();
}

Result<Detection> detect_under_launcher(const Words& words, const Environment& environment,
                                        std::optional<Flavour> chosen) {
  std::string version_text;
  if (const auto version = capture({words[0], "--version"}, environment, version_timeout_seconds))
    version_text = version->output + version->errors;
  Detection detection;
  detection.launcher = launcher_kind(words[0], version_text);
  if (chosen) {
    detection.flavour = *chosen;
    return detection;
  }
  const auto of_launcher = flavour_of_version_text(version_text);
  bool known = of_launcher.has_value() && detection.launcher != LauncherKind::slurm;
  if (known) detection.flavour = of_launcher.value();
  for (const auto& candidates : program_candidates(words, *detection.launcher)) {
    const auto program = choose_program(words, candidates, environment);
    if (!program) continue;
    const auto flavour = flavour_of_program(*program);
    if (!flavour) return flavour.error();
    if (!flavour->has_value()) continue;
    const Flavour its = flavour->value();
    if (known && detection.flavour != its)
      return mismatch_with_launcher(*program, its, words[0], detection.flavour);
    detection.flavour = its;
    known = true;
  }
  if (known) return detection;
  return Error{
      ErrorKind::unsupported, 0,
      fmt::format("neither {} nor the program it starts says which MPI it is; say it: --mpi openmpi or "
                  "--mpi mpich",
                  words[0])};
}

Result<Detection> detect_program_alone(const Words& words, const Environment& environment,
                                       std::optional<Flavour> chosen) {
  Detection detection;
  if (chosen) {
    detection.flavour = *chosen;
    return detection;
  }
  std::optional<Flavour> found = flavour_of_running_launcher(environment);
  Program program = inspect_program(*environment.find_executable(words[0]), environment);
  if (program.kind == Program::Kind::starts_others && !found) {
    // A wrapper such as numactl: the real program is one of its words.
    for (size_t i = 1; i < words.size(); ++i) {
      const auto path = environment.find_executable(words[i]);
      if (!path) continue;
      Program inner = inspect_program(*path, environment);
      if (inner.kind == Program::Kind::linked_with_mpi) {
        program = std::move(inner);
        break;
      }
    }
  }
  const auto flavour = flavour_of_program(program);
  if (!flavour) return flavour.error();
  if (found && *flavour && *found != **flavour) {
    return Error{
        ErrorKind::unsupported, 0,
        fmt::format("{} is linked with {} ({}), but was started by a launcher of {}; start it with mpirun.{}",
                    program.path, flavour_name(**flavour), program.mpi->name, flavour_name(*found),
                    flavour_word(**flavour))};
  }
  if (*flavour) found = *flavour;
  if (!found) {
    return Error{
        ErrorKind::unsupported, 0,
        fmt::format("{} is a script or starts other programs, so its MPI is not known; put mpirun before it, "
                    "or say --mpi openmpi or --mpi mpich",
                    program.path)};
  }
  detection.flavour = *found;
  return detection;
}

}  // namespace

Result<Detection> detect(const Words& words, const Environment& environment, std::optional<Flavour> chosen) {
  if (!environment.find_executable(words.at(0)))
    return Error{ErrorKind::no_such_file, ENOENT, words[0] + ": command not found"};
  return is_launcher_name(words[0]) ? detect_under_launcher(words, environment, chosen)
                                    : detect_program_alone(words, environment, chosen);
}

}  // namespace concilio::tools
