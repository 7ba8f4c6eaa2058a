#include "mpiio/control.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "base/exceptions.h"
#include "base/log.h"
#include "mpi/nodes/agree.h"
#include "mpi/types/datatype.h"
#include "mpiio/file.h"
#include "plan/facts/user_realms.h"
#include "plan/layout/realms.h"
#include "plan/show/reason_text.h"

namespace concilio::mpiio {

namespace {

int64_t hash_of(const std::string& text) {
  return static_cast<int64_t>(std::hash<std::string>{}(text));
}

// Checks that all ranks were called with valid arguments, and with the same ones. `hash` is the hash of this
// rank's arguments, or their error.
Status agree_on_arguments(File& file, const Result<int64_t>& hash, const char* what) {
  if (Status sound = file.agree(hash ? Status() : hash.error()); !sound) return sound;
  return agree_on(file.team(), {*hash}, fmt::format("the ranks do not give the same {}", what).c_str());
}

Status agree_on_method(File& file, const std::string& name) {
  auto meanings = Config::read("concilio_method", name);
  const auto refused = [&] { return Error{ErrorKind::argument, 0, meanings.error().message}; };
  Result<int64_t> hash = meanings ? Result<int64_t>(hash_of(meanings->front().value)) : refused();
  if (auto status = agree_on_arguments(file, hash, "method"); !status) return status;
  Config changed = file.config();
  if (changed.fixed_by_user(Key::method)) {
    return Error{ErrorKind::unsupported, 0, "the user's environment settles the method"};
  }
  changed.take(Key::method, meanings->front().value, Config::Origin::info);
  file.change_config(changed);
  return {};
}

Result<std::vector<GivenRealm>> decode_realms(const RealmArguments& given, Budget& budget) {
  const auto refuse = [](std::string message) { return Error{ErrorKind::argument, 0, std::move(message)}; };
  if (given.count < 0) return refuse(fmt::format("{} realms", given.count));
  if (given.count > 0 && (!given.types || !given.displacements))
    return refuse("realms without types or displacements");
  std::vector<GivenRealm> realms;
  for (int i = 0; i < given.count; ++i) {
    auto type = decode(given.types[i], budget);
    if (!type) return refuse(fmt::format("realm {}: {}", i, type.error().message));
    realms.push_back({**type, given.displacements[i]});
  }
  return realms;
}

int64_t hash_of(const std::vector<GivenRealm>& realms) {
  std::string text;
  for (const GivenRealm& realm : realms)
    text += fmt::format("{} {} {};", realm.type.nest->hash(), realm.type.extent, realm.displacement);
  return hash_of(text);
}

// How many ranks of each node may become aggregators.
std::vector<int64_t> candidates_of(Team& team) {
  std::vector<int64_t> out;
  for (const Team::Node& node : team.nodes()) out.push_back(static_cast<int64_t>(node.candidates.size()));
  return out;
}

Status agree_on_realms(File& file, const RealmArguments& given) {
  auto realms = without_exceptions([&] { return decode_realms(given, file.descriptions()); });
  Result<int64_t> hash = realms ? Result<int64_t>(hash_of(*realms)) : realms.error();
  if (auto status = agree_on_arguments(file, hash, "realms"); !status) return status;
  if (realms->empty()) {
    file.collective().give_realms(nullptr);
    return {};
  }
  const RealmPolicy wished = file.wishes(Operation::write).realms;
  if (wished != RealmPolicy::automatic && wished != RealmPolicy::user) {
    return Error{ErrorKind::unsupported, 0,
                 fmt::format("a hint asks for {} realms; concilio_realms=user lets the program give its own",
                             realm_policy_name(wished))};
  }
  if (auto status = check_count(std::ssize(*realms), candidates_of(file.team())); !status) return status;
  auto checked = check_realms(*realms);
  if (!checked) return checked.error();
  file.collective().give_realms(std::make_shared<const FixedRealms>(std::move(*checked)));
  return {};
}

// Keeps the message of a failure, so that the program can read it.
Status noted(File& file, const char* function, Status status) {
  if (status) return status;
  file.set_complaint(status.error().message);
  if (file.team().rank() == 0)
    log(LogLevel::warning, "{} on {}: {}", function, file.path(), status.error().message);
  return status;
}

}  // namespace

int64_t counter_of(File& file, Counter counter) {
  return file.counters()[counter];
}

LastCall last_call(File& file) {
  const auto last = file.history().last();
  if (!last) return {nullptr, ""};
  return {method_name(last->reason.grounds.method), text_of(last->reason)};
}

std::optional<Candidate> last_candidate(File& file, int index) {
  const auto last = file.history().last();
  if (!last || index < 0 || static_cast<size_t>(index) >= last->candidates.size()) return std::nullopt;
  return last->candidates[static_cast<size_t>(index)];
}

MemoryUse memory_use(File& file) {
  const Budget& budget = file.budget();
  return {budget.limit_bytes(), budget.current_bytes(), budget.high_water_bytes()};
}

std::string error_message(File& file) {
  return file.complaint();
}

Status set_method(File& file, const char* method) {
  const std::string name = method ? method : "auto";
  return noted(file, "concilio_file_set_method",
               file.in_turn(CallKind::set_method, [&] { return agree_on_method(file, name); }));
}

Status set_realms(File& file, const RealmArguments& realms) {
  return noted(file, "concilio_file_set_realms",
               file.in_turn(CallKind::set_realms, [&] { return agree_on_realms(file, realms); }));
}

}  // namespace concilio::mpiio
