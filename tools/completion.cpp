// concilio completion: lets a shell complete command lines, from the definitions that also make --help. And
// concilio help.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <sstream>
#include <string_view>
#include <utility>

#include "completion_text.h"
#include "subcommands.h"
#include "system/unknown_word.h"

namespace concilio::tools {

namespace {

struct Candidate {
  std::string word, meaning;
};

bool takes_value(const CLI::Option& option) {
  return option.get_expected_min() > 0 && option.get_type_size() > 0;
}

const CLI::App* subcommand_named(const CLI::App& app, const std::string& name) {
  for (const CLI::App* one : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (one->get_name() == name) return one;
  }
  return nullptr;
}

// The words of "TEXT:{short,full}".
std::vector<Candidate> choices_of(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const size_t begin = type.find('{'), end = type.find('}');
  std::vector<Candidate> choices;
  if (begin == type.npos || end == type.npos) return choices;
  for (std::string& word : CLI::detail::split(type.substr(begin + 1, end - begin - 1), ','))
    choices.push_back({std::move(word), ""});
  return choices;
}

std::vector<Candidate> words_of(const CLI::App& app) {
  std::vector<Candidate> all;
  for (const CLI::App* one : app.get_subcommands([](const CLI::App*) { return true; }))
    all.push_back({one->get_name(), one->get_description()});
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames())
      all.push_back({"--" + name, option->get_description()});
    for (const std::string& name : option->get_snames())
      all.push_back({"-" + name, option->get_description()});
  }
  return all;
}

// Whether another program reads the words of a subcommand, and its --help too.
bool has_help_of_its_own(const CLI::App& app) {
  return app.get_help_ptr() == nullptr;
}

// The options that a help lists, each at the beginning of a line: "  -n RANKS, --ranks RANKS".
std::vector<Candidate> options_in(const std::string& help) {
  std::vector<Candidate> all;
  std::istringstream lines(help);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("  -")) continue;
    std::istringstream words(line);
    for (std::string word; words >> word;) {
      if (word.back() == ',') word.pop_back();
      if (word.starts_with("--")) all.push_back({word, ""});
    }
  }
  return all;
}

// What may stand in the place of the last of the words. Nothing, where it may be any file or program.
std::vector<Candidate> candidates(const CLI::App& root, const Environment& environment, const Words& words) {
  const CLI::App* app = &root;
  for (size_t i = 0; i + 1 < words.size(); ++i) {
    const CLI::Option* option = app->get_option_no_throw(words[i]);
    if (option != nullptr && takes_value(*option)) {
      ++i;
      if (i + 1 == words.size()) return choices_of(*option);
    } else if (const CLI::App* deeper = subcommand_named(*app, words[i])) {
      app = deeper;
      if (has_help_of_its_own(*app)) return options_in(help_of_study(environment));
    } else if (words[i].empty() || words[i][0] != '-') {
      if (app->get_prefix_command()) return {};  // all that follows is the program's
    }
  }
  return words_of(*app);
}

int print_candidates(const CLI::App& root, const Environment& environment, Words words) {
  if (words.empty()) words.emplace_back();
  for (const Candidate& one : candidates(root, environment, words)) {
    // Options are many, and nobody who begins a name of a file wants them.
    const bool option = one.word[0] == '-', asked = words.back().starts_with('-');
    if (option != asked || !one.word.starts_with(words.back())) continue;
    fmt::print("{}{}{}\n", one.word, one.meaning.empty() ? "" : "\t", one.meaning);
  }
  return 0;
}

int print_help(const CLI::App& root, const Environment& environment, const Words& words) {
  const CLI::App* app = &root;
  std::string name = root.get_name();
  for (const std::string& word : words) {
    const CLI::App* const inner = subcommand_named(*app, word);
    if (inner == nullptr) {
      complain("help: " + unknown_command(*app, word));
      return exit_usage;
    }
    app = inner;
    name += " " + word;
  }
  if (has_help_of_its_own(*app)) {
    const std::string help = help_of_study(environment);
    if (help.empty()) {
      complain(
          "help: the help of study is that of its Python package, which cannot be run; see concilio study");
      return exit_usage;
    }
    fmt::print("{}", help);
    return 0;
  }
  // App::help() would be that of the command on the command line, which is "help".
  fmt::print("{}", app->get_formatter()->make_help(app, name, CLI::AppFormatMode::Normal));
  return 0;
}

}  // namespace

Subcommand add_completion(CLI::App& app, const Environment& environment,
                          const std::optional<Words>& after_mark) {
  CLI::App* parser = app.add_subcommand("completion", "Print what lets a shell complete command lines");
  for (const auto& [shell, text, how] :
       {std::tuple{"bash", completion_bash, "eval \"$(concilio completion bash)\" in ~/.bashrc"},
        std::tuple{"zsh", completion_zsh, "eval \"$(concilio completion zsh)\" in ~/.zshrc, behind compinit"},
        std::tuple{"fish", completion_fish, "concilio completion fish | source"}})
    parser->add_subcommand(shell, how)->callback([text = text] { fmt::print("{}", text); });
  // What the shells ask: concilio completion words -- WORDS. An empty group is not in the help.
  const CLI::App* words = parser->add_subcommand("words", "Print what may follow")->group("");
  parser->require_subcommand(1);
  return {parser, [&app, &environment, &after_mark, words] {
            return words->parsed() ? print_candidates(app, environment, after_mark.value_or(Words())) : 0;
          }};
}

Subcommand add_help(CLI::App& app, const Environment& environment) {
  CLI::App* parser = app.add_subcommand("help", "Print the help of a command");
  auto words = std::make_shared<Words>();
  parser->add_option("command", *words, "As in: concilio help run")->type_name("COMMAND");
  return {parser, [&app, &environment, words] { return print_help(app, environment, *words); }};
}

}  // namespace concilio::tools
