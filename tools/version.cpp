// concilio version: prints the version of this command, and the MPIs that it has libraries for.
#include <fmt/format.h>

#include "launch/installation.h"
#include "subcommands.h"

namespace concilio::tools {

Subcommand add_version(CLI::App& app, const Environment& environment) {
  CLI::App* parser =
      app.add_subcommand("version", "Print the version, and the MPIs that there are libraries for");
  return {parser, [&environment] {
            fmt::print("concilio {}\n", CONCILIO_VERSION);
            for (const Installed& installed : installed_libraries(environment))
              fmt::print("{}: {}\n", installed.described(), installed.path);
            return 0;
          }};
}

}  // namespace concilio::tools
