#include "scorpio/agreement.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "scorpio/small_collectives.h"

namespace concilio::scorpio {
namespace {

struct Comm {
  explicit Comm(MPI_Comm comm) {
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
  }
  int rank = 0, size = 1;
};

Status told_by(MPI_Comm comm, int rank, const Status& mine) {
  int32_t kind = mine ? 0 : static_cast<int32_t>(mine.error().kind);
  std::string text = mine ? "" : mine.error().message;
  if (Status status = checked(MPI_Bcast(&kind, 1, MPI_INT32_T, rank, comm), "MPI_Bcast"); !status)
    return status;
  if (Status status = share(comm, rank, text); !status) return status;
  return Error{static_cast<ErrorKind>(kind), 0, text};
}

}  // namespace

Status checked(int code, const char* what) {
  if (code == MPI_SUCCESS) return {};
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, text, &length);
  return Error{ErrorKind::communication, 0, fmt::format("{} failed: {}", what, text)};
}

Status share(MPI_Comm comm, int root, std::string& text) {
  int64_t length = static_cast<int64_t>(text.size());
  if (Status status = checked(MPI_Bcast(&length, 1, MPI_INT64_T, root, comm), "MPI_Bcast"); !status)
    return status;
  text.resize(static_cast<size_t>(length));
  return checked(MPI_Bcast(text.data(), static_cast<int>(length), MPI_CHAR, root, comm), "MPI_Bcast");
}

Status agree(MPI_Comm comm, const Status& mine) {
  const Comm self(comm);
  // The lowest rank that failed has the largest value; 0: none.
  int64_t most = mine ? 0 : self.size - self.rank;
  if (Status status = largest(comm, &most, 1); !status) return status;
  if (most == 0) return {};
  return told_by(comm, self.size - static_cast<int>(most), mine);
}

Status agree_on(MPI_Comm comm, const std::string& call, const Status& mine) {
  const Comm self(comm);
  const auto hash = static_cast<int64_t>(std::hash<std::string>{}(call) >> 1);
  int64_t most[3] = {mine ? 0 : self.size - self.rank, hash, -hash};
  if (Status status = largest(comm, most, 3); !status) return status;
  // A rank's own reason comes before what may only follow from it.
  if (most[0] != 0) return told_by(comm, self.size - static_cast<int>(most[0]), mine);
  if (most[1] == -most[2]) return {};
  // They differ: from rank 0's, as the lowest rank has it for which that is so.
  std::string first = call;
  if (Status status = share(comm, 0, first); !status) return status;
  const Status compared = call == first
                              ? Status()
                              : Status(Error{ErrorKind::not_same, 0,
                                             fmt::format("the ranks' calls differ: rank 0 {}, but rank {} {}",
                                                         first, self.rank, call)});
  return agree(comm, compared);
}

}  // namespace concilio::scorpio
