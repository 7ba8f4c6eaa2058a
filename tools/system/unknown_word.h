// What the command says of a word on its line that nothing knows, with the known one that is nearest.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace concilio::tools {

// "bench suite" of a parser within another one; nothing of the outermost one.
std::string command_of(const CLI::App& parser);
// "there is no command reprot; did you mean report? see concilio --help"
std::string unknown_command(const CLI::App& parser, const std::string& word);
// "report: unknown option --trce; did you mean --trace? see concilio report --help"
std::string unknown_option(const CLI::App& parser, const std::string& word);

}  // namespace concilio::tools
