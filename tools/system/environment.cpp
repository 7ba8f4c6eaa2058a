#include "system/environment.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <sstream>

namespace concilio::tools {

namespace {

bool is_executable_file(const std::string& path) {
  struct stat status;
  return stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && access(path.c_str(), X_OK) == 0;
}

}  // namespace

Environment::Environment(const char* const* entries) {
  for (; *entries; ++entries) {
    const char* equals = std::strchr(*entries, '=');
    if (equals) variables_.emplace(std::string(*entries, equals), equals + 1);
  }
}

std::optional<std::string> Environment::get(const std::string& name) const {
  const auto found = variables_.find(name);
  if (found == variables_.end()) return std::nullopt;
  return found->second;
}

void Environment::append(const std::string& name, const std::string& value, char separator) {
  std::string& held = variables_[name];
  held = held.empty() ? value : held + separator + value;
}

std::vector<std::string> Environment::entries() const {
  std::vector<std::string> all;
  for (const auto& [name, value] : variables_) all.push_back(name + "=" + value);
  return all;
}

std::optional<std::string> Environment::find_executable(const std::string& word) const {
  if (word.empty()) return std::nullopt;
  if (word.find('/') != std::string::npos) {
    if (is_executable_file(word)) return word;
    return std::nullopt;
  }
  std::istringstream path(get("PATH").value_or("/usr/local/bin:/usr/bin:/bin"));
  for (std::string folder; std::getline(path, folder, ':');) {
    const std::string candidate = (folder.empty() ? "." : folder) + "/" + word;
    if (is_executable_file(candidate)) return candidate;
  }
  return std::nullopt;
}

std::string Environment::temporary_folder() const {
  const std::string folder = get("TMPDIR").value_or("");
  if (folder.empty()) return "/tmp";
  std::error_code failed;
  const std::filesystem::path absolute = std::filesystem::absolute(folder, failed);
  return failed ? folder : absolute.string();
}

}  // namespace concilio::tools
