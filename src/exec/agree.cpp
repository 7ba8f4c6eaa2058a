#include "exec/agree.h"

#include <fmt/format.h>

#include <cstring>

#include "base/exceptions.h"

namespace concilio {
namespace {

struct Worst {
  int64_t rank = INT64_MAX, kind = 0, system_errno = 0;
  char message[400] = "";
};
Worst combine(const Worst& a, const Worst& b) {
  return a.rank <= b.rank ? a : b;
}

}  // namespace

Status agree(Team& team, const Status& mine) {
  Worst worst;
  if (!mine) {
    worst = {team.rank(), static_cast<int64_t>(mine.error().kind), mine.error().system_errno, ""};
    std::strncpy(worst.message, mine.error().message.c_str(), sizeof worst.message - 1);
  }
  if (!team.allreduce(worst)) return team.failure();
  if (worst.rank == INT64_MAX) return {};
  return error_with(static_cast<ErrorKind>(worst.kind), static_cast<int>(worst.system_errno),
                    [&] { return fmt::format("rank {}: {}", worst.rank, worst.message); });
}

}  // namespace concilio
