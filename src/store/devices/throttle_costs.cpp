#include "store/devices/throttle_costs.h"

#include <fmt/format.h>

#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <vector>

#include "base/settings/config.h"
#include "base/text/bytes.h"
#include "base/text/text.h"
#include "store/devices/device_clock.h"

namespace concilio::store {

namespace {

constexpr double ms = 1e6;
constexpr int64_t most_targets = 1000, most_streams = 1000, most_opens = 1'000'000'000;
constexpr const char* keys =
    "device, open, opens, request, bandwidth, lock, revoke, seek, seek_read, seek_write, streams, targets, "
    "stripe or state";

struct Preset {
  const char* name;
  StorageLayout::Kind kind;
  StorageLayout::Medium medium;
  double open_ms, request_ms, lock_ms, read_seek_ms, write_seek_ms;
  int64_t bytes_per_second, streams;
};

using Kind = StorageLayout::Kind;
using Medium = StorageLayout::Medium;

// hdd and nvm are a disk and an Optane SSD as measured in "Early Evaluation of Intel Optane Non-Volatile
// Memory with HPC I/O Workloads", table II. A write seek of the disk costs less, since the disk's write cache
// reorders writes to shorten the head's ways.
constexpr Preset presets[] = {
    {"hdd", Kind::local, Medium::rotational, 0, 0.05, 0, 8, 4, 200'000'000, 1},
    {"ssd", Kind::local, Medium::solid, 0, 0.08, 0, 0, 0, 500'000'000, 8},
    {"nvm", Kind::local, Medium::solid, 0, 0.01, 0, 0, 0, 2'200'000'000, 8},
    {"nfs", Kind::network, Medium::unknown, 1, 0.3, 1, 0, 0, 1'000'000'000, 8},
    {"lustre", Kind::parallel, Medium::unknown, 2, 0.3, 0.5, 0, 0, 500'000'000, 4},
};

const Preset* preset_of_name(std::string_view name) {
  for (const Preset& preset : presets) {
    if (name == preset.name) return &preset;
  }
  return nullptr;
}

// One `key=value`, and what messages call it.
struct Part {
  std::string key, value, named;
};

Part part_of(std::string_view text, std::string_view separators, std::string named) {
  const size_t middle = text.find_first_of(separators);
  if (middle == std::string_view::npos) return {std::string(text), "", std::move(named)};
  std::string_view value = trimmed(text.substr(middle + 1));
  if (text[middle] != '=' && value.starts_with('=')) value = trimmed(value.substr(1));
  return {std::string(trimmed(text.substr(0, middle))), std::string(value), std::move(named)};
}

Error refusal(const std::string& named, const std::string& wanted) {
  return Error{ErrorKind::argument, 0, fmt::format("'{}' is no cost of storage; give {}", named, wanted)};
}

Status read_parts(const std::string& file, std::vector<Part>& parts) {
  std::ifstream in(file);
  int64_t number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    const std::string_view text = trimmed(std::string_view(line).substr(0, line.find('#')));
    if (text.empty()) continue;
    parts.push_back(part_of(text, "= \t", fmt::format("{}' in line {} of '{}", text, number, file)));
  }
  if (in.eof()) return {};
  return Error{ErrorKind::argument, errno,
               fmt::format("cannot read '@{}'; give @FILE, of lines such as `seek 8`", file)};
}

Result<std::vector<Part>> split(std::string_view text) {
  std::vector<Part> parts;
  while (!text.empty()) {
    const std::string_view part = trimmed(take_until(text, ';'));
    if (part.starts_with('@')) {
      if (Status status = read_parts(std::string(part.substr(1)), parts); !status) return status.error();
    } else if (!part.empty()) {
      parts.push_back(part_of(part, "=", std::string(part)));
    }
  }
  return parts;
}

std::optional<int64_t> count_of(std::string_view text, int64_t least, int64_t most) {
  int64_t count = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (failed != std::errc{} || end != text.data() + text.size() || count < least || count > most) return {};
  return count;
}

std::optional<int64_t> nanoseconds_of(const std::string& text) {
  char* rest = nullptr;
  const double milliseconds = std::strtod(text.c_str(), &rest);
  if (text.empty() || *rest != '\0' || !(milliseconds >= 0 && milliseconds <= 1e9)) return {};
  return std::llround(milliseconds * ms);
}

Status take_preset(const Part& part, ThrottleCosts& costs) {
  constexpr const char* wanted = "device=hdd, ssd, nvm, nfs or lustre:OSTS, such as lustre:4";
  const size_t colon = part.value.find(':');
  const bool counted = colon != std::string::npos;
  const Preset* preset = preset_of_name(std::string_view(part.value).substr(0, colon));
  const auto targets = counted ? count_of(std::string_view(part.value).substr(colon + 1), 1, most_targets)
                               : std::optional<int64_t>(1);
  if (!preset || !targets || counted != (preset->kind == Kind::parallel)) return refusal(part.named, wanted);
  if (!costs.device.empty()) return refusal(part.named, "one device only");
  costs.device = preset->name;
  costs.open_ns = static_cast<int64_t>(preset->open_ms * ms);
  costs.request_ns = static_cast<int64_t>(preset->request_ms * ms);
  costs.lock_ns = static_cast<int64_t>(preset->lock_ms * ms);
  costs.read_seek_ns = static_cast<int64_t>(preset->read_seek_ms * ms);
  costs.write_seek_ns = static_cast<int64_t>(preset->write_seek_ms * ms);
  costs.bytes_per_second = preset->bytes_per_second;
  costs.streams = preset->streams;
  costs.targets = *targets;
  return {};
}

Status take_bytes(const Part& part, const char* wanted, int64_t& to) {
  const auto bytes = parse_bytes(part.value);
  if (!bytes || *bytes <= 0) return refusal(part.named, wanted);
  to = *bytes;
  return {};
}

Status take_count(const Part& part, int64_t least, int64_t most, int64_t& to) {
  const auto count = count_of(part.value, least, most);
  if (!count) return refusal(part.named, fmt::format("{}=N, a number from {} to {}", part.key, least, most));
  to = *count;
  return {};
}

Status take(const Part& part, ThrottleCosts& costs) {
  if (part.key == "device") return {};  // taken first, by take_preset()
  if (part.key == "bandwidth") {
    return take_bytes(part, "bandwidth=BYTES, a second, such as 100M", costs.bytes_per_second);
  }
  if (part.key == "stripe") return take_bytes(part, "stripe=BYTES, such as 1M", costs.stripe_bytes);
  if (part.key == "opens") return take_count(part, 0, most_opens, costs.opens_per_second);
  if (part.key == "streams") return take_count(part, 0, most_streams, costs.streams);
  if (part.key == "targets") return take_count(part, 1, most_targets, costs.targets);
  if (part.key == "state") {
    if (!part.value.starts_with('/')) return refusal(part.named, "state=PATH, a file's, from the root on");
    costs.state = part.value;
    return {};
  }
  int64_t* cost = part.key == "open"                              ? &costs.open_ns
                  : part.key == "request"                         ? &costs.request_ns
                  : part.key == "lock"                            ? &costs.lock_ns
                  : part.key == "revoke"                          ? &costs.revoke_ns
                  : part.key == "seek" || part.key == "seek_read" ? &costs.read_seek_ns
                  : part.key == "seek_write"                      ? &costs.write_seek_ns
                                                                  : nullptr;
  if (!cost) return refusal(part.named, keys);
  const auto nanoseconds = nanoseconds_of(part.value);
  if (!nanoseconds) return refusal(part.named, fmt::format("{}=MS, milliseconds, such as 0.1", part.key));
  *cost = *nanoseconds;
  if (part.key == "seek") costs.write_seek_ns = *nanoseconds;
  return {};
}

}  // namespace

Result<ThrottleCosts> parse_throttle(std::string_view text) {
  const auto parts = split(text);
  if (!parts) return parts.error();
  ThrottleCosts costs;
  for (const Part& part : *parts) {
    if (part.key != "device") continue;
    if (Status status = take_preset(part, costs); !status) return status.error();
  }
  for (const Part& part : *parts) {
    if (Status status = take(part, costs); !status) return status.error();
  }
  if (costs.targets > 1 && costs.streams == 0) {
    return refusal(fmt::format("targets={}", costs.targets),
                   "streams=N with it: devices that serve any number of requests are as one");
  }
  if (costs.revoke_ns > 0 && costs.streams == 0)
    return refusal("revoke", "streams=N with it: without devices that clients share, nothing has locks");
  if (DeviceClock::words_of_targets(costs) > DeviceClock::most_words_of_targets) {
    return refusal(
        fmt::format("targets={};streams={}", costs.targets, costs.streams),
        fmt::format("fewer: targets x (2 x streams + 1) is at most {}", DeviceClock::most_words_of_targets));
  }
  return costs;
}

std::string text_of(const ThrottleCosts& costs) {
  std::string text;
  if (costs.device == "lustre")
    text = fmt::format("device=lustre:{};", costs.targets);
  else if (!costs.device.empty())
    text = fmt::format("device={};", costs.device);
  const auto milliseconds = [](int64_t ns) { return static_cast<double>(ns) / ms; };
  text += fmt::format("open={};request={};lock={};seek_read={};seek_write={};streams={};targets={};stripe={}",
                      milliseconds(costs.open_ns), milliseconds(costs.request_ns),
                      milliseconds(costs.lock_ns), milliseconds(costs.read_seek_ns),
                      milliseconds(costs.write_seek_ns), costs.streams, costs.targets, costs.stripe_bytes);
  if (costs.opens_per_second > 0) text += fmt::format(";opens={}", costs.opens_per_second);
  if (costs.revoke_ns > 0) text += fmt::format(";revoke={}", milliseconds(costs.revoke_ns));
  if (costs.bytes_per_second > 0) text += fmt::format(";bandwidth={}", costs.bytes_per_second);
  if (!costs.state.empty()) text += ";state=" + costs.state;
  return text;
}

std::string throttle_identity(const std::string& text) {
  if (text.find('@') == std::string::npos) return text;
  const auto costs = parse_throttle(text);
  return costs ? text_of(*costs) : text;
}

bool same_throttle(const std::string& a, const std::string& b) {
  if (a == b || a.empty() || b.empty()) return a == b;
  const auto costs = parse_throttle(a), others = parse_throttle(b);
  return costs && others && *costs == *others;
}

void model_layout(const ThrottleCosts& costs, StorageLayout& layout) {
  if (const Preset* preset = preset_of_name(costs.device)) {
    layout.kind = preset->kind;
    layout.client_cache = preset->kind == Kind::network ? ClientCache::whole_pages : ClientCache::coherent;
    layout.medium = preset->medium;
    layout.uncached = true;
    layout.name = costs.device + ", modelled";
    layout.stripe_bytes = layout.stripe_targets = layout.revoke_ns = layout.open_ns = 0;
  }
  if (costs.opens_per_second > 0) layout.open_ns = transfer_ns(1, costs.opens_per_second);
  if (costs.targets == 1 && costs.device != "lustre" && costs.revoke_ns == 0) return;
  layout.stripe_bytes = costs.stripe_bytes;
  layout.stripe_targets = costs.targets;
  layout.revoke_ns = costs.revoke_ns;
}

}  // namespace concilio::store
