#include "settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <string_view>

#include "base/text/nearest_name.h"

namespace concilio::tools {

namespace {

Status check_hints_file(const Environment& environment) {
  const std::string path = environment.get("ROMIO_HINTS").value_or("");
  if (path.empty()) return {};
  errno = 0;
  std::ifstream file(path);
  if (!file || file.peek() == std::char_traits<char>::eof()) {
    const int why = errno;
    if (why != 0) {
      Error error =
          Error::from_errno(why, fmt::format("cannot read the hints file {} that ROMIO_HINTS names", path));
      error.message += "; correct the path, or unset ROMIO_HINTS";
      return error;
    }
  }
  return {};
}

// What the library says of a hint that it ignores, without that.
std::string as_refused(std::string message) {
  for (const std::string_view ignored : {"; it is ignored", " and ignored"}) {
    if (const size_t begin = message.find(ignored); begin != message.npos)
      message.erase(begin, ignored.size());
  }
  return message;
}

// Environment variables of the command itself. Those of the library are in the table of settings.
constexpr const char* variables_of_command[] = {
    "CONCILIO_COMMAND",   "CONCILIO_LIBDIR", "CONCILIO_LIBEXECDIR",     "CONCILIO_MPIRUN",
    "CONCILIO_PYTHONDIR", "CONCILIO_PYTHON", "CONCILIO_SCORPIO_LIBRARY"};

bool is_known_variable(const std::string& name) {
  const auto is_name = [&](const char* known) { return known != nullptr && name == known; };
  return std::ranges::any_of(variables_of_command, is_name) ||
         std::ranges::any_of(settings(), is_name, &Setting::environment);
}

}  // namespace

Status set_hint(Config& config, Config::Origin origin, const std::string& hint) {
  const size_t equals = hint.find('=');
  if (equals == 0 || equals == std::string::npos)
    return Error{ErrorKind::info_value, 0, fmt::format("--hint {}: write it as NAME=VALUE", hint)};
  if (hint.find(';') != std::string::npos)
    return Error{ErrorKind::info_value, 0, fmt::format("--hint {}: a hint cannot hold ';'", hint)};
  const Status set = config.set(hint.substr(0, equals), hint.substr(equals + 1), origin);
  if (set.ok()) return {};
  std::string message = as_refused(set.error().message);
  if (message.find("concilio hints") == message.npos) message += "; `concilio hints` lists them all";
  return Error{set.error().kind, 0, fmt::format("--hint {}: {}", hint, message)};
}

Status set_by_option(Config& config, Config::Origin origin, const std::string& option,
                     const std::string& name, const std::string& value) {
  const Status set = config.set(name, value, origin);
  if (set.ok()) return {};
  return Error{set.error().kind, 0, fmt::format("{} {}: {}", option, value, as_refused(set.error().message))};
}

Status check_hint(const std::string& hint) {
  Config config = Config::defaults();
  return set_hint(config, Config::Origin::environment, hint);
}

std::vector<std::string> unknown_variables(const Environment& environment) {
  std::vector<std::string> notes;
  for (const std::string& entry : environment.entries()) {
    const std::string name = entry.substr(0, entry.find('='));
    if (!name.starts_with("CONCILIO_") || is_known_variable(name)) continue;
    NearestName nearest(name);
    for (const char* known : variables_of_command) nearest.consider(known);
    for (const Setting& setting : settings()) nearest.consider(setting.environment);
    notes.push_back(
        fmt::format("the environment variable {} is unknown and ignored{}", name, nearest.question()));
  }
  return notes;
}

Result<std::vector<std::pair<std::string, std::string>>> check_settings(const SettingOptions& options,
                                                                        const Environment& environment) {
  std::vector<std::pair<std::string, std::string>> variables;
  if (const Status status = check_hints_file(environment); !status.ok()) return status.error();
  std::string hints = environment.get("CONCILIO_HINTS").value_or("");
  for (const std::string& hint : options.hints) {
    // Each hint is checked alone, because giving the same name twice is a correction and no conflict.
    if (const Status status = check_hint(hint); !status.ok()) return status.error();
    hints += (hints.empty() ? "" : ";") + hint;
  }
  if (!options.hints.empty()) variables.emplace_back("CONCILIO_HINTS", hints);
  if (!options.memory_limit.empty()) {
    Config config = Config::defaults();
    const Status set = set_by_option(config, Config::Origin::environment, "--memory-limit",
                                     "concilio_memory_limit", options.memory_limit);
    if (!set.ok()) return set.error();
    variables.emplace_back("CONCILIO_MEMORY_LIMIT", options.memory_limit);
  }
  if (!options.only.empty()) variables.emplace_back("CONCILIO_ONLY", options.only);
  if (options.threads) variables.emplace_back("CONCILIO_THREADS", "1");
  return variables;
}

}  // namespace concilio::tools
