#include "mpiio/calls/control.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/exceptions.h"
#include "base/log.h"
#include "mpi/nodes/agree.h"
#include "mpi/types/datatype.h"
#include "mpiio/file/file.h"
#include "plan/facts/user_realms.h"
#include "plan/layout/realms.h"
#include "plan/show/reason_text.h"

namespace concilio::mpiio {

namespace {

int64_t hash_of(const std::string& text) {
  return static_cast<int64_t>(std::hash<std::string>{}(text));
}

// Checks that all ranks were called with valid arguments, and with the same ones; if not, with the text
// `different`. read(hash) reads this rank's arguments, or returns what is wrong with them.
template <typename Read>
Status agree_on_arguments(File& file, const char* different, const Read& read) {
  int64_t hash = 0;
  if (Status sound = file.agree(without_exceptions([&] { return read(hash); })); !sound) return sound;
  return agree_on(file.team(), {hash}, different);
}

Status agree_on_method(File& file, const char* name) {
  std::string method;
  const auto read = [&](int64_t& hash) -> Status {
    auto meanings = Config::read("concilio_method", name);
    if (!meanings) return Error{ErrorKind::argument, 0, meanings.error().message};
    method = meanings->front().value;
    hash = hash_of(method);
    return {};
  };
  if (auto status = agree_on_arguments(file, "the ranks do not give the same method", read); !status)
    return status;
  if (file.fixed_by_user(Key::method))
    return Error{ErrorKind::unsupported, 0, "the user's environment sets the method"};
  return file.change_config(without_exceptions([&]() -> Result<std::shared_ptr<Config>> {
    auto changed = std::make_shared<Config>(*file.config());
    changed->take(Key::method, method, Config::Origin::info);
    return changed;
  }));
}

Result<std::vector<plan::GivenRealm>> decode_realms(const RealmArguments& given, Budget& budget) {
  const auto refuse = [](std::string message) { return Error{ErrorKind::argument, 0, std::move(message)}; };
  if (given.count < 0) return refuse(fmt::format("{} realms", given.count));
  if (given.count > 0 && (!given.types || !given.displacements))
    return refuse("realms without types or displacements");
  std::vector<plan::GivenRealm> realms;
  for (int i = 0; i < given.count; ++i) {
    auto type = mpi::decode(given.types[i], budget);
    if (!type) return refuse(fmt::format("realm {}: {}", i, type.error().message));
    realms.push_back({**type, given.displacements[i]});
  }
  return realms;
}

int64_t hash_of(const std::vector<plan::GivenRealm>& realms) {
  std::string text;
  for (const plan::GivenRealm& realm : realms) {
    const pattern::Nest& nest = *realm.type.nest;
    text += fmt::format("{} {} {} {};", nest.hash(), nest.lower(), realm.type.extent, realm.displacement);
  }
  return hash_of(text);
}

// How many ranks of each node may become aggregators.
std::vector<int64_t> candidates_of(mpi::Team& team) {
  std::vector<int64_t> out;
  for (const mpi::Team::Node& node : team.nodes())
    out.push_back(static_cast<int64_t>(node.candidates.size()));
  return out;
}

// null if the plan is to make its own realms again.
using Realms = std::shared_ptr<const plan::FixedRealms>;

// Returns the same on all ranks, where there is memory.
Result<Realms> make_realms(File& file, const std::vector<plan::GivenRealm>& given) {
  if (given.empty()) return Realms();
  const plan::RealmPolicy wished = file.wishes(Operation::write).realms;
  if (wished != plan::RealmPolicy::automatic && wished != plan::RealmPolicy::user) {
    return Error{ErrorKind::unsupported, 0,
                 fmt::format("a hint asks for {} realms; concilio_realms=user lets the program give its own",
                             realm_policy_name(wished))};
  }
  if (auto status = plan::check_count(std::ssize(given), candidates_of(file.team())); !status)
    return status.error();
  auto checked = check_realms(given);
  if (!checked) return checked.error();
  return std::make_shared<const plan::FixedRealms>(std::move(*checked));
}

Status agree_on_realms(File& file, const RealmArguments& arguments) {
  std::vector<plan::GivenRealm> given;
  const auto read = [&](int64_t& hash) -> Status {
    auto decoded = decode_realms(arguments, file.descriptions());
    if (!decoded) return decoded.error();
    given = std::move(*decoded);
    hash = hash_of(given);
    return {};
  };
  if (auto status = agree_on_arguments(file, "the ranks do not give the same realms", read); !status)
    return status;
  Result<Realms> realms = Realms();
  Status made = all_or_none(
      file.team(),
      [&]() -> Status {
        realms = make_realms(file, given);
        return {};
      },
      [&]() noexcept {
        if (realms) file.collective().give_realms(std::move(*realms));
      });
  if (!made) return made;
  return realms ? Status() : realms.error();
}

// Keeps the message of a failure, so that the program can read it.
Status noted(File& file, const char* function, Status status) {
  if (status) return status;
  if_there_is_memory([&] { file.set_complaint(status.error().message); });
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

std::optional<plan::Candidate> last_candidate(File& file, int index) {
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
  const char* name = method ? method : "auto";
  return noted(file, "concilio_file_set_method",
               file.in_turn(exec::CallKind::set_method, [&] { return agree_on_method(file, name); }));
}

Status set_realms(File& file, const RealmArguments& realms) {
  return noted(file, "concilio_file_set_realms",
               file.in_turn(exec::CallKind::set_realms, [&] { return agree_on_realms(file, realms); }));
}

}  // namespace concilio::mpiio
