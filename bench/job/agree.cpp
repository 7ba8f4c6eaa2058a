#include "job/agree.h"

#include <fmt/format.h>

#include <climits>
#include <cstdint>

namespace concilio::bench {

namespace {

void share_from(int root, std::string& text) {
  uint64_t length = text.size();
  MPI_Bcast(&length, 1, MPI_UINT64_T, root, MPI_COMM_WORLD);
  text.resize(length);
  MPI_Bcast(text.data(), static_cast<int>(length), MPI_CHAR, root, MPI_COMM_WORLD);
}

}  // namespace

std::string agree(const std::string& failure) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int failed = over_ranks(failure.empty() ? INT_MAX : rank, MPI_INT, MPI_MIN);
  if (failed == INT_MAX) return {};
  std::string text = fmt::format("rank {}: {}", rank, failure);
  share_from(failed, text);
  return text;
}

void share(std::string& text) {
  share_from(0, text);
}

std::string library_version() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING + 1] = {};
  int length = 0;
  MPI_Get_library_version(text, &length);
  const std::string whole(text);
  // MPICH's text contains its whole configuration.
  std::string line = whole.substr(0, whole.find('\n'));
  for (char& character : line) {
    if (character == '\t') character = ' ';
  }
  return line;
}

}  // namespace concilio::bench
