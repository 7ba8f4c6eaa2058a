#include "launch/python.h"

#include <cctype>
#include <filesystem>
#include <sstream>

namespace concilio::tools {

namespace {

constexpr double probe_timeout_seconds = 30;

// Prints "extension FILE" for every extension module that may load MPI, the likeliest first, and "library
// FILE" for an MPI library that mpi4py itself would load by its name before that.
//
// mpi4py's wheels have one extension for each MPI. Which one, it decides in its module _mpiabi, that is run
// here alone: by MPI4PY_MPIABI, or by the first MPI library that it finds in its own list of folders.
constexpr const char* probe = R"(
import sys

# The program's folder is looked at, but none of its modules is taken for one of Python's own.
own_folder = not (sys.flags.isolated or getattr(sys.flags, "safe_path", False))
if own_folder:
    sys.path.pop(0)

import glob, os
from importlib.machinery import EXTENSION_SUFFIXES, PathFinder
from importlib.util import module_from_spec, spec_from_file_location

folder = sys.argv[1]
if own_folder:
    sys.path.insert(0, folder or os.getcwd())

def folders(package):
    path = None
    for name in package.split("."):
        spec = PathFinder.find_spec(name, path)
        if spec is None or not spec.submodule_search_locations:
            return []
        path = list(spec.submodule_search_locations)
    return path

def extensions(package, name):
    for folder in folders(package):
        for suffix in EXTENSION_SUFFIXES:
            file = os.path.join(folder, name + suffix)
            if os.path.isfile(file):
                yield file

def variants_of_mpi4py():
    for folder in folders("mpi4py"):
        rules = os.path.join(folder, "_mpiabi.py")
        if not os.path.isfile(rules):
            continue
        spec = spec_from_file_location("_mpiabi", rules)
        module = module_from_spec(spec)
        spec.loader.exec_module(module)
        abi = module._get_mpiabi()
        for file in extensions("mpi4py", "MPI." + abi):
            yield "extension", file
        with open("/proc/self/maps") as maps:
            files = {line.split(None, 5)[-1].rstrip("\n") for line in maps if "/" in line}
        for file in sorted(files):
            if os.path.basename(file).startswith(("libmpi.so", "libmpich.so", "libmpi_abi.so")):
                yield "library", file

found = [("extension", file) for file in extensions("mpi4py", "MPI")]
if not found:
    try:
        found = list(variants_of_mpi4py())
    except Exception as error:
        sys.stderr.write(str(error))
patterns = {"petsc4py": ["lib/*/PETSc.*.so", "lib/PETSc.*.so"], "h5py": ["_debian_h5py_mpi/h5.*.so", "h5.*.so"],
            "netCDF4": ["_netCDF4.*.so"]}
for package in sorted(patterns, key=["petsc4py", "h5py", "netCDF4"].index):
    for pattern in patterns[package]:
        for folder in folders(package):
            found += [("extension", file) for file in sorted(glob.glob(os.path.join(folder, pattern)))]
for kind, file in found:
    sys.stdout.write(kind + " " + file + "\n")
)";

// Those options of Python that change where modules are found, and the script or module that it runs.
struct PythonCommand {
  Words options;
  std::string folder;  // the folder of the script; empty: the working folder
};

PythonCommand parse(const Words& words) {
  PythonCommand command;
  for (size_t i = 1; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word.size() < 2 || word[0] != '-') {
      if (word == "-") break;
      std::error_code failed;
      const auto file = std::filesystem::weakly_canonical(word, failed);
      command.folder = (failed ? std::filesystem::path(word) : file).parent_path().string();
      break;
    }
    if (word[1] == '-') {
      if (word == "--check-hash-based-pycs") ++i;
      continue;
    }
    bool ends = false, takes_next = false;
    for (size_t letter = 1; letter < word.size() && !ends; ++letter) {
      const char option = word[letter];
      if (option == 'E' || option == 'I' || option == 's' || option == 'S' || option == 'P')
        command.options.push_back({'-', option});
      if (option != 'c' && option != 'm' && option != 'W' && option != 'X') continue;
      takes_next = letter + 1 == word.size();
      ends = true;
      if (option == 'c' || option == 'm') return command;
    }
    if (takes_next) ++i;
  }
  return command;
}

}  // namespace

bool is_python_name(std::string_view name) {
  for (const std::string_view prefix : {"python", "pypy"}) {
    if (!name.starts_with(prefix)) continue;
    name.remove_prefix(prefix.size());
    return name.find_first_not_of("0123456789.tdm") == std::string_view::npos;
  }
  return false;
}

std::optional<PythonMpi> mpi_of_python(const Words& words, const Environment& environment) {
  const PythonCommand command = parse(words);
  Words ask = {words.at(0)};
  ask.insert(ask.end(), command.options.begin(), command.options.end());
  ask.insert(ask.end(), {"-B", "-c", probe, command.folder});
  Environment bare = environment;
  bare.unset("LD_PRELOAD");
  const auto answer = capture(ask, bare, probe_timeout_seconds);
  if (!answer) return std::nullopt;
  std::istringstream lines(answer->output);
  std::string extension, kind, file;
  std::optional<PythonMpi> found;
  while (lines >> kind && std::getline(lines >> std::ws, file)) {
    if (kind == "library") {
      // The library is loaded by its file name, so that the extension's own search finds it already loaded.
      if (auto library = mpi_library_at(file)) return PythonMpi{*library, extension};
    } else {
      extension = file;
      auto library = mpi_library_of_file(file, environment);
      if (library && !found) found = PythonMpi{*library, extension};
    }
  }
  return found;
}

}  // namespace concilio::tools
