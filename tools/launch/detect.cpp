#include "launch/detect.h"

#include <fmt/format.h>

#include <filesystem>

#include "launch/installation.h"
#include "launch/program.h"

namespace concilio::tools {

namespace {

constexpr double version_timeout_seconds = 20;

Error unsupported(std::string message) {
  return {ErrorKind::unsupported, 0, std::move(message)};
}

// Finds the program in one part of a command line. It is the first word that is an executable file. But if
// that file has no MPI and a later word does, it is the later word, since the first one may be the value of
// an option that is not known here.
std::optional<Program> choose_program(const Words& words, const std::vector<size_t>& candidates,
                                      const Environment& environment) {
  std::optional<Program> first;
  for (const size_t i : candidates) {
    auto program = inspect_command(words, i, environment);
    if (!program) continue;
    if (program->kind == Program::Kind::has_mpi) return program;
    if (!first) first = std::move(program);
  }
  return first;
}

Error unserved(const Program& program) {
  return unsupported(
      fmt::format("{}, an MPI library that Concilio does not support; build it with Open MPI (libmpi.so.40), "
                  "MPICH (libmpich.so.12, libmpi.so.12) or the MPI standard's ABI (libmpi_abi.so)",
                  program.sentence()));
}

// The MPI that a program loads, or none if it cannot be known.
Result<std::optional<MpiLibrary>> mpi_of(const Program& program) {
  using Answer = std::optional<MpiLibrary>;
  switch (program.kind) {
    case Program::Kind::has_mpi:
      if (program.mpi->interface == Interface::other) return unserved(program);
      return Answer(program.mpi);
    case Program::Kind::statically_linked:
      return unsupported(
          fmt::format("{} is statically linked, so no library can be preloaded into it; link it dynamically",
                      program.path));
    case Program::Kind::without_mpi:
      return unsupported(
          fmt::format("{} is not linked with MPI, so there is no MPI-IO to take over; if it loads MPI while "
                      "it runs, or starts the real program, name the MPI by --mpi {}",
                      program.path, flavour_words()));
    case Program::Kind::starts_others:
      break;
  }
  return Answer();
}

// Whose launcher a program needs. None for the standard's ABI, if the implementation behind it has not told
// its name.
std::optional<Family> family_of(const MpiLibrary& mpi) {
  if (mpi.interface == Interface::openmpi) return Family::openmpi;
  if (mpi.interface == Interface::mpich) return Family::mpich;
  if (mpi.version) return mpi.version->family;
  return std::nullopt;
}

// Finds the library for a program's MPI. If that library is missing, the error must not have the kind of a
// missing program.
Result<Installed> library_of(const Program& program, const MpiLibrary& mpi, const Environment& environment) {
  auto library = library_for(mpi, environment);
  if (library) return library;
  const std::string& through = program.module;
  return unsupported(fmt::format("{}{}: {}", program.path, through.empty() ? "" : ", through " + through,
                                 library.error().message));
}

Result<Installed> library_of_launcher(const MpiVersion& version, const Environment& environment) {
  auto library = library_for(version, environment);
  if (library) return library;
  return unsupported(library.error().message);
}

Status check_launcher(const Program& program, Family of_launcher, const std::string& launcher) {
  const auto its = family_of(*program.mpi);
  if (!its || *its == of_launcher) return {};
  return unsupported(
      fmt::format("{}, but {} starts programs of {}; use the launcher of {} (mpirun.{}), or build the "
                  "program with {}",
                  program.sentence(), launcher, family_name(of_launcher), family_name(*its),
                  family_word(*its), family_name(of_launcher)));
}

bool can_be_preloaded(const std::string& path) {
  return path.find_first_of(" :") == std::string::npos;
}

Detection with_library(const Installed& installed, const MpiLibrary& mpi) {
  Detection detection;
  detection.flavour = installed.flavour;
  detection.preload = installed.path;
  std::error_code failed;
  const bool same = std::filesystem::equivalent(installed.mpi.path, mpi.path, failed);
  if (!mpi.path.empty() && !same && can_be_preloaded(mpi.path)) detection.preload += ":" + mpi.path;
  return detection;
}

// Handles of one MPI mean nothing to the library of another, so a choice by hand that does not fit a program
// whose MPI is known is refused.
Status check_chosen(Flavour chosen, const std::optional<Program>& program, const Environment& environment) {
  if (!program || !program->mpi) return {};
  const auto library = library_for(*program->mpi, environment);
  if (!library || library->flavour == chosen) return {};
  return unsupported(fmt::format("{}, so --mpi {} does not fit; leave --mpi out, or name {}",
                                 program->sentence(), flavour_word(chosen), flavour_word(library->flavour)));
}

Result<Detection> with_chosen(Flavour chosen, const Environment& environment) {
  const auto library = find_library(chosen, environment);
  if (!library) return unsupported(library.error().message);
  Detection detection;
  detection.flavour = chosen;
  detection.preload = *library;
  return detection;
}

Result<Detection> detect_under_launcher(const Words& words, const Environment& environment,
                                        std::optional<Flavour> chosen) {
  std::string version_text;
  if (const auto version = capture({words[0], "--version"}, environment, version_timeout_seconds))
    version_text = version->output + version->errors;
  const LauncherKind kind = launcher_kind(words[0], version_text);
  const auto finish = [&](Result<Detection> found) {
    if (found) found->launcher = kind;
    return found;
  };
  if (chosen) {
    for (const auto& candidates : program_candidates(words, kind)) {
      const Status fits = check_chosen(*chosen, choose_program(words, candidates, environment), environment);
      if (!fits) return fits.error();
    }
    return finish(with_chosen(*chosen, environment));
  }

  std::optional<MpiVersion> of_launcher = version_of_text(version_text);
  if (kind == LauncherKind::slurm) of_launcher.reset();
  std::optional<Program> first;
  std::optional<Installed> fits;
  for (const auto& candidates : program_candidates(words, kind)) {
    auto program = choose_program(words, candidates, environment);
    if (!program) continue;
    const auto mpi = mpi_of(*program);
    if (!mpi) return mpi.error();
    if (!mpi->has_value()) continue;
    if (of_launcher) {
      if (auto status = check_launcher(*program, of_launcher->family, words[0]); !status)
        return status.error();
    }
    const auto library = library_of(*program, **mpi, environment);
    if (!library) return library.error();
    if (fits && fits->flavour != library->flavour) {
      return unsupported(fmt::format("{}, but {}; all programs of one launch need the same MPI",
                                     first->sentence(), program->sentence()));
    }
    if (!first) first = std::move(program);
    fits = *library;
  }
  if (fits) return finish(with_library(*fits, *first->mpi));
  if (!of_launcher) {
    return unsupported(
        fmt::format("neither {} nor the program it starts tells which MPI it is; name it by --mpi {}",
                    words[0], flavour_words()));
  }
  const auto library = library_of_launcher(*of_launcher, environment);
  if (!library) return library.error();
  return finish(with_library(*library, {}));
}

Result<Detection> detect_program_alone(const Words& words, const Environment& environment,
                                       std::optional<Flavour> chosen) {
  // If a wrapper such as numactl comes first, the real program is one of the words after it.
  std::vector<size_t> candidates = {0};
  if (inspect_program(*environment.find_executable(words[0]), environment).kind ==
      Program::Kind::starts_others) {
    for (size_t i = 1; i < words.size(); ++i) candidates.push_back(i);
  }
  const Program program = *choose_program(words, candidates, environment);
  if (chosen) {
    if (const Status fits = check_chosen(*chosen, program, environment); !fits) return fits.error();
    return with_chosen(*chosen, environment);
  }
  const auto mpi = mpi_of(program);
  if (!mpi) return mpi.error();
  const auto of_launcher = family_of_running_launcher(environment);
  if (!mpi->has_value()) {
    if (!of_launcher) {
      const char* why = program.is_python ? "finds no mpi4py, petsc4py, h5py or netCDF4 that loads MPI"
                                          : "is a script or starts other programs";
      return unsupported(
          fmt::format("{} {}, so its MPI is unknown; put mpirun before it, or name the MPI by --mpi {}",
                      program.path, why, flavour_words()));
    }
    const auto library = library_of_launcher(MpiVersion{*of_launcher, 0, ""}, environment);
    if (!library) return library.error();
    return with_library(*library, {});
  }
  if (of_launcher) {
    const auto its = family_of(**mpi);
    if (its && *its != *of_launcher)
      return unsupported(fmt::format("{}, but was started by a launcher of {}; start it with mpirun.{}",
                                     program.sentence(), family_name(*of_launcher), family_word(*its)));
  }
  const auto library = library_of(program, **mpi, environment);
  if (!library) return library.error();
  return with_library(*library, **mpi);
}

}  // namespace

Result<Detection> detect(const Words& words, const Environment& environment, std::optional<Flavour> chosen) {
  if (!environment.find_executable(words.at(0))) return command_not_found(words[0]);
  return is_launcher_name(words[0]) ? detect_under_launcher(words, environment, chosen)
                                    : detect_program_alone(words, environment, chosen);
}

}  // namespace concilio::tools
