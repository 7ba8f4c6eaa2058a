// A library for MPICH may be preloaded under a program of Open MPI, or the other way round. Then handles
// differ in size, so that calls cannot even be passed on. This is known when the program is loaded, before
// any of its code has run. So the program is started again without this library.
#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "bind/mpi_library/fits.h"

extern "C" const char concilio_built_for[];

namespace concilio::bind {
namespace {

constexpr std::string_view preload = "LD_PRELOAD=";

std::string own_path() {
  Dl_info found;
  return dladdr(concilio_built_for, &found) != 0 && found.dli_fname ? found.dli_fname : "";
}

// Whether the program's calls go to an MPI library other than the one that this library was linked to. A
// function that this library does not define itself tells them apart.
bool has_an_mpi_of_its_own() {
  void* own = dlopen(own_path().c_str(), RTLD_LAZY | RTLD_NOLOAD);
  if (!own) return false;
  void *linked = dlsym(own, "PMPI_Barrier"), *met = dlsym(RTLD_NEXT, "PMPI_Barrier");
  dlclose(own);
  return linked && met && linked != met;
}

// Returns a list of libraries to preload, without this one. Its separators are spaces and colons.
std::string without_this_library(std::string_view list) {
  const std::filesystem::path own = own_path();
  std::string rest;
  while (!list.empty()) {
    const size_t end = std::min(list.find_first_of(": "), list.size());
    const std::string_view one = list.substr(0, end);
    list.remove_prefix(std::min(end + 1, list.size()));
    std::error_code other;
    if (one.empty() || std::filesystem::equivalent(one, own, other) || one == own.filename().string())
      continue;
    rest.append(rest.empty() ? "" : ":").append(one);
  }
  return rest;
}

void start_again(char** arguments, char** environment) {
  std::vector<char*> kept;
  std::string list;
  bool changed = false;
  for (char** one = environment; *one; ++one) {
    const std::string_view text = *one;
    if (!text.starts_with(preload)) {
      kept.push_back(*one);
      continue;
    }
    list = without_this_library(text.substr(preload.size()));
    changed = list != text.substr(preload.size());
    if (!list.empty()) {
      list.insert(0, preload);
      kept.push_back(list.data());
    }
  }
  kept.push_back(nullptr);
  // If this library was loaded by other means than LD_PRELOAD, starting again would never end.
  if (changed) execve("/proc/self/exe", arguments, kept.data());
}

[[gnu::constructor]] void stand_aside(int, char** arguments, char** environment) {
  try {
    if (has_an_mpi_of_its_own() && !fits() && !can_pass_on()) start_again(arguments, environment);
  } catch (const std::exception&) {
    // The program then fails at its first call of MPI.
  }
}

}  // namespace
}  // namespace concilio::bind
