#include "installation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <filesystem>
#include <vector>

#include "process.h"

namespace concilio::tools {

namespace fs = std::filesystem;

namespace {

fs::path folder_of_this_executable() {
  std::error_code failed;
  const fs::path self = fs::read_symlink("/proc/self/exe", failed);
  return failed ? fs::path(".") : self.parent_path();
}

Result<std::string> find_part(const std::string& name, const std::optional<std::string>& chosen_folder,
                              const std::vector<fs::path>& usual_folders, const std::string& variable) {
  const std::vector<fs::path> folders =
      chosen_folder ? std::vector<fs::path>{fs::path(*chosen_folder)} : usual_folders;
  std::vector<std::string> looked;
  for (const fs::path& folder : folders) {
    std::error_code failed;
    const fs::path candidate = fs::absolute(folder / name, failed).lexically_normal();
    if (access(candidate.c_str(), R_OK) == 0) return candidate.string();
    looked.push_back(candidate.parent_path().string());
  }
  return Error{
      ErrorKind::no_such_file, ENOENT,
      fmt::format("{} is not in {}; install Concilio for this MPI, or set {} to the folder that holds it",
                  name, fmt::join(looked, ", "), variable)};
}

}  // namespace

Result<std::string> find_library(Flavour flavour, const Environment& environment) {
  const fs::path prefix = folder_of_this_executable() / "..";
  auto library = find_part(
      fmt::format("libconcilio-{}.so", flavour_word(flavour)), environment.get("CONCILIO_LIBDIR"),
      {prefix / "lib" / "concilio", prefix / CONCILIO_INSTALL_LIBDIR / "concilio"}, "CONCILIO_LIBDIR");
  // The dynamic loader would take the parts for several libraries.
  if (library && library->find_first_of(" :") != std::string::npos)
    return Error{
        ErrorKind::bad_file, EINVAL,
        fmt::format("{} cannot be preloaded, as its name has a space or a colon; set CONCILIO_LIBDIR to "
                    "a link to its folder that has none",
                    *library)};
  return library;
}

Result<std::string> find_bench_program(Flavour flavour, const Environment& environment) {
  const fs::path prefix = folder_of_this_executable() / "..";
  return find_part(fmt::format("concilio-bench-{}", flavour_word(flavour)),
                   environment.get("CONCILIO_LIBEXECDIR"),
                   {prefix / "libexec" / "concilio", prefix / CONCILIO_INSTALL_LIBEXECDIR / "concilio"},
                   "CONCILIO_LIBEXECDIR");
}

Result<std::string> find_launcher(Flavour flavour, const Environment& environment) {
  if (const auto chosen = environment.get("CONCILIO_MPIRUN")) {
    const auto path = environment.find_executable(*chosen);
    if (!path)
      return Error{ErrorKind::no_such_file, ENOENT,
                   fmt::format("CONCILIO_MPIRUN={} is no executable file", *chosen)};
    // One that is known to be another MPI's is not meant for this one.
    const auto version = capture({*path, "--version"}, environment, 20);
    const auto its = version ? flavour_of_version_text(version->output + version->errors) : std::nullopt;
    if (!its || *its == flavour) return *path;
  }
  const std::string built_with =
      flavour == Flavour::openmpi ? CONCILIO_LAUNCHER_OPENMPI : CONCILIO_LAUNCHER_MPICH;
  for (const std::string& word : {built_with, fmt::format("mpirun.{}", flavour_word(flavour))}) {
    if (const auto found = environment.find_executable(word)) return *found;
  }
  return Error{ErrorKind::no_such_file, ENOENT,
               fmt::format("no mpirun of {} found; install it, or set CONCILIO_MPIRUN to its path",
                           flavour_name(flavour))};
}

}  // namespace concilio::tools
