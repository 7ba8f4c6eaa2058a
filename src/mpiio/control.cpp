#include "mpiio/control.h"

#include <fmt/format.h>

#include <functional>

#include "mpiio/file.h"

namespace concilio::mpiio {

namespace {

Status agree_on_method(File& file, const std::string& name) {
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
  Config changed = file.config();
  if (changed.fixed_by_user(Key::method)) {
    return Error{ErrorKind::unsupported, 0, "the user's environment settles the method"};
  }
  changed.take(Key::method, meanings->front().value, Config::Origin::info);
  file.change_config(changed);
  return {};
}

}  // namespace

int64_t counter_of(File& file, Counter counter) {
  return file.counters()[counter];
}

LastCall last_call(File& file) {
  File::Last last = file.last();
  return {last.method, std::move(last.reason)};
}

MemoryUse memory_use(File& file) {
  const Budget& budget = file.budget();
  return {budget.limit_bytes(), budget.current_bytes(), budget.high_water_bytes()};
}

Status set_method(File& file, const char* method) {
  const std::string name = method ? method : "auto";
  return file.in_turn([&] { return agree_on_method(file, name); });
}

}  // namespace concilio::mpiio
