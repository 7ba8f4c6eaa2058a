#include "mpiio/hints.h"

#include <fmt/format.h>

#include "base/log.h"

namespace concilio::mpiio {
std::vector<std::pair<std::string, std::string>> hints_in(MPI_Info info) {
  std::vector<std::pair<std::string, std::string>> hints;
  int count = 0;
  if (info == MPI_INFO_NULL || PMPI_Info_get_nkeys(info, &count) != MPI_SUCCESS) return hints;
  for (int i = 0; i < count; ++i) {
    char key[MPI_MAX_INFO_KEY + 1] = "";
    if (PMPI_Info_get_nthkey(info, i, key) != MPI_SUCCESS) continue;
    int length = 0, found = 0;
    PMPI_Info_get_valuelen(info, key, &length, &found);
    if (!found) continue;
    std::string value(static_cast<size_t>(length) + 1, '\0');
    PMPI_Info_get(info, key, length, value.data(), &found);
    hints.emplace_back(key, value.c_str());
  }
  return hints;
}

void adopt_hints(MPI_Comm comm, MPI_Info info, Config& config) {
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  auto mine = hints_in(info);
  std::string text;
  if (rank == 0) {
    for (const auto& [key, value] : mine) {
      auto status = config.set(key, value, Config::Origin::info);
      if (!status) log_once(LogLevel::warning, status.error().message);
    }
    text = config.hints_as_text();
  }
  unsigned long length = text.size();
  PMPI_Bcast(&length, 1, MPI_UNSIGNED_LONG, 0, comm);
  text.resize(length);
  PMPI_Bcast(text.data(), static_cast<int>(length), MPI_CHAR, 0, comm);
  if (rank == 0) return;
  Config own = config;
  config.adopt_hints(text);
  for (const auto& [key, value] : mine) (void)own.set(key, value, Config::Origin::info);
  if (!mine.empty() && own.effective_hints() != config.effective_hints()) {
    log_once(LogLevel::warning, "this rank's hints differ from those of the file's rank 0, which are used");
  }
}

int make_info(const Config& config, MPI_Info* info) {
  int code = PMPI_Info_create(info);
  if (code != MPI_SUCCESS) return code;
  for (const auto& [name, value] : config.effective_hints()) {
    if (!value.empty()) PMPI_Info_set(*info, name.c_str(), value.c_str());
  }
  return MPI_SUCCESS;
}

}  // namespace concilio::mpiio
