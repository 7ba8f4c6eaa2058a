// The subcommands of `concilio`, one file each. Each adds itself to the command line, and returns the
// function that runs it if the user has given it.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <optional>
#include <string>

#include "system/complain.h"
#include "system/environment.h"
#include "system/process.h"

namespace concilio::tools {

struct Subcommand {
  CLI::App* parser;
  std::function<int()> run;  // returns the exit status
};

// `after_mark` holds the words after the first "--", which the parser does not see.
Subcommand add_run(CLI::App& app, const Environment& environment, const std::optional<Words>& after_mark);
Subcommand add_bench(CLI::App& app, const Environment& environment);
// Subcommands of `concilio bench`.
Subcommand add_bench_suite(CLI::App& bench, const Environment& environment);
Subcommand add_bench_scorpio(CLI::App& bench, const Environment& environment);
Subcommand add_probe(CLI::App& app, const Environment& environment);
Subcommand add_explain(CLI::App& app);
Subcommand add_study(CLI::App& app, const Environment& environment);
Subcommand add_simulate(CLI::App& app, const Environment& environment);
// The help of its Python package, which alone knows its options; empty if it cannot be run.
std::string help_of_study(const Environment& environment);
Subcommand add_report(CLI::App& app);
// These two know all the others.
Subcommand add_completion(CLI::App& app, const Environment& environment,
                          const std::optional<Words>& after_mark);
Subcommand add_help(CLI::App& app, const Environment& environment);
Subcommand add_hints(CLI::App& app);
Subcommand add_version(CLI::App& app, const Environment& environment);

}  // namespace concilio::tools
