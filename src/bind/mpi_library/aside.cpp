// Two things are put right when the program is loaded, before any of its code has run, by starting it again:
//
// A library for MPICH may be preloaded under a program of Open MPI, or the other way round. Then handles
// differ in size, so that calls cannot even be passed on, and the program runs without this library.
//
// A library that watches MPI-IO, such as Darshan, may be behind this one in the search order. This library
// answers calls itself and passes none on, so the other would see nothing. In front, it sees every call and
// passes it on.
#include <dlfcn.h>

#include <algorithm>
#include <exception>
#include <string>

#include "bind/mpi_library/fits.h"
#include "bind/mpi_library/start_again.h"

namespace concilio::bind {
namespace {

// Whether the program's calls go to an MPI library other than the one that this library was linked to. A
// function that this library does not define itself tells them apart.
bool has_an_mpi_of_its_own() {
  void* own = dlopen(own_path().c_str(), RTLD_LAZY | RTLD_NOLOAD);
  if (!own) return false;
  void *linked = dlsym(own, "PMPI_Barrier"), *met = dlsym(RTLD_NEXT, "PMPI_Barrier");
  dlclose(own);
  return linked && met && linked != met;
}

Preloads without_this_library(Preloads preloads) {
  while (true) {
    const auto own = this_library_in(preloads);
    if (own == preloads.end()) return preloads;
    preloads.erase(own);
  }
}

// Whether a library that is loaded has a symbol itself, and not only a library that it needs.
bool has_itself(const Dl_info& library, const char* symbol) {
  void* handle = library.dli_fname ? dlopen(library.dli_fname, RTLD_LAZY | RTLD_NOLOAD) : nullptr;
  if (!handle) return false;
  Dl_info found;
  void* address = dlsym(handle, symbol);
  const bool has = address && dladdr(address, &found) != 0 && found.dli_fbase == library.dli_fbase;
  dlclose(handle);
  return has;
}

// The file of the library between this one and the MPI that has MPI-IO's functions; empty if there is none.
// Whoever watches MPI-IO leaves PMPI_Barrier to the MPI. An MPI whose MPI_ and PMPI_ functions are in two
// libraries is none, and neither is another copy of this library.
std::string watching_library() {
  Dl_info watching, mpi;
  void *open = dlsym(RTLD_NEXT, "MPI_File_open"), *barrier = dlsym(RTLD_NEXT, "PMPI_Barrier");
  if (!open || !barrier || dladdr(open, &watching) == 0 || dladdr(barrier, &mpi) == 0) return "";
  if (watching.dli_fbase == mpi.dli_fbase || !has_itself(mpi, "MPI_File_open") ||
      has_itself(watching, "concilio_built_for"))
    return "";
  return watching.dli_fname ? watching.dli_fname : "";
}

// If there are several, each is moved in a start of its own, and stays behind those that were moved before.
Preloads with_it_in_front(Preloads preloads, const std::string& watching) {
  const auto own = this_library_in(preloads);
  // Where a library has to be preloaded by a name that LD_PRELOAD cannot hold, it stays where it is. One that
  // is in front already would not be found behind, unless it is loaded twice.
  if (watching.find_first_of(": ") != std::string::npos || std::find(preloads.cbegin(), own, watching) != own)
    return preloads;
  if (own != preloads.end()) preloads.insert(own, watching);
  return preloads;
}

[[gnu::constructor]] void start_properly(int, char** arguments, char** environment) {
  try {
    if (has_an_mpi_of_its_own() && !fits() && !can_pass_on()) {
      start_again(arguments, environment, without_this_library);
    } else if (const std::string watching = watching_library(); !watching.empty()) {
      start_again(arguments, environment,
                  [&](const Preloads& preloads) { return with_it_in_front(preloads, watching); });
    }
  } catch (const std::exception&) {
    // The program then goes on as it was started.
  }
}

}  // namespace
}  // namespace concilio::bind
