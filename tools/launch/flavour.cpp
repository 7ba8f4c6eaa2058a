#include "launch/flavour.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace concilio::tools {

namespace {

struct Row {
  const char* word;
  const char* name;
  Family family;
};
// The order is that of Flavour.
constexpr std::array<Row, all_flavours.size()> rows = {{{"openmpi", "Open MPI", Family::openmpi},
                                                        {"mpich", "MPICH", Family::mpich},
                                                        {"openmpi5", "Open MPI 5", Family::openmpi},
                                                        {"mpich5", "MPICH 5", Family::mpich},
                                                        {"mpiabi", "the MPI standard's ABI", Family::mpich}}};

const Row& row_of(Flavour flavour) {
  return rows[static_cast<size_t>(flavour)];
}

// The first number that contains a dot: "mpirun (Open MPI) 5.0.11" -> "5.0.11".
std::string_view first_version_number(std::string_view text) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  for (size_t begin = 0; begin < text.size(); ++begin) {
    if (!is_digit(text[begin])) continue;
    size_t end = begin;
    while (end < text.size() && (is_digit(text[end]) || text[end] == '.')) ++end;
    const std::string_view number = text.substr(begin, end - begin);
    if (number.find('.') != std::string_view::npos) return number;
    begin = end;
  }
  return {};
}

}  // namespace

const char* flavour_word(Flavour flavour) {
  return row_of(flavour).word;
}
const char* flavour_name(Flavour flavour) {
  return row_of(flavour).name;
}
Family usual_family(Flavour flavour) {
  return row_of(flavour).family;
}

std::optional<Flavour> flavour_of_word(std::string_view word) {
  for (const Flavour flavour : all_flavours) {
    if (word == flavour_word(flavour)) return flavour;
  }
  return std::nullopt;
}

const std::string& flavour_words() {
  static const std::string words = [] {
    std::string text;
    for (const Flavour flavour : all_flavours) {
      if (!text.empty()) text += flavour == all_flavours.back() ? " or " : ", ";
      text += flavour_word(flavour);
    }
    return text;
  }();
  return words;
}

const char* family_name(Family family) {
  return family == Family::openmpi ? "Open MPI" : "MPICH";
}
const char* family_word(Family family) {
  return family == Family::openmpi ? "openmpi" : "mpich";
}

std::optional<MpiVersion> version_of_text(std::string_view text) {
  struct Sign {
    const char* text;
    Family family;
    bool numbered;  // whether the number after the text is the version of the MPI
  };
  static constexpr Sign signs[] = {
      {"Open MPI", Family::openmpi, true},      {"OpenRTE", Family::openmpi, true},
      {"open-mpi.org", Family::openmpi, false}, {"PRRTE", Family::openmpi, false},
      {"prte", Family::openmpi, false},         {"HYDRA", Family::mpich, true},
      {"MPICH Version", Family::mpich, true},   {"MPICH", Family::mpich, false},
      {"Hydra", Family::mpich, false},          {"Intel(R) MPI", Family::mpich, false},
      {"MVAPICH", Family::mpich, false}};
  for (const Sign& sign : signs) {
    const size_t place = text.find(sign.text);
    if (place == std::string_view::npos) continue;
    MpiVersion version;
    version.family = sign.family;
    if (sign.numbered) version.number = first_version_number(text.substr(place));
    std::from_chars(version.number.data(), version.number.data() + version.number.size(), version.major);
    return version;
  }
  return std::nullopt;
}

namespace {

std::optional<int> number_in(const Environment& environment, const char* name) {
  const auto text = environment.get(name);
  int number = 0;
  if (!text || std::from_chars(text->data(), text->data() + text->size(), number).ec != std::errc())
    return std::nullopt;
  return number;
}

}  // namespace

std::optional<RunningLauncher> running_launcher(const Environment& environment) {
  std::optional<int> rank;
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"}) {
    if (!rank) rank = number_in(environment, name);
  }
  // Without PMI, Slurm's tasks have its own variables alone. A job script has a SLURM_PROCID too, but is no
  // step of several tasks.
  if (!rank && number_in(environment, "SLURM_STEP_NUM_TASKS").value_or(1) > 1)
    rank = number_in(environment, "SLURM_PROCID");
  if (!rank) return std::nullopt;
  // PMI and PMIx are for all MPIs.
  std::optional<Family> family;
  if (environment.has("OMPI_COMM_WORLD_RANK"))
    family = Family::openmpi;
  else if (environment.has("MPI_LOCALNRANKS") || environment.has("HYDI_CONTROL_FD"))
    family = Family::mpich;
  return RunningLauncher{*rank, family};
}

}  // namespace concilio::tools
