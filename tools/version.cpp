// concilio version: the version of this command.
#include <fmt/format.h>

#include "subcommands.h"

namespace concilio::tools {

Subcommand add_version(CLI::App& app) {
  CLI::App* parser = app.add_subcommand("version", "Print the version");
  return {parser, [] {
            fmt::print("concilio {}\n", CONCILIO_VERSION);
            return 0;
          }};
}

}  // namespace concilio::tools
