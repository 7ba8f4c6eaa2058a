#include "mpiio/profile.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <optional>

#include "base/log.h"
#include "base/profile_path.h"
#include "store/mount.h"

namespace concilio::mpiio {
namespace {

std::string host_name() {
  char name[256] = "";
  gethostname(name, sizeof name - 1);
  return name;
}

std::optional<std::string> contents(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) return std::nullopt;
  std::string text(std::istreambuf_iterator<char>(in), {});
  return in.bad() ? std::nullopt : std::optional(std::move(text));
}

void complain(const std::string& file, const std::string& what) {
  log_once(LogLevel::warning,
           fmt::format("the profile {} is not used: {}; make it anew with concilio probe", file, what));
}

// `asked`: the user named the file, so that it must be there.
std::shared_ptr<const Profile> read_profile(const std::string& file, bool asked) {
  const auto text = contents(file);
  if (!text) {
    std::error_code unknown;
    if (asked || std::filesystem::exists(file, unknown)) complain(file, "it cannot be read");
    return nullptr;
  }
  auto profile = parse_profile(*text);
  if (!profile) {
    complain(file, profile.error().message);
    return nullptr;
  }
  const std::string host = host_name();
  const auto is_here = [&](const std::string& name) { return name == host || name == "*"; };
  if (std::none_of(profile->hosts.begin(), profile->hosts.end(), is_here)) {
    complain(file, fmt::format("it is of host {}, and this is {}", profile->hosts.front(), host));
    return nullptr;
  }
  return std::make_shared<const Profile>(std::move(*profile));
}

std::shared_ptr<const Profile> read_once(const std::string& file, bool asked) {
  static std::mutex mutex;
  static std::map<std::string, std::shared_ptr<const Profile>> known;
  std::lock_guard lock(mutex);
  const auto [place, fresh] = known.try_emplace(file);
  if (fresh) place->second = read_profile(file, asked);
  return place->second;
}

}  // namespace

std::shared_ptr<const Profile> find_profile(const Config& config, const std::string& path) {
  const std::string& asked = config.text(Key::profile);
  if (asked == "off") return nullptr;
  if (asked != "auto") return read_once(asked, true);
  const std::string folder = user_config_folder();
  const auto mount = mount_of(path);
  if (folder.empty() || !mount) return nullptr;
  return read_once(profile_path(folder, host_name(), mount->point, config.text(Key::throttle)), false);
}

}  // namespace concilio::mpiio
