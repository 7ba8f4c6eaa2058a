#include "system/unknown_word.h"

#include <fmt/format.h>

#include <deque>

#include "base/text/nearest_name.h"

namespace concilio::tools {

namespace {

// "unknown option --trce; did you mean --trace? see concilio report --help"
std::string told(const std::string& what, const NearestName& nearest, const std::string& command) {
  const std::string question = nearest.question();
  return fmt::format("{}{} see concilio {}--help", what, question.empty() ? ";" : question,
                     command.empty() ? "" : command + " ");
}

}  // namespace

std::string command_of(const CLI::App& parser) {
  const CLI::App* outer = parser.get_parent();
  if (outer == nullptr) return {};
  const std::string before = command_of(*outer);
  return before.empty() ? parser.get_name() : before + " " + parser.get_name();
}

std::string unknown_command(const CLI::App& parser, const std::string& word) {
  NearestName nearest(word);
  for (const CLI::App* one : parser.get_subcommands({})) nearest.consider(one->get_name().c_str());
  return told("there is no command " + word, nearest, command_of(parser));
}

std::string unknown_option(const CLI::App& parser, const std::string& word) {
  const std::string name = word.substr(0, word.find('='));
  std::deque<std::string> known;  // what it holds stays where it is
  NearestName nearest(name);
  for (const CLI::Option* option : parser.get_options()) {
    for (const std::string& one : option->get_lnames())
      nearest.consider(known.emplace_back("--" + one).c_str());
  }
  const std::string command = command_of(parser);
  return told(fmt::format("{}{}unknown option {}", command, command.empty() ? "" : ": ", name), nearest,
              command);
}

}  // namespace concilio::tools
