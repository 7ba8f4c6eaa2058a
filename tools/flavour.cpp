#include "flavour.h"

#include <charconv>

namespace concilio::tools {

namespace {

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

}  // namespace

const char* flavour_word(Flavour flavour) {
  return flavour == Flavour::openmpi ? "openmpi" : "mpich";
}
const char* flavour_name(Flavour flavour) {
  return flavour == Flavour::openmpi ? "Open MPI" : "MPICH";
}

std::optional<Flavour> flavour_of_word(std::string_view word) {
  if (word == "openmpi") return Flavour::openmpi;
  if (word == "mpich") return Flavour::mpich;
  return std::nullopt;
}

std::optional<Flavour> flavour_of_version_text(std::string_view text) {
  for (const char* sign : {"Open MPI", "OpenRTE", "open-mpi.org", "PRRTE", "prte"}) {
    if (contains(text, sign)) return Flavour::openmpi;
  }
  for (const char* sign : {"HYDRA", "MPICH", "Hydra", "Intel(R) MPI"}) {
    if (contains(text, sign)) return Flavour::mpich;
  }
  return std::nullopt;
}

std::optional<MpiLibrary> mpi_library_of_listing(std::string_view listing) {
  struct Sign {
    const char* prefix;
    std::optional<Flavour> flavour;
  };
  // Open MPI 1.7 and later keep libmpi.so.12 to .40; MPICH's common ABI is libmpi.so.12, Debian's
  // libmpich.so.12.
  static const Sign signs[] = {{"libmpi.so.40", Flavour::openmpi}, {"libmpich.so.12", Flavour::mpich},
                               {"libmpi.so.12", Flavour::mpich},   {"libmpi_abi.so", std::nullopt},
                               {"libmpich.so", std::nullopt},      {"libmpi.so", std::nullopt}};
  for (const Sign& sign : signs) {
    for (size_t begin = 0; begin < listing.size();) {
      const size_t end = std::min(listing.find('\n', begin), listing.size());
      std::string_view line = listing.substr(begin, end - begin);
      begin = end + 1;
      line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
      const std::string_view name = line.substr(0, line.find_first_of(" \t"));
      if (name.substr(0, std::string_view(sign.prefix).size()) == sign.prefix)
        return MpiLibrary{std::string(name), sign.flavour};
    }
  }
  return std::nullopt;
}

std::optional<Flavour> flavour_of_running_launcher(const Environment& environment) {
  if (environment.has("OMPI_COMM_WORLD_SIZE")) return Flavour::openmpi;
  if (environment.has("PMI_RANK") || environment.has("MPI_LOCALNRANKS") || environment.has_prefix("HYDRA") ||
      environment.has_prefix("HYDI_"))
    return Flavour::mpich;
  return std::nullopt;
}

std::optional<int> rank_of_running_launcher(const Environment& environment) {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"}) {
    const auto text = environment.get(name);
    int rank = 0;
    if (text && std::from_chars(text->data(), text->data() + text->size(), rank).ec == std::errc())
      return rank;
  }
  return std::nullopt;
}

}  // namespace concilio::tools
