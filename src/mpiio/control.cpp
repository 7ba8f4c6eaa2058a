#include "mpiio/control.h"

#include <fmt/format.h>

#include <functional>

#include "mpiio/file.h"

namespace concilio::mpiio {

int64_t counter_of(File& file, Counter counter) {
  std::lock_guard lock(file.mutex());
  return file.counters()[counter];
}

LastCall last_call(File& file) {
  std::lock_guard lock(file.mutex());
  return {file.last().method, file.last().reason};
}

MemoryUse memory_use(File& file) {
  const Budget& budget = file.budget();
  return {budget.limit_bytes(), budget.current_bytes(), budget.high_water_bytes()};
}

Status set_method(File& file, const char* method) {
  std::lock_guard lock(file.mutex());
  const std::string name = method ? method : "auto";
  auto meanings = Config::read("concilio_method", name);
  const auto hash = static_cast<int64_t>(meanings ? std::hash<std::string>{}(meanings->front().value) : 0);
  // The largest and the smallest, and whether one is wrong.
  int64_t all[3] = {hash, ~hash, !meanings};
  PMPI_Allreduce(MPI_IN_PLACE, all, 3, MPI_INT64_T, MPI_MAX, file.team().comm());
  if (all[2]) {
    return Error{ErrorKind::argument, 0,
                 meanings ? "another rank names no method" : meanings.error().message};
  }
  if (all[0] != ~all[1]) return Error{ErrorKind::not_same, 0, "the ranks name different methods"};
  if (file.config().fixed_by_user(Key::method)) {
    return Error{ErrorKind::unsupported, 0, "the user's environment settles the method"};
  }
  file.config().take(Key::method, meanings->front().value, Config::Origin::info);
  file.hints_changed();
  return {};
}

}  // namespace concilio::mpiio
