#include "launch/detect.h"

#include <fmt/format.h>

#include <filesystem>
#include <functional>

#include "launch/installation.h"
#include "launch/program.h"

namespace concilio::tools {

namespace {

constexpr double version_timeout_seconds = 20;

Error unsupported(std::string message) {
  return {ErrorKind::unsupported, 0, std::move(message)};
}

// One of the words of a command.
struct ProgramWord {
  size_t place = 0;
  Program program;
};

// Finds the program among the words at `candidates`, which `inspect` looks at. It is the first word that is
// an executable file. But if that file has no MPI and a later word does, it is the later word, since the
// first one may be the value of an option that is not known here.
std::optional<ProgramWord> choose_program(const std::vector<size_t>& candidates,
                                          const std::function<std::optional<Program>(size_t)>& inspect) {
  std::optional<ProgramWord> first;
  for (const size_t i : candidates) {
    auto program = inspect(i);
    if (!program) continue;
    const bool has_mpi = program->kind == Program::Kind::has_mpi;
    if (has_mpi || !first) first = ProgramWord{i, std::move(*program)};
    if (has_mpi) break;
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

Result<Detection> with_library(const Installed& installed, const MpiLibrary& mpi) {
  Detection detection;
  detection.flavour = installed.flavour;
  detection.preload = installed.path;
  std::error_code failed;
  const bool same = std::filesystem::equivalent(installed.mpi.path, mpi.path, failed);
  if (mpi.path.empty() || same) return detection;
  // Left out, it would let a second MPI library into the process.
  if (!can_be_preloaded(mpi.path))
    return unsupported(
        fmt::format("the program's MPI library {} cannot be preloaded, because its name has a space or a "
                    "colon; let the program find it by a link to its folder whose name has none "
                    "(LD_LIBRARY_PATH)",
                    mpi.path));
  detection.preload += ":" + mpi.path;
  return detection;
}

// Handles of one MPI mean nothing to the library of another, so a choice by hand that does not fit a program
// whose MPI is known is refused.
Status check_chosen(Flavour chosen, const Program& program, const Environment& environment) {
  if (!program.mpi) return {};
  const auto library = library_for(*program.mpi, environment);
  if (!library || library->flavour == chosen) return {};
  return unsupported(fmt::format("{}, so --mpi {} does not fit; leave --mpi out, or name {}",
                                 program.sentence(), flavour_word(chosen), flavour_word(library->flavour)));
}

Result<Detection> with_chosen(Flavour chosen, const std::vector<Program>& programs,
                              const Environment& environment) {
  for (const Program& program : programs) {
    if (const Status fits = check_chosen(chosen, program, environment); !fits) return fits.error();
  }
  const auto library = find_library(chosen, environment);
  if (!library) return unsupported(library.error().message);
  Detection detection;
  detection.flavour = chosen;
  detection.preload = *library;
  return detection;
}

// What holds for programs however their library was chosen.
void add_what_programs_need(const std::vector<Program>& programs, Detection& detection) {
  for (const Program& program : programs) {
    if (!program.runtime_before_others.empty() &&
        detection.preload.find(program.runtime_before_others) == std::string::npos)
      detection.preload = program.runtime_before_others + ":" + detection.preload;
    if (std::filesystem::path(program.path).filename().string().starts_with("julia"))
      detection.notes.push_back(
          fmt::format("{} looks MPI's functions up in the MPI library itself, so calls of Julia code are not "
                      "taken over",
                      program.path));
  }
}

// The library for the programs of one launch, which need the same MPI. Where a program's loader finds no MPI
// library, as the launcher alone sets the ranks' LD_LIBRARY_PATH, the launcher tells the version.
Result<Detection> of_programs(const std::vector<Program>& programs,
                              const std::optional<MpiVersion>& of_launcher, const std::string& launcher,
                              const Environment& environment) {
  const Program* first = nullptr;
  std::optional<Installed> fits;
  for (const Program& program : programs) {
    auto mpi = mpi_of(program);
    if (!mpi) return mpi.error();
    if (!mpi->has_value()) continue;
    if (of_launcher) {
      if (auto status = check_launcher(program, of_launcher->family, launcher); !status)
        return status.error();
      if (!(*mpi)->version && family_of(**mpi) == of_launcher->family) (*mpi)->version = of_launcher;
    }
    const auto library = library_of(program, **mpi, environment);
    if (!library) return library.error();
    if (fits && fits->flavour != library->flavour) {
      return unsupported(fmt::format("{}, but {}; all programs of one launch need the same MPI",
                                     first->sentence(), program.sentence()));
    }
    if (!first) first = &program;
    fits = *library;
  }
  if (fits) return with_library(*fits, *first->mpi);
  if (!of_launcher) {
    return unsupported(
        fmt::format("neither {} nor the program it starts tells which MPI it is; name it by --mpi {}",
                    launcher, flavour_words()));
  }
  const auto library = library_of_launcher(*of_launcher, environment);
  if (!library) return library.error();
  return with_library(*library, {});
}

Result<Detection> detect_under_launcher(const Words& words, size_t place, const Environment& environment,
                                        std::optional<Flavour> chosen) {
  const std::string& launcher = words[place];
  std::string version_text;
  if (const auto version = capture({launcher, "--version"}, environment, version_timeout_seconds))
    version_text = version->output + version->errors;
  LauncherLine line{words, place, launcher_kind(launcher, version_text), {}};
  std::vector<Program> programs;
  for (const auto& candidates : program_candidates(line)) {
    const auto found = choose_program(candidates, [&](size_t program) {
      return inspect_command(words, program, environment_of_ranks(line, program, environment),
                             folder_of_ranks(line, program));
    });
    line.programs.push_back(found ? found->place : candidates.empty() ? words.size() : candidates.front());
    if (found) programs.push_back(found->program);
  }
  // srun starts programs of any MPI.
  const auto of_launcher =
      line.kind == LauncherKind::slurm ? std::optional<MpiVersion>() : version_of_text(version_text);
  auto detection = chosen ? with_chosen(*chosen, programs, environment)
                          : of_programs(programs, of_launcher, launcher, environment);
  if (!detection) return detection;
  add_what_programs_need(programs, *detection);
  detection->launcher = std::move(line);
  return detection;
}

// The library for a program that is started without a launcher, or by one that started this command.
Result<Detection> of_program_alone(const Program& program, const Environment& environment) {
  const auto mpi = mpi_of(program);
  if (!mpi) return mpi.error();
  const auto outer = running_launcher(environment);
  const bool launcher_tells = outer && outer->family;
  if (!mpi->has_value()) {
    if (!launcher_tells) {
      const char* why = program.is_python ? "finds no mpi4py, petsc4py, h5py or netCDF4 that loads MPI"
                                          : "is a script or starts other programs";
      return unsupported(
          fmt::format("{} {}, so its MPI is unknown; put mpirun before it, or name the MPI by --mpi {}",
                      program.path, why, flavour_words()));
    }
    const auto library = library_of_launcher(MpiVersion{*outer->family, 0, ""}, environment);
    if (!library) return library.error();
    return with_library(*library, {});
  }
  const auto its = family_of(**mpi);
  if (launcher_tells && its && *its != *outer->family)
    return unsupported(fmt::format("{}, but was started by a launcher of {}; start it with mpirun.{}",
                                   program.sentence(), family_name(*outer->family), family_word(*its)));
  const auto library = library_of(program, **mpi, environment);
  if (!library) return library.error();
  return with_library(*library, **mpi);
}

Result<Detection> detect_program_alone(const Words& words, const Environment& environment,
                                       std::optional<Flavour> chosen) {
  // If a wrapper such as numactl comes first, the real program is one of the words after it.
  std::vector<size_t> candidates = {0};
  if (inspect_program(*environment.find_executable(words[0]), environment).kind ==
      Program::Kind::starts_others) {
    for (size_t i = 1; i < words.size(); ++i) candidates.push_back(i);
  }
  const auto inspect = [&](size_t place) { return inspect_command(words, place, environment); };
  const std::vector<Program> programs = {choose_program(candidates, inspect)->program};
  auto detection =
      chosen ? with_chosen(*chosen, programs, environment) : of_program_alone(programs.front(), environment);
  if (detection) add_what_programs_need(programs, *detection);
  return detection;
}

}  // namespace

Result<Detection> detect(const Words& words, const Environment& environment, std::optional<Flavour> chosen) {
  if (!environment.find_executable(words.at(0))) return command_not_found(words[0]);
  const auto launcher = place_of_launcher(words, environment);
  return launcher ? detect_under_launcher(words, *launcher, environment, chosen)
                  : detect_program_alone(words, environment, chosen);
}

}  // namespace concilio::tools
