// The `concilio` command.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <exception>
#include <optional>

#include "subcommands.h"
#include "system/process.h"
#include "system/unknown_word.h"

namespace concilio::tools {

namespace {

// The innermost command that the line names.
const CLI::App& parser_that_was_named(const CLI::App& app) {
  const CLI::App* parser = &app;
  while (!parser->get_subcommands().empty()) parser = parser->get_subcommands()[0];
  return *parser;
}

// What CLI11 has left over is unknown: an option, a command, or one word more than the command takes.
std::string told_of_extra_words(const CLI::App& app) {
  const CLI::App& parser = parser_that_was_named(app);
  const Words extra = app.remaining(true);
  for (const std::string& word : extra) {
    if (word.starts_with('-')) return unknown_option(parser, word);
  }
  if (&parser == &app) return unknown_command(app, extra.front());
  return fmt::format("{0}: unexpected: {1}; see concilio {0} --help", command_of(parser),
                     fmt::join(extra, " "));
}

int run_main(Words words) {
  // CLI11 would take the words after "--" for arguments of the command itself.
  std::optional<Words> after_mark;
  const auto mark = std::find(words.begin(), words.end(), "--");
  const bool has_another_line = !words.empty() && (words[0] == "run" || words[0] == "completion");
  if (has_another_line && mark != words.end()) {
    after_mark.emplace(mark + 1, words.end());
    words.erase(mark, words.end());
  }
  const Environment environment(environ);
  CLI::App app(
      "Concilio: faster MPI-IO in bounded memory for unmodified programs, with reasons for what it does",
      "concilio");
  app.set_version_flag("--version", "concilio " CONCILIO_VERSION);
  app.require_subcommand(0, 1);
  const Subcommand subcommands[] = {add_run(app, environment, after_mark),
                                    add_bench(app, environment),
                                    add_probe(app, environment),
                                    add_explain(app),
                                    add_study(app, environment),
                                    add_simulate(app, environment),
                                    add_report(app),
                                    add_hints(app),
                                    add_version(app, environment),
                                    add_completion(app, environment, after_mark),
                                    add_help(app, environment)};
  try {
    std::reverse(words.begin(), words.end());  // CLI11 expects the last word first
    app.parse(words);
  } catch (const CLI::Success& success) {
    return app.exit(success);
  } catch (const CLI::ExtrasError&) {
    complain(told_of_extra_words(app));
    return exit_usage;
  } catch (const CLI::ParseError& error) {
    const std::string command = command_of(parser_that_was_named(app));
    complain(command.empty() ? fmt::format("{}; see concilio --help", error.what())
                             : fmt::format("{0}: {1}; see concilio {0} --help", command, error.what()));
    return exit_usage;
  }
  for (const Subcommand& subcommand : subcommands) {
    if (subcommand.parser->parsed()) return subcommand.run();
  }
  fmt::print("{}", app.help());
  return 0;
}

}  // namespace
}  // namespace concilio::tools

int main(int argument_count, char** arguments) {
  try {
    return concilio::tools::run_main({arguments + 1, arguments + argument_count});
  } catch (const std::exception& error) {
    concilio::tools::complain(error.what());
    return concilio::tools::exit_failure;
  }
}
