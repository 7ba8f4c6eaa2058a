#include "launch/installation.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <sstream>

#include "base/system/descriptor.h"
#include "system/process.h"

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
  // The dynamic loader would take a path with a space or a colon for several libraries.
  if (library && library->find_first_of(" :") != std::string::npos)
    return Error{ErrorKind::bad_file, EINVAL,
                 fmt::format("{} cannot be preloaded, because its name has a space or a colon; set "
                             "CONCILIO_LIBDIR to a link to its folder whose name has none",
                             *library)};
  return library;
}

namespace {

// The text after the mark in a library's file, such as "openmpi 4.1.4". Empty if the file has no mark. Of a
// library that holds what debuggers need, the mark is in a small part, so the file is not read but mapped.
std::string built_for(const std::string& library) {
  static constexpr std::string_view mark = "concilio-built-for: ";
  const Descriptor file(open(library.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status;
  if (!file || fstat(file.number(), &status) != 0 || status.st_size == 0) return "";
  const auto bytes = static_cast<size_t>(status.st_size);
  void* mapped = mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, file.number(), 0);
  if (mapped == MAP_FAILED) return "";
  const std::string_view text(static_cast<const char*>(mapped), bytes);
  const size_t place = text.find(mark);
  std::string found;
  if (place != std::string_view::npos) {
    const std::string_view rest = text.substr(place + mark.size());
    found = rest.substr(0, rest.find('\0'));
  }
  munmap(mapped, bytes);
  return found;
}

Installed examine(Flavour flavour, const std::string& path) {
  Installed installed;
  installed.flavour = flavour;
  installed.path = path;
  std::istringstream words(built_for(path));
  std::string interface;
  MpiVersion version;
  words >> interface >> version.number;
  version.family = interface == "openmpi" ? Family::openmpi : Family::mpich;
  std::from_chars(version.number.data(), version.number.data() + version.number.size(), version.major);
  installed.mpi.interface = interface == "openmpi" ? Interface::openmpi
                            : interface == "mpich" ? Interface::mpich
                            : interface == "abi"   ? Interface::abi
                                                   : Interface::other;
  installed.mpi.version = version;
  return installed;
}

// Asks the dynamic loader, which takes as long as a small program runs.
void find_linked(Installed& installed, const Environment& environment) {
  const auto linked = mpi_library_of_file(installed.path, environment);
  if (!linked) return;
  installed.mpi.name = linked->name;
  installed.mpi.path = linked->path;
}

bool same_major(const std::optional<MpiVersion>& one, const std::optional<MpiVersion>& other) {
  if (!one || !other || one->major == 0 || other->major == 0) return true;
  return one->major == other->major;
}

// MPICH has kept its interface since MPICH 4; Open MPI changes it with each major version.
bool same_interface(const std::optional<MpiVersion>& one, const std::optional<MpiVersion>& other) {
  if (same_major(one, other)) return true;
  return one->family == Family::mpich && other->family == Family::mpich && one->major >= 4 &&
         other->major >= 4;
}

bool serves(const Installed& installed, const MpiLibrary& mpi) {
  if (!installed.mpi.name.empty() && installed.mpi.name != mpi.name) return false;
  return mpi.interface == Interface::abi || same_interface(installed.mpi.version, mpi.version);
}

// Leaves only the libraries that `better` holds for, unless it holds for none.
void prefer(std::vector<Installed>& fitting, const std::function<bool(const Installed&)>& better) {
  if (std::any_of(fitting.begin(), fitting.end(), better)) std::erase_if(fitting, std::not_fn(better));
}

// The usual name of an MPI's library.
Flavour usual_flavour(const MpiLibrary& mpi) {
  const int major = mpi.version ? mpi.version->major : 0;
  if (mpi.interface == Interface::abi) return Flavour::mpiabi;
  if (mpi.interface == Interface::openmpi) return major >= 5 ? Flavour::openmpi5 : Flavour::openmpi;
  // Of MPICH, the library's name decides, where it is known.
  if (mpi.name.starts_with("libmpich.so")) return Flavour::mpich;
  return mpi.name.starts_with("libmpi.so") || major >= 5 ? Flavour::mpich5 : Flavour::mpich;
}

std::string list_of(const std::vector<Installed>& all) {
  std::vector<std::string> names;
  names.reserve(all.size());
  for (const Installed& installed : all) names.push_back(installed.described());
  return fmt::format("{}", fmt::join(names, ", "));
}

// The compiler wrapper that belongs to an MPI library, or how the user can name it.
std::string wrapper_of(const MpiLibrary& mpi) {
  const char* word = mpi.interface == Interface::abi ? "mpicc_abi" : "mpicc";
  const fs::path guess = fs::path(mpi.path).parent_path() / ".." / "bin" / word;
  if (!mpi.path.empty() && access(guess.c_str(), X_OK) == 0) return guess.lexically_normal().string();
  return fmt::format("/path/to/its/{}", word);
}

Error no_library(const MpiLibrary& mpi, const std::vector<Installed>& all) {
  return {ErrorKind::unsupported, 0,
          fmt::format("Concilio has no library for {}, only for {}; build it with "
                      "-DCONCILIO_MPIS=\"auto;{}:{}\", or run the program with one of those MPIs",
                      mpi.described(), list_of(all), flavour_word(usual_flavour(mpi)), wrapper_of(mpi))};
}

// One of the libraries that fit the MPI. Several do only if its version is not known.
Result<Installed> the_one_of(const std::vector<Installed>& fitting, const MpiLibrary& mpi,
                             const std::vector<Installed>& all, const Environment& environment) {
  if (fitting.size() == 1) return fitting[0];
  if (fitting.size() > 1)
    return Error{ErrorKind::unsupported, 0,
                 fmt::format("it is unknown which version of {} the program has, and there are libraries for "
                             "{}; choose one by --mpi {} or --mpi {}",
                             mpi.name, list_of(fitting), flavour_word(fitting[0].flavour),
                             flavour_word(fitting[1].flavour))};
  const auto usual = find_library(usual_flavour(mpi), environment);
  // If there is no library at all, or none that can be preloaded, that error tells the user more.
  if (all.empty() && !usual) return usual.error();
  return no_library(mpi, all);
}

}  // namespace

std::string Installed::described() const {
  if (mpi.interface == Interface::abi)
    return fmt::format("{} ({})", flavour_word(flavour), flavour_name(flavour));
  if (!mpi.version || mpi.version->number.empty()) return flavour_word(flavour);
  return fmt::format("{} ({} {})", flavour_word(flavour), family_name(mpi.version->family),
                     mpi.version->number);
}

std::vector<Installed> installed_libraries(const Environment& environment) {
  std::vector<Installed> all;
  for (const Flavour flavour : all_flavours) {
    const auto path = find_library(flavour, environment);
    if (path) all.push_back(examine(flavour, *path));
  }
  return all;
}

Result<Installed> library_for(const MpiLibrary& mpi, const Environment& environment) {
  const auto all = installed_libraries(environment);
  std::vector<Installed> fitting;
  for (const Installed& installed : all) {
    if (installed.mpi.interface == mpi.interface && mpi.interface != Interface::other)
      fitting.push_back(installed);
  }
  for (Installed& installed : fitting) find_linked(installed, environment);
  std::erase_if(fitting, [&](const Installed& installed) { return !serves(installed, mpi); });
  prefer(fitting, [&](const Installed& installed) { return same_major(installed.mpi.version, mpi.version); });
  return the_one_of(fitting, mpi, all, environment);
}

Result<Installed> library_for(const MpiVersion& version, const Environment& environment) {
  const auto all = installed_libraries(environment);
  std::vector<Installed> fitting;
  for (const Installed& installed : all) {
    // An MPI of the standard's ABI names itself so.
    if (installed.mpi.interface == Interface::abi || installed.mpi.version->family != version.family)
      continue;
    if (same_interface(installed.mpi.version, version)) fitting.push_back(installed);
  }
  for (Installed& installed : fitting) find_linked(installed, environment);
  // The program's MPI is some MPI of this machine, and likelier of the very version.
  prefer(fitting, [](const Installed& installed) { return !installed.mpi.path.empty(); });
  prefer(fitting, [&](const Installed& installed) { return same_major(installed.mpi.version, version); });
  MpiLibrary wanted;
  wanted.name = family_name(version.family);
  wanted.interface = version.family == Family::openmpi ? Interface::openmpi : Interface::mpich;
  wanted.version = version;
  return the_one_of(fitting, wanted, all, environment);
}

namespace {

Result<std::string> find_program(const std::string& name, const Environment& environment) {
  const fs::path prefix = folder_of_this_executable() / "..";
  return find_part(name, environment.get("CONCILIO_LIBEXECDIR"),
                   {prefix / "libexec" / "concilio", prefix / CONCILIO_INSTALL_LIBEXECDIR / "concilio"},
                   "CONCILIO_LIBEXECDIR");
}

}  // namespace

Result<std::string> find_bench_program(Flavour flavour, const Environment& environment) {
  return find_program(fmt::format("concilio-bench-{}", flavour_word(flavour)), environment);
}

Result<std::string> find_scorpio_bench_program(Flavour flavour, const Environment& environment) {
  const std::string name = fmt::format("concilio-scorpio-bench-{}", flavour_word(flavour));
  auto program = find_program(name, environment);
  // Concilio is installed for this MPI, so it was built without SCORPIO.
  const auto other = find_bench_program(flavour, environment);
  if (!program && other)
    return Error{ErrorKind::no_such_file, ENOENT,
                 fmt::format("{} is not in {}: this Concilio was built without SCORPIO for {}, which needs a "
                             "parallel HDF5 of that MPI (known to pkg-config as hdf5-{})",
                             name, fs::path(*other).parent_path().string(), flavour_name(flavour),
                             flavour_word(flavour))};
  return program;
}

Result<std::string> find_measured_program(const std::string& name, const Environment& environment) {
  return find_program("concilio-program-" + name, environment);
}

Result<std::string> find_probe_program(Flavour flavour, const Environment& environment) {
  return find_program(fmt::format("concilio-probe-{}", flavour_word(flavour)), environment);
}

Result<std::string> find_simulated_bench_program(const Environment& environment) {
  auto program = find_program("concilio-bench-smpi", environment);
  if (program) return program;
  return Error{
      ErrorKind::no_such_file, ENOENT,
      "this Concilio was built without SimGrid's SMPI, which runs the ranks: install Debian's package "
      "libsimgrid-dev and build again with -DCONCILIO_SMPI=ON, or set CONCILIO_LIBEXECDIR to the folder of "
      "concilio-bench-smpi"};
}

Result<std::string> find_simulator_launcher(const Environment& environment) {
  for (const std::string& word : {std::string(CONCILIO_LAUNCHER_SMPI), std::string("smpirun")}) {
    if (const auto found = environment.find_executable(word)) return *found;
  }
  return Error{ErrorKind::no_such_file, ENOENT,
               "found no smpirun, SimGrid's launcher; install Debian's package libsimgrid-dev"};
}

namespace {

std::vector<fs::path> folders_of_machines() {
  const fs::path prefix = folder_of_this_executable() / "..", machines = fs::path("concilio") / "machines";
  return {prefix / "share" / machines, prefix / CONCILIO_INSTALL_DATADIR / machines};
}

}  // namespace

std::optional<std::string> find_machine_file(const std::string& name) {
  for (const fs::path& folder : folders_of_machines()) {
    const fs::path path = (folder / (name + ".json")).lexically_normal();
    if (access(path.c_str(), R_OK) == 0) return path.string();
  }
  return std::nullopt;
}

std::vector<std::string> machine_names() {
  std::set<std::string> names;
  for (const fs::path& folder : folders_of_machines()) {
    std::error_code failed;
    for (const auto& entry : fs::directory_iterator(folder, failed)) {
      if (entry.path().extension() == ".json") names.insert(entry.path().stem().string());
    }
  }
  return {names.begin(), names.end()};
}

namespace {

// Where pip puts packages, if it has installed this command too: lib/python3.11/site-packages, the same in
// lib64, or with Debian's own Python dist-packages.
std::vector<fs::path> folders_of_pip(const fs::path& prefix) {
  std::set<fs::path> found;
  for (const char* lib : {"lib", "lib64"}) {
    std::error_code failed;
    for (const auto& entry : fs::directory_iterator(prefix / lib, failed)) {
      if (!entry.path().filename().string().starts_with("python3")) continue;
      for (const char* packages : {"site-packages", "dist-packages"}) {
        if (fs::is_directory(entry.path() / packages, failed)) found.insert(entry.path() / packages);
      }
    }
  }
  return {found.begin(), found.end()};
}

}  // namespace

Result<std::string> find_python_package(const Environment& environment) {
  const fs::path prefix = folder_of_this_executable() / "..";
  const fs::path python = fs::path("concilio") / "python";
  std::vector<fs::path> folders = {prefix / "lib" / python, prefix / CONCILIO_INSTALL_LIBDIR / python};
  const auto of_pip = folders_of_pip(prefix);
  folders.insert(folders.end(), of_pip.begin(), of_pip.end());
  const auto main = find_part("concilio/study/__main__.py", environment.get("CONCILIO_PYTHONDIR"), folders,
                              "CONCILIO_PYTHONDIR");
  if (!main) return main.error();
  return fs::path(*main).parent_path().string();
}

Words pythons(const Environment& environment) {
  if (const auto chosen = environment.get("CONCILIO_PYTHON")) return {*chosen};
  return {(folder_of_this_executable() / "python3").string(), "/usr/bin/python3", "python3"};
}

namespace {

// The version of the MPI that programs with this library load here.
std::optional<MpiVersion> version_here(Flavour flavour, const Environment& environment) {
  const auto library = find_library(flavour, environment);
  const auto mpi = library ? mpi_library_of_file(*library, environment) : std::nullopt;
  return mpi && !mpi->path.empty() ? version_of_library(mpi->path) : std::nullopt;
}

// Whether a launcher of a general name says that it is of this MPI.
bool is_launcher_of(Flavour flavour, const std::string& path, const Environment& environment) {
  const auto said = capture({path, "--version"}, environment, 20);
  const auto version = said ? version_of_text(said->output + said->errors) : std::nullopt;
  if (!version || version->major == 0 || version->family != usual_family(flavour)) return false;
  if (flavour == Flavour::openmpi || flavour == Flavour::openmpi5)
    return (version->major >= 5) == (flavour == Flavour::openmpi5);
  // Both of MPICH's libraries serve several versions.
  const auto here = version_here(flavour, environment);
  return here && here->number == version->number;
}

}  // namespace

Result<std::string> find_launcher(Flavour flavour, const Environment& environment) {
  if (const auto chosen = environment.get("CONCILIO_MPIRUN")) {
    const auto path = environment.find_executable(*chosen);
    if (!path)
      return Error{ErrorKind::no_such_file, ENOENT,
                   fmt::format("CONCILIO_MPIRUN={} is not an executable file", *chosen)};
    // A launcher that is known to belong to another MPI is not meant for this one.
    const auto version = capture({*path, "--version"}, environment, 20);
    const auto its = version ? version_of_text(version->output + version->errors) : std::nullopt;
    if (!its || its->family == usual_family(flavour)) return *path;
  }
  // In a virtual environment, the MPI may be beside Concilio.
  const std::string beside = (folder_of_this_executable() / "mpirun").string();
  if (environment.find_executable(beside) && is_launcher_of(flavour, beside, environment)) return beside;
  static const std::map<Flavour, std::string> built_with = {{Flavour::openmpi, CONCILIO_LAUNCHER_OPENMPI},
                                                            {Flavour::mpich, CONCILIO_LAUNCHER_MPICH},
                                                            {Flavour::openmpi5, CONCILIO_LAUNCHER_OPENMPI5},
                                                            {Flavour::mpich5, CONCILIO_LAUNCHER_MPICH5},
                                                            {Flavour::mpiabi, CONCILIO_LAUNCHER_MPIABI}};
  for (const std::string& word : {built_with.at(flavour), fmt::format("mpirun.{}", flavour_word(flavour))}) {
    if (const auto found = environment.find_executable(word)) return *found;
  }
  // The MPI may be that of a module that is loaded.
  const auto in_path = environment.find_executable("mpirun");
  if (in_path && is_launcher_of(flavour, *in_path, environment)) return *in_path;
  return Error{ErrorKind::no_such_file, ENOENT,
               fmt::format("found no mpirun of {}; install it, or set CONCILIO_MPIRUN to its path",
                           flavour_name(flavour))};
}

}  // namespace concilio::tools
