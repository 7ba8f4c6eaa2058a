// concilio hints: lists every setting, with its range, default and meaning.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/settings/config.h"
#include "base/text/bytes.h"
#include "subcommands.h"

namespace concilio::tools {

namespace {

std::string bound_text(const Setting& setting, int64_t bound) {
  if (bound == INT64_MAX) return "unlimited";
  return setting.type == ValueType::bytes ? format_bytes(bound) : std::to_string(bound);
}

std::string range_of(const Setting& setting) {
  if (setting.effect == Effect::told) return "told by Concilio";
  switch (setting.type) {
    case ValueType::integer:
    case ValueType::bytes:
      return fmt::format("{} to {}", bound_text(setting, setting.minimum),
                         bound_text(setting, setting.maximum));
    case ValueType::boolean:
      return "true or false";
    case ValueType::choice:
      return setting.choices;
    case ValueType::config_list:
      return "*:N or HOST:N,...";
    case ValueType::realm_kind:
      return "aar, -1, -2 or a size";
    case ValueType::permissions:
      return fmt::format("octal, {:o} to {:o}", setting.minimum, setting.maximum);
    case ValueType::byte_list:
      return "SIZE,SIZE,...";
    case ValueType::text:
      break;
  }
  return "text";
}

const char* effect_name(Effect effect) {
  switch (effect) {
    case Effect::always:
      return "always";
    case Effect::at_open:
      return "at open";
    case Effect::told:
      break;
  }
  return "told";
}

std::string meaning_of(const Setting& setting) {
  std::string meaning = setting.help;
  if (setting.effect == Effect::at_open) meaning += " Read only when a file is opened.";
  if (setting.effect == Effect::told) meaning += " Read it with MPI_File_get_info.";
  return meaning;
}

// The values of a setting that is a choice, in order. For other settings it is null.
nlohmann::json choices_of(const Setting& setting) {
  if (setting.type != ValueType::choice) return {};
  nlohmann::json words = nlohmann::json::array();
  std::istringstream choices(setting.choices);
  for (std::string word; std::getline(choices, word, '|');) words.push_back(word);
  return words;
}

std::vector<std::string> other_names(const Setting& setting) {
  std::vector<std::string> names;
  for (const Alias& alias : aliases()) {
    if (alias.key == setting.key) names.push_back(alias.name);
  }
  return names;
}

int list_hints(bool as_json) {
  nlohmann::json all = nlohmann::json::array();
  for (const Setting& setting : settings()) {
    const std::string default_value = setting.default_value ? setting.default_value : "";
    if (as_json) {
      all.push_back(
          {{"hint", setting.hint ? nlohmann::json(setting.hint) : nlohmann::json()},
           {"aliases", other_names(setting)},
           {"environment", setting.environment ? nlohmann::json(setting.environment) : nlohmann::json()},
           {"range", range_of(setting)},
           {"choices", choices_of(setting)},
           {"default", default_value},
           {"effect", effect_name(setting.effect)},
           {"help", meaning_of(setting)}});
      continue;
    }
    std::string names = setting.hint ? setting.hint : "";
    for (const std::string& name : other_names(setting)) names += fmt::format(", also {}", name);
    if (setting.environment)
      names += fmt::format("{}{}", names.empty() ? "" : ", environment ", setting.environment);
    fmt::print("{}\n    {}\n    range: {}; default: {}\n", names, meaning_of(setting), range_of(setting),
               default_value.empty() ? "none" : default_value);
  }
  if (as_json) fmt::print("{}\n", all.dump(2));
  return 0;
}

}  // namespace

Subcommand add_hints(CLI::App& app) {
  CLI::App* parser =
      app.add_subcommand("hints", "List every hint and setting, with its range, default and meaning");
  auto as_json = std::make_shared<bool>(false);
  parser->add_flag("--json", *as_json, "As JSON");
  parser->footer(
      "Hints can be set by the program (MPI_Info), by concilio run --hint NAME=VALUE, by CONCILIO_HINTS "
      "(NAME=VALUE;...), or by the\nfile that ROMIO_HINTS names. What the user sets takes precedence over "
      "what the program sets.");
  return {parser, [=] { return list_hints(*as_json); }};
}

}  // namespace concilio::tools
