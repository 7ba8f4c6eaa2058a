#include "mpiio/settings/process_config.h"

#include <fnmatch.h>

#include <filesystem>
#include <sstream>
#include <string_view>

#include "base/log.h"
#include "mpiio/api.h"

namespace concilio::mpiio {

const Config& process_config() {
  static const Config& config = *[] {
    auto* made = new Config(Config::from_environment());
    set_log_level(static_cast<LogLevel>(made->integer(Key::log_level)));
    return made;
  }();
  return config;
}

std::string plain_path(const char* path) {
  static constexpr std::string_view prefixes[] = {
      "ufs:", "nfs:",   "xfs:",    "pvfs2:",   "panfs:", "lustre:", "gpfs:",
      "pfs:", "piofs:", "testfs:", "unifyfs:", "daos:",  "quobyte:"};
  std::string_view name = path;
  for (std::string_view prefix : prefixes) {
    if (name.starts_with(prefix)) return std::string(name.substr(prefix.size()));
  }
  return std::string(name);
}

bool takes_over_any() {
  return !process_config().boolean(Key::disable);
}

bool takes_over(const char* path) {
  const Config& config = process_config();
  if (!takes_over_any()) return false;
  const std::string& only = config.text(Key::only);
  if (only.empty()) return true;
  std::string name = path ? plain_path(path) : "";
  std::string base = std::filesystem::path(name).filename();
  std::istringstream globs(only);
  for (std::string glob; std::getline(globs, glob, ':');) {
    if (fnmatch(glob.c_str(), name.c_str(), 0) == 0 || fnmatch(glob.c_str(), base.c_str(), 0) == 0)
      return true;
  }
  return false;
}

}  // namespace concilio::mpiio
