#include "settings.h"

#include <fmt/format.h>

#include <cerrno>
#include <fstream>

#include "base/settings/config.h"

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

// The error of a hint that Concilio does not take; hints of others are only noted.
Status check_hint(const std::string& hint, Config& config, std::vector<std::string>& notes) {
  const size_t equals = hint.find('=');
  if (equals == 0 || equals == std::string::npos)
    return Error{ErrorKind::info_value, 0, fmt::format("--hint {}: write it as NAME=VALUE", hint)};
  if (hint.find(';') != std::string::npos)
    return Error{ErrorKind::info_value, 0, fmt::format("--hint {}: a hint cannot hold ';'", hint)};
  const std::string name = hint.substr(0, equals);
  const Status set = config.set(name, hint.substr(equals + 1), Config::Origin::environment);
  if (set.ok()) return {};
  if (set.error().kind == ErrorKind::unsupported && name.compare(0, 9, "concilio_") != 0) {
    notes.push_back(fmt::format("--hint {}: {}", hint, set.error().message));
    return {};
  }
  return Error{set.error().kind, 0,
               fmt::format("--hint {}: {}; `concilio hints` lists all", hint, set.error().message)};
}

}  // namespace

Result<std::vector<std::pair<std::string, std::string>>> check_settings(const SettingOptions& options,
                                                                        const Environment& environment,
                                                                        std::vector<std::string>& notes) {
  std::vector<std::pair<std::string, std::string>> variables;
  if (const Status status = check_hints_file(environment); !status.ok()) return status.error();
  std::string hints = environment.get("CONCILIO_HINTS").value_or("");
  for (const std::string& hint : options.hints) {
    // Each alone: the same name twice is a correction, not a conflict.
    Config config = Config::defaults();
    if (const Status status = check_hint(hint, config, notes); !status.ok()) return status.error();
    hints += (hints.empty() ? "" : ";") + hint;
  }
  if (!options.hints.empty()) variables.emplace_back("CONCILIO_HINTS", hints);
  if (!options.memory_limit.empty()) {
    Config config = Config::defaults();
    const Status set = config.set("concilio_memory_limit", options.memory_limit, Config::Origin::environment);
    if (!set.ok())
      return Error{set.error().kind, 0,
                   fmt::format("--memory-limit {}: {}", options.memory_limit, set.error().message)};
    variables.emplace_back("CONCILIO_MEMORY_LIMIT", options.memory_limit);
  }
  if (!options.only.empty()) variables.emplace_back("CONCILIO_ONLY", options.only);
  if (options.threads) variables.emplace_back("CONCILIO_THREADS", "1");
  return variables;
}

}  // namespace concilio::tools
