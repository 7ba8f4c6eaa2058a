#include "store/place/mount.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <cerrno>
#include <cstdlib>
#include <memory>
#include <vector>

#include "base/system/read_file.h"
#include "base/text/text.h"

namespace concilio::store {

namespace {

bool is_octal(std::string_view text) {
  return text.find_first_not_of("01234567") == std::string_view::npos;
}

// The file writes blanks, tabs, newlines and backslashes as \040 and so on.
std::string unescaped(std::string_view text) {
  if (text.find('\\') == std::string_view::npos) return std::string(text);
  constexpr size_t digits = 3;
  std::string plain;
  for (size_t i = 0; i < text.size(); ++i) {
    const std::string_view code = text.substr(i + 1, digits);
    if (text[i] != '\\' || code.size() != digits || !is_octal(code)) {
      plain += text[i];
      continue;
    }
    plain += static_cast<char>((code[0] - '0') * 64 + (code[1] - '0') * 8 + (code[2] - '0'));
    i += digits;
  }
  return plain;
}

bool is_under(std::string_view path, std::string_view folder) {
  if (folder == "/") return path.starts_with('/');
  return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

struct Line {
  std::string device_numbers;
  Mount mount;
};

// ID PARENT MAJOR:MINOR ROOT POINT OPTIONS [more]... - TYPE DEVICE OPTIONS
std::optional<Line> line_of(std::string_view text) {
  constexpr size_t numbers = 2, point = 4, first_more = 6;
  std::vector<std::string_view> words;
  while (!text.empty()) {
    if (const std::string_view word = take_until(text, ' '); !word.empty()) words.push_back(word);
  }
  size_t dash = first_more;
  while (dash < words.size() && words[dash] != "-") ++dash;
  if (dash + 2 >= words.size()) return std::nullopt;
  return Line{std::string(words[numbers]),
              {unescaped(words[point]), unescaped(words[dash + 1]), unescaped(words[dash + 2])}};
}

}  // namespace

std::optional<Mount> mount_in(std::string_view mountinfo, std::string_view path, unsigned device_major,
                              unsigned device_minor) {
  const std::string numbers = fmt::format("{}:{}", device_major, device_minor);
  // A later mount hides an earlier one at the same place.
  std::optional<Mount> of_device, of_any;
  const auto take = [](std::optional<Mount>& best, const Mount& mount) {
    if (!best || mount.point.size() >= best->point.size()) best = mount;
  };
  while (!mountinfo.empty()) {
    const auto line = line_of(take_until(mountinfo, '\n'));
    if (!line || !is_under(path, line->mount.point)) continue;
    if (line->device_numbers == numbers) take(of_device, line->mount);
    take(of_any, line->mount);
  }
  // Files on some file systems (btrfs) have device numbers that are in no line.
  return of_device ? of_device : of_any;
}

Result<Mount> mount_of(const std::string& path) {
  const auto failure = [&] {
    return Error::from_errno(errno, fmt::format("cannot find out what {} is mounted on", path));
  };
  struct stat status;
  if (stat(path.c_str(), &status) != 0) return failure();
  const std::unique_ptr<char, void (*)(void*)> real(realpath(path.c_str(), nullptr), std::free);
  if (!real) return failure();
  const auto mountinfo = read_all("/proc/self/mountinfo");
  auto mount = mount_in(mountinfo ? *mountinfo : "", real.get(), major(status.st_dev), minor(status.st_dev));
  if (mount) return std::move(*mount);
  return Error{ErrorKind::unsupported, 0,
               fmt::format("/proc/self/mountinfo does not tell what {} is mounted on", path)};
}

}  // namespace concilio::store
