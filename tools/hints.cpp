// concilio hints: lists every setting, with its range, default and meaning.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "base/config.h"
#include "subcommands.h"

namespace concilio::tools {

namespace {

std::string bound_text(const Setting& setting, int64_t bound) {
  if (bound == INT64_MAX) return "unlimited";
  return setting.type == ValueType::bytes ? format_bytes(bound) : std::to_string(bound);
}

std::string range_of(const Setting& setting) {
  switch (setting.type) {
    case ValueType::integer:
    case ValueType::bytes:
      return fmt::format("{} to {}", bound_text(setting, setting.minimum),
                         bound_text(setting, setting.maximum));
    case ValueType::boolean:
      return "true or false";
    case ValueType::choice:
      return setting.choices;
    case ValueType::text:
      break;
  }
  return "text";
}

int list_hints(bool as_json) {
  nlohmann::json all = nlohmann::json::array();
  for (const Setting& setting : settings()) {
    const std::string default_value = setting.default_value ? setting.default_value : "";
    if (as_json) {
      all.push_back(
          {{"hint", setting.hint ? nlohmann::json(setting.hint) : nlohmann::json()},
           {"environment", setting.environment ? nlohmann::json(setting.environment) : nlohmann::json()},
           {"range", range_of(setting)},
           {"default", default_value},
           {"help", setting.help}});
      continue;
    }
    std::string names = setting.hint ? setting.hint : "";
    if (setting.environment)
      names += fmt::format("{}{}", names.empty() ? "" : ", environment ", setting.environment);
    fmt::print("{}\n    {}\n    range: {}; default: {}\n", names, setting.help, range_of(setting),
               default_value.empty() ? "none" : default_value);
  }
  if (as_json) fmt::print("{}\n", all.dump(2));
  return 0;
}

}  // namespace

Subcommand add_hints(CLI::App& app) {
  CLI::App* parser = app.add_subcommand("hints", "List every hint and setting: range, default, meaning");
  auto as_json = std::make_shared<bool>(false);
  parser->add_flag("--json", *as_json, "As JSON");
  parser->footer(
      "Hints are set by the program (MPI_Info), by concilio run --hint NAME=VALUE, or by a file that "
      "ROMIO_HINTS\n"
      "names; what the user sets wins over what the program sets.");
  return {parser, [=] { return list_hints(*as_json); }};
}

}  // namespace concilio::tools
