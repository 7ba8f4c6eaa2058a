#include "bind/mpi_library/fits.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>

#include "base/exceptions.h"
#include "base/job/launcher_rank.h"
#include "base/log.h"
#include "bind/mpi_library/built_for.h"
#include "mpiio/api.h"

namespace concilio::bind {
namespace {

// A family's MPIs can replace each other.
enum class Family { openmpi, mpich, abi, unknown };
struct Kind {
  Family family = Family::unknown;
  int major = 0;  // for Open MPI; the other families keep their interfaces across versions

  bool operator==(const Kind&) const = default;
};

constexpr Kind own =
#if defined(OMPI_MAJOR_VERSION)
    {Family::openmpi, OMPI_MAJOR_VERSION};
#elif defined(MPICH_VERSION)
    {Family::mpich, 0};
#else
    {Family::abi, 0};
#endif

// Returns the number behind `mark`; 0 if there is none.
int number_behind(std::string_view text, std::string_view mark) {
  const size_t at = text.find(mark);
  if (at == std::string_view::npos) return 0;
  text = text.substr(at + mark.size());
  text = text.substr(std::min(text.find_first_not_of(" \t"), text.size()));
  int number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

// Vendors' MPIs with MPICH's interface (Intel's, Cray's, MVAPICH, ParaStation) name themselves in many ways,
// and those with Open MPI's seldom do. So a text without a known name is taken to fit.
Kind kind_of(std::string_view version, bool is_abi) {
  if (is_abi) return {Family::abi, 0};
  if (const int major = number_behind(version, "Open MPI v")) return {Family::openmpi, major};
  for (const char* name : {"MPICH", "MVAPICH", "Intel(R) MPI"}) {
    if (version.find(name) != std::string_view::npos) return {Family::mpich, 0};
  }
  return {};
}

std::string library_for(const Kind& kind, std::string_view file_of_mpi) {
  switch (kind.family) {
    case Family::openmpi:
      return kind.major >= 5 ? fmt::format("libconcilio-openmpi{}.so", kind.major) : "libconcilio-openmpi.so";
    case Family::mpich:  // one for each name of MPICH's own library
      return file_of_mpi.find("/libmpich.so") != std::string_view::npos ? "libconcilio-mpich.so"
                                                                        : "libconcilio-mpich5.so";
    default:
      return "libconcilio-mpiabi.so";
  }
}

// MPICH has the standard's ABI in a library of its own, which reports the same version as its usual one. The
// question is put to the library that `get_version` belongs to, since the one that this library was linked to
// is also loaded.
bool is_abi(const void* get_version) {
  void* const found = dlsym(RTLD_NEXT, "PMPI_Abi_get_version");
  Dl_info here, there;
  if (!found || !dladdr(found, &here) || !dladdr(get_version, &there) || here.dli_fbase != there.dli_fbase)
    return false;
  int major = -1, minor = -1;
  return reinterpret_cast<int (*)(int*, int*)>(found)(&major, &minor) == 0 && major >= 0;
}

// The MPI that the program runs on, and its version text. If it has no such text, nothing is known of it.
// This allocates nothing: a rank that lacked memory would stand aside alone.
struct Met {
  Kind kind;
  const char* file = "";
  char version[16384] = "";  // each MPI has its own maximal length; MPICH's of 8 KiB is the longest

  Met() {
    void* const found = dlsym(RTLD_NEXT, "PMPI_Get_library_version");
    if (!found) return;  // a missing function is reported when it is called
    int length = 0;
    reinterpret_cast<int (*)(char*, int*)>(found)(version, &length);
    kind = kind_of(version, is_abi(found));
    if (Dl_info library; dladdr(found, &library)) file = library.dli_fname;
  }
};

}  // namespace

bool can_pass_on() {
  const Family met = Met().kind.family;
  return met == Family::unknown || met == own.family;
}

bool detail::look() {
  const Met met;
  if (met.kind.family == Family::unknown || met.kind == own) return true;
  if (!mpiio::takes_over_any() || launcher_rank().value_or(0) != 0) return false;
  if_there_is_memory([&] {
    const std::string_view version = met.version;
    log_line(
        LogLevel::warning,
        fmt::format("built for " CONCILIO_BUILT_FOR
                    ", but the program runs on {}: Concilio is not used, and files go through the MPI's "
                    "own MPI-IO; the library for this MPI is {}, and `concilio run` chooses it by itself",
                    version.substr(0, version.find_first_of(",\n")), library_for(met.kind, met.file)));
  });
  return false;
}

}  // namespace concilio::bind
