#include "mpiio/settings/profile.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <mutex>
#include <tuple>
#include <utility>

#include "base/log.h"
#include "base/settings/profile_path.h"
#include "base/system/process.h"
#include "base/system/read_file.h"
#include "store/devices/throttle_costs.h"
#include "store/place/mount.h"

namespace concilio::mpiio {
namespace {

void say_not_used(const std::string& file, const std::string& what) {
  warn_for_all(
      fmt::format("the profile {} is not used: {}; measure a new one with concilio probe", file, what));
}

std::string throttle_named(const std::string& throttle) {
  return throttle.empty() ? "storage that is not throttled" : fmt::format("CONCILIO_THROTTLE={}", throttle);
}

// Why the profile does not apply to this process's storage; empty if it does.
std::string obstacle_to(const plan::Profile& profile, const std::string& throttle) {
  const std::string host = host_name();
  const auto is_here = [&](const std::string& name) { return name == host || name == "*"; };
  if (std::none_of(profile.hosts.begin(), profile.hosts.end(), is_here))
    return fmt::format("it was measured on host {}, and this is {}", profile.hosts.front(), host);
  if (!store::same_throttle(profile.throttle, throttle)) {
    return fmt::format("it was measured on {}, and this is {}", throttle_named(profile.throttle),
                       throttle_named(throttle));
  }
  return "";
}

bool says_missing(int system_errno) {
  return system_errno == ENOENT || system_errno == ENOTDIR;
}

// `asked`: the user named the file, so a missing file is an error.
std::shared_ptr<const plan::Profile> read_profile(const std::string& file, bool asked,
                                                  const std::string& throttle) {
  const auto text = read_file(file, plan::most_profile_bytes);
  if (!text) {
    if (asked || !says_missing(text.error().system_errno)) say_not_used(file, text.error().message);
    return nullptr;
  }
  auto profile = plan::parse_profile(*text);
  const std::string obstacle = profile ? obstacle_to(*profile, throttle) : profile.error().message;
  if (obstacle.empty()) return std::make_shared<const plan::Profile>(std::move(*profile));
  say_not_used(file, obstacle);
  return nullptr;
}

std::mutex known_mutex;

std::shared_ptr<const plan::Profile> read_once(const std::string& file, bool asked,
                                               const std::string& throttle) {
  static auto& known =
      *new std::map<std::pair<std::string, std::string>, std::shared_ptr<const plan::Profile>>;
  const std::pair key(file, throttle);
  std::lock_guard lock(known_mutex);
  if (const auto place = known.find(key); place != known.end()) return place->second;
  // If memory runs out here, nothing is known, and the next open reads the profile.
  return known.emplace(key, read_profile(file, asked, throttle)).first->second;
}

// The profile that the folder has for the file system of a file. Each device is looked up once, because there
// may be thousands of mounts, and opens are frequent.
std::shared_ptr<const plan::Profile> read_once_from(const std::string& folder, const std::string& path,
                                                    uint64_t device, const std::string& throttle) {
  static auto& known =
      *new std::map<std::tuple<std::string, std::string, uint64_t>, std::shared_ptr<const plan::Profile>>;
  struct stat status;
  if (device == 0) {
    if (stat(path.c_str(), &status) != 0) return nullptr;
    device = status.st_dev;
  }
  std::tuple key(folder, throttle, device);
  {
    std::lock_guard lock(known_mutex);
    if (const auto place = known.find(key); place != known.end()) return place->second;
  }
  // What a file's device is mounted on takes long to find, and most machines have no profile at all.
  const std::string host = host_name();
  std::shared_ptr<const plan::Profile> profile;
  if (access(profiles_folder(folder, host).c_str(), F_OK) == 0 || !says_missing(errno)) {
    const auto mount = store::mount_of(path);
    if (!mount) return nullptr;
    profile = read_once(profile_path(folder, host, mount->point, throttle), false, throttle);
  }
  std::lock_guard lock(known_mutex);
  return known.emplace(std::move(key), std::move(profile)).first->second;
}

}  // namespace

std::shared_ptr<const plan::Profile> find_profile(const Config& config, const std::string& path,
                                                  uint64_t device) {
  const std::string& asked = config.text(Key::profile);
  if (asked == "off") return nullptr;
  const std::string throttle = store::throttle_identity(config.text(Key::throttle));
  if (asked != "auto") return read_once(asked, true, throttle);
  const std::string folder = user_config_folder();
  if (folder.empty()) return nullptr;
  return read_once_from(folder, path, device, throttle);
}

}  // namespace concilio::mpiio
