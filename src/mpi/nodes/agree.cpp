#include "mpi/nodes/agree.h"

#include <fmt/format.h>

#include <cstring>

#include "base/exceptions.h"

namespace concilio::mpi {
namespace {

// The error text of the failing rank; empty on all other ranks.
struct Words {
  char text[512] = "";
};
Words combine(const Words& a, const Words& b) {
  return a.text[0] ? a : b;
}

}  // namespace

Failure failure_of(const Team& team, const Status& mine) {
  if (mine) return {};
  return {team.rank(), static_cast<int64_t>(mine.error().kind), mine.error().system_errno};
}

Error shared_error(Team& team, const Failure& failure, const Status& mine) {
  Words words;
  if (team.rank() == failure.rank)
    std::strncpy(words.text, mine.error().message.c_str(), sizeof words.text - 1);
  if (!team.allreduce(words)) return team.failure().error();
  return error_with(static_cast<ErrorKind>(failure.kind), static_cast<int>(failure.system_errno),
                    [&] { return fmt::format("rank {}: {}", failure.rank, words.text); });
}

Status agree(Team& team, const Status& mine) {
  Failure failure = failure_of(team, mine);
  if (!team.allreduce(failure)) return team.failure();
  if (failure) return shared_error(team, failure, mine);
  return {};
}

}  // namespace concilio::mpi
