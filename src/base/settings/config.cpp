#include "base/settings/config.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <functional>
#include <optional>

#include "base/settings/foreign_hints.h"
#include "base/system/read_file.h"
#include "base/text/bytes.h"
#include "base/text/nearest_name.h"
#include "base/text/text.h"

namespace concilio {

namespace {

constexpr int64_t most_hints_file_bytes = 1 << 20;

size_t index_of(Key key) {
  return static_cast<size_t>(key);
}

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

std::optional<int64_t> parse_integer(std::string_view text) {
  int64_t number = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failed != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

Error bad_value(std::string message) {
  return Error{ErrorKind::info_value, 0, std::move(message)};
}

std::string range_text(const Setting& setting) {
  return fmt::format("give {} to {}", setting.minimum, setting.maximum);
}

// A value as it is kept: its text in one canonical form, which programs that read a hint back can parse, and
// its number.
struct Parsed {
  std::string text;
  int64_t number = 0;
};

Result<Parsed> parse_number(const Setting& setting, std::string_view value) {
  int64_t number = 0;
  if (setting.type == ValueType::bytes) {
    const Result<int64_t> bytes = parse_bytes(value);
    if (!bytes) return bad_value(fmt::format("{}; {}", bytes.error().message, range_text(setting)));
    number = *bytes;
  } else {
    const std::optional<int64_t> integer = parse_integer(value);
    if (!integer) return bad_value(fmt::format("'{}' is not a whole number; {}", value, range_text(setting)));
    number = *integer;
  }
  if (number < setting.minimum || number > setting.maximum) {
    return bad_value(fmt::format("{} is out of range; {}", value, range_text(setting)));
  }
  return Parsed{std::to_string(number), number};
}

// Allocates nothing.
std::optional<bool> boolean_of(std::string_view value) {
  static constexpr std::string_view yes[] = {"true", "1", "yes", "on", "enable"};
  static constexpr std::string_view no[] = {"false", "0", "no", "off", "disable"};
  const auto is_value = [&](std::string_view word) {
    return std::ranges::equal(word, value, {}, {},
                              [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  };
  if (std::ranges::any_of(yes, is_value)) return true;
  if (std::ranges::any_of(no, is_value)) return false;
  return std::nullopt;
}

Result<Parsed> parse_boolean(std::string_view value) {
  const std::optional<bool> boolean = boolean_of(value);
  if (!boolean) return bad_value(fmt::format("'{}' is neither true nor false", value));
  return Parsed{*boolean ? "true" : "false", *boolean};
}

Result<Parsed> parse_choice(const Setting& setting, std::string_view value) {
  const std::string word = lower(value);
  std::string_view choices = setting.choices;
  for (int64_t index = 0; !choices.empty(); ++index) {
    if (take_until(choices, '|') == word) return Parsed{word, index};
  }
  // A hint that can be `enable` and `disable` accepts `true` and `false` too, as the MPI standard's
  // collective_buffering does.
  if (std::string_view(setting.choices).find("enable") != std::string_view::npos) {
    const Result<Parsed> as_boolean = parse_boolean(word);
    if (as_boolean) return parse_choice(setting, as_boolean->number ? "enable" : "disable");
  }
  return bad_value(fmt::format("'{}' is none of {}", value, setting.choices));
}

Result<Parsed> parse_permissions(const Setting& setting, std::string_view value) {
  int64_t mode = 0;
  const auto [end, failed] = std::from_chars(value.data(), value.data() + value.size(), mode, 8);
  if (failed != std::errc{} || end != value.data() + value.size() || mode < setting.minimum ||
      mode > setting.maximum) {
    return bad_value(fmt::format("'{}' is no octal number from {:o} to {:o}, such as 640", value,
                                 setting.minimum, setting.maximum));
  }
  return Parsed{fmt::format("{:o}", mode), mode};
}

// ROMIO's form: aar (the same as 0) or a number.
Result<Parsed> parse_realm_kind(std::string_view value) {
  if (lower(value) == "aar") return Parsed{"aar", 0};
  const std::optional<int64_t> number = parse_integer(value);
  if (!number || *number < -2) {
    return bad_value(fmt::format("'{}' is neither aar, -1, -2 nor a size in bytes", value));
  }
  return Parsed{*number == 0 ? "aar" : std::to_string(*number), *number};
}

// The value's number is how many sizes the list has.
Result<Parsed> parse_byte_list(std::string_view value) {
  Parsed parsed{"", 0};
  while (!trimmed(value).empty()) {
    const std::string_view entry = trimmed(take_until(value, ','));
    const Result<int64_t> bytes = parse_bytes(entry);
    if (!bytes || *bytes < 0) {
      return bad_value(fmt::format("'{}' is no size; give a list as 4M,16M,64M", entry));
    }
    if (parsed.number++ > 0) parsed.text += ',';
    parsed.text += std::to_string(*bytes);
  }
  return parsed;
}

// ROMIO's form is a list of NAME[:N], where NAME is a host or *, and N is a number, a range A-B or *. Without
// :N it is 1. The value's number is how many aggregators a host may have: what the entry for * says, else the
// largest of all entries; 0 means no limit.
Result<Parsed> parse_config_list(std::string_view value) {
  int64_t of_all = -1, largest = 0;
  bool unlimited = false;
  std::string_view rest = value;
  do {
    std::string_view count = trimmed(take_until(rest, ','));
    const std::string_view name = trimmed(take_until(count, ':'));
    count = trimmed(count);
    int64_t aggregators = 1;
    if (count == "*") {
      aggregators = 0;
    } else if (!count.empty()) {
      std::string_view upper = count;
      const std::optional<int64_t> first = parse_integer(take_until(upper, '-'));
      const std::optional<int64_t> last = upper.empty() ? first : parse_integer(upper);
      if (!first || !last || *first < 0 || *last < *first || count.back() == '-') {
        return bad_value(fmt::format("'{}' is not of the form *:N or HOST:N,HOST:N", value));
      }
      aggregators = *last;
    }
    if (name.empty() || name.find_first_of(" \t\r\n") != std::string_view::npos) {
      return bad_value(fmt::format("'{}' is not of the form *:N or HOST:N,HOST:N", value));
    }
    if (name == "*" && of_all < 0) of_all = aggregators;
    largest = std::max(largest, aggregators);
    unlimited = unlimited || aggregators == 0;
  } while (!rest.empty());
  if (of_all >= 0) return Parsed{std::string(value), of_all};
  return Parsed{std::string(value), unlimited ? 0 : largest};
}

Result<Parsed> parse_value(const Setting& setting, std::string_view value) {
  switch (setting.type) {
    case ValueType::integer:
    case ValueType::bytes:
      return parse_number(setting, value);
    case ValueType::boolean:
      return parse_boolean(value);
    case ValueType::choice:
      return parse_choice(setting, value);
    case ValueType::config_list:
      return parse_config_list(value);
    case ValueType::realm_kind:
      return parse_realm_kind(value);
    case ValueType::permissions:
      return parse_permissions(setting, value);
    case ValueType::byte_list:
      return parse_byte_list(value);
    case ValueType::text:
      return Parsed{std::string(value), 0};
  }
  return bad_value(fmt::format("'{}' cannot be read", value));
}

const Setting* find_hint(std::string_view hint) {
  for (const Setting& setting : settings()) {
    if (setting.hint && setting.hint == hint) return &setting;
  }
  return nullptr;
}

// The settings that a hint stands for, by its own name or as an alias.
std::vector<const Setting*> settings_of(std::string_view hint) {
  std::vector<const Setting*> found;
  if (const Setting* own = find_hint(hint)) found.push_back(own);
  for (const Alias& alias : aliases()) {
    if (alias.name == hint) found.push_back(&settings()[index_of(alias.key)]);
  }
  return found;
}

Error unknown_hint(std::string_view hint) {
  NearestName nearest(hint, hint.starts_with("concilio_"));
  for (const Setting& setting : settings()) nearest.consider(setting.hint);
  for (const Alias& alias : aliases()) nearest.consider(alias.name);
  const std::string help = nearest.name() ? nearest.question() : "; `concilio hints` lists them all";
  return Error{ErrorKind::unsupported, 0, fmt::format("hint {} is unknown and ignored{}", hint, help)};
}

// Sets what a hints file says. Returns the complaints about its lines.
std::vector<std::string> apply_hints_file(Config& config, const std::string& path) {
  // A file that never ends, or a pipe, would make every rank hang.
  const Result<std::string> file = read_file(path, most_hints_file_bytes);
  if (!file)
    return {fmt::format("the hints file {} is not used: {}; correct ROMIO_HINTS or unset it", path,
                        file.error().message)};
  std::vector<std::string> complaints;
  std::vector<std::string_view> given;
  std::string_view rest = *file;
  for (int number = 1; !rest.empty(); ++number) {
    const std::string_view line = trimmed(take_until(rest, '\n'));
    if (line.empty() || line[0] == '#') continue;
    const size_t key_end = line.find_first_of(" \t");
    const std::string_view key = line.substr(0, key_end);
    std::string_view value =
        trimmed(key_end == std::string_view::npos ? std::string_view{} : line.substr(key_end));
    const size_t value_end = value.find_first_of(" \t");
    const std::string_view tail =
        value_end == std::string_view::npos ? std::string_view{} : trimmed(value.substr(value_end));
    value = value.substr(0, value_end);
    if (value.empty() || (!tail.empty() && tail[0] != '#')) {
      complaints.push_back(fmt::format(
          "{}, line {}: '{}' is not of the form 'key value'; the line is ignored", path, number, line));
      continue;
    }
    if (std::ranges::find(given, key) != given.end()) {  // ROMIO too takes the first
      complaints.push_back(
          fmt::format("{}, line {}: hint {} is given again; the first value counts", path, number, key));
      continue;
    }
    given.push_back(key);
    const Status set = config.set(key, value, Config::Origin::hints_file);
    if (!set) complaints.push_back(fmt::format("{}, line {}: {}", path, number, set.error().message));
  }
  return complaints;
}

// Sets what CONCILIO_HINTS says. Returns the complaints about its entries.
std::vector<std::string> apply_hint_list(Config& config, std::string_view rest) {
  std::vector<std::string> complaints;
  while (!rest.empty()) {
    const std::string_view hint = trimmed(take_until(rest, ';'));
    if (hint.empty()) continue;
    const size_t equals = hint.find('=');
    if (equals == std::string_view::npos) {
      complaints.push_back(
          fmt::format("CONCILIO_HINTS: '{}' is not of the form key=value; it is ignored", hint));
      continue;
    }
    const Status set =
        config.set(trimmed(hint.substr(0, equals)), hint.substr(equals + 1), Config::Origin::environment);
    if (!set) complaints.push_back(fmt::format("CONCILIO_HINTS: {}", set.error().message));
  }
  return complaints;
}

}  // namespace

std::string user_config_folder() {
  const auto value = [](const char* name) {
    const char* text = std::getenv(name);
    return std::string(text ? text : "");
  };
  // The XDG base directory specification ignores paths that are not absolute.
  if (std::string folder = value("XDG_CONFIG_HOME"); folder.starts_with('/')) return folder;
  const std::string home = value("HOME");
  return home.starts_with('/') ? home + "/.config" : "";
}

std::string_view text_in_environment(Key key) {
  const char* name = settings()[index_of(key)].environment;
  const char* value = name ? std::getenv(name) : nullptr;
  return trimmed(value ? value : "");
}

bool asked_in_environment(Key key) {
  return boolean_of(text_in_environment(key)).value_or(false);
}

Config Config::defaults() {
  Config config;
  for (const Setting& setting : settings()) {
    Result<Parsed> parsed = parse_value(setting, setting.default_value);
    if (!parsed) continue;  // never so: a unit test sets every default by its hint
    config.put(setting.key, {std::move(parsed->text), parsed->number, Origin::default_value});
  }
  return config;
}

Config Config::from_environment() {
  Config config = defaults();
  const auto complain = [&config](std::vector<std::string> lines) {
    std::move(lines.begin(), lines.end(), std::back_inserter(config.complaints_));
  };
  if (const std::string path(text_in_environment(Key::romio_hints)); !path.empty()) {
    complain(apply_hints_file(config, path));
  }
  complain(apply_hint_list(config, text_in_environment(Key::hints)));
  for (const Setting& setting : settings()) {
    const std::string_view value = text_in_environment(setting.key);
    if (value.empty()) continue;
    Result<Parsed> parsed = parse_value(setting, value);
    if (!parsed) {
      complain({fmt::format("{}: {}; it is ignored", setting.environment, parsed.error().message)});
      continue;
    }
    config.put(setting.key, {std::move(parsed->text), parsed->number, Origin::environment});
  }
  return config;
}

Result<std::vector<Config::Meaning>> Config::read(std::string_view hint, std::string_view value) {
  const std::vector<const Setting*> meant = settings_of(hint);
  if (meant.empty() && !is_foreign_hint(hint)) return unknown_hint(hint);
  std::vector<Meaning> meanings;
  for (const Setting* setting : meant) {
    if (setting->effect == Effect::told) continue;
    Result<Parsed> parsed = parse_value(*setting, trimmed(value));
    if (!parsed) {
      return bad_value(fmt::format("hint {}: {}; it is ignored", hint, parsed.error().message));
    }
    meanings.push_back({setting->key, std::move(parsed->text), hint != setting->hint});
  }
  return meanings;
}

Status Config::set(std::string_view hint, std::string_view value, Origin origin) {
  Result<std::vector<Meaning>> meanings = read(hint, value);
  if (!meanings) return meanings.error();
  for (const Meaning& meaning : *meanings) take(meaning.key, meaning.value, origin);
  return {};
}

void Config::take(Key key, const std::string& value, Origin origin) {
  const Value& current = values_[index_of(key)];
  const bool fixed = current.origin == Origin::environment ||
                     (current.origin == Origin::hints_file && origin == Origin::info);
  if (fixed && origin != Origin::environment) return;
  Result<Parsed> parsed = parse_value(settings()[index_of(key)], value);
  if (parsed) put(key, {std::move(parsed->text), parsed->number, origin});
}

bool Config::fixed_by_user(Key key) const {
  return origin(key) == Origin::environment || origin(key) == Origin::hints_file;
}

void Config::tell(Key key, const std::string& value) {
  Result<Parsed> parsed = parse_value(settings()[index_of(key)], value);
  if (parsed) put(key, {std::move(parsed->text), parsed->number, origin(key)});
}

int64_t Config::integer(Key key) const {
  return values_[index_of(key)].number;
}

const std::string& Config::text(Key key) const {
  return values_[index_of(key)].text;
}

Config::Origin Config::origin(Key key) const {
  return values_[index_of(key)].origin;
}

std::string Config::hints_as_text() const {
  std::string text;
  for (const Setting& setting : settings()) {
    if (!setting.hint) continue;
    const Value& value = values_[index_of(setting.key)];
    text += fmt::format("{}={}={}\n", setting.hint, static_cast<int>(value.origin), value.text);
  }
  return text;
}

bool Config::has_hints_of(const Config& other) const {
  return std::ranges::all_of(settings(), [&](const Setting& setting) {
    const size_t i = index_of(setting.key);
    return !setting.hint || values_[i] == other.values_[i];
  });
}

uint64_t Config::hash_of(Key key, const Value& value) {
  constexpr uint64_t factor = 0x9E3779B97F4A7C15;  // odd, and its bits look random
  const uint64_t where = (index_of(key) + 1) * factor + static_cast<uint64_t>(value.origin);
  return (std::hash<std::string_view>{}(value.text) ^ where) * factor;
}

void Config::put(Key key, Value value) {
  Value& current = values_[index_of(key)];
  if (settings()[index_of(key)].hint) hints_hash_ ^= hash_of(key, current) ^ hash_of(key, value);
  current = std::move(value);
}

void Config::adopt_hints(const std::string& text) {
  std::string_view lines = text;
  while (!lines.empty()) {
    std::string_view value = take_until(lines, '\n');
    const Setting* setting = find_hint(take_until(value, '='));
    const std::optional<int64_t> origin = parse_integer(take_until(value, '='));
    if (!setting || !origin) continue;
    Result<Parsed> parsed = parse_value(*setting, value);
    if (parsed) put(setting->key, {std::move(parsed->text), parsed->number, static_cast<Origin>(*origin)});
  }
}

}  // namespace concilio
