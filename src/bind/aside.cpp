// A library for MPICH under a program of Open MPI, or the other way round: handles differ in size, so that no
// call can be passed on. It is known when the program is loaded, before any of it has run: the program is
// started again, without this library.
#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "bind/fits.h"

extern "C" const char concilio_built_for[];

namespace concilio::bind {
namespace {

constexpr std::string_view preload = "LD_PRELOAD=";

std::string own_path() {
  Dl_info found;
  return dladdr(concilio_built_for, &found) != 0 && found.dli_fname ? found.dli_fname : "";
}

// Whether calls of the program's go to another library than that which this one was linked to. Of a function
// that is none of ours.
bool has_an_mpi_of_its_own() {
  void* own = dlopen(own_path().c_str(), RTLD_LAZY | RTLD_NOLOAD);
  if (!own) return false;
  void *linked = dlsym(own, "PMPI_Barrier"), *met = dlsym(RTLD_NEXT, "PMPI_Barrier");
  dlclose(own);
  return linked && met && linked != met;
}

// What stays of a list of libraries to preload; its separators are spaces and colons.
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
  // Loaded by other means it would be there again, and again.
  if (changed) execve("/proc/self/exe", arguments, kept.data());
}

[[gnu::constructor]] void stand_aside(int, char** arguments, char** environment) {
  try {
    if (has_an_mpi_of_its_own() && !fits() && !can_pass_on()) start_again(arguments, environment);
  } catch (const std::exception&) {
    // Then the program ends by the first call.
  }
}

}  // namespace
}  // namespace concilio::bind
