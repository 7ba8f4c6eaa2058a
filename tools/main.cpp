// The `concilio` command.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <exception>
#include <optional>

#include "subcommands.h"
#include "system/process.h"

namespace concilio::tools {

namespace {

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
  } catch (const CLI::ParseError& error) {
    complain(fmt::format("{}; see concilio --help", error.what()));
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
