// The `concilio` command.
#include <fmt/format.h>
#include <unistd.h>

#include <exception>

#include "process.h"
#include "subcommands.h"

namespace concilio::tools {

namespace {

int run_main(int argument_count, char** arguments) {
  const Environment environment(environ);
  CLI::App app("Concilio: faster, bounded and explained MPI-IO for unmodified programs", "concilio");
  app.set_version_flag("--version", "concilio " CONCILIO_VERSION);
  app.require_subcommand(0, 1);
  const Subcommand subcommands[] = {add_run(app, environment), add_bench(app, environment), add_hints(app),
                                    add_version(app)};
  try {
    app.parse(argument_count, arguments);
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
    return concilio::tools::run_main(argument_count, arguments);
  } catch (const std::exception& error) {
    concilio::tools::complain(error.what());
    return concilio::tools::exit_failure;
  }
}
