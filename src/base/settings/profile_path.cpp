#include "base/settings/profile_path.h"

#include <fmt/format.h>

#include <cctype>

#include "base/text/name_hash.h"

namespace concilio {
namespace {

// A file's name may have 255 bytes, and this name has up to two such parts.
constexpr size_t longest_part = 100;

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) || std::string_view("-_=.,").find(c) != std::string_view::npos) {
      out += c;
    } else {
      out += fmt::format("%{:02X}", byte);
    }
  }
  if (out.size() <= longest_part) return out;
  return fmt::format("{}~{:016x}", out.substr(0, longest_part), name_hash(text));
}

}  // namespace

std::string profiles_folder(const std::string& config_folder, std::string_view host) {
  return fmt::format("{}/concilio/profiles/{}", config_folder, escaped(host));
}

std::string profile_path(const std::string& config_folder, std::string_view host, std::string_view mount,
                         std::string_view throttle) {
  const std::string of_throttle = throttle.empty() ? "" : "@" + escaped(throttle);
  return fmt::format("{}/{}{}.json", profiles_folder(config_folder, host), escaped(mount), of_throttle);
}

}  // namespace concilio
