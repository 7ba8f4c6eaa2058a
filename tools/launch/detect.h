// Finds which of Concilio's libraries a command line needs, by its launcher and its program, or what is wrong
// with the command line.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "launch/flavour.h"
#include "launch/launcher.h"
#include "system/process.h"

namespace concilio::tools {

struct Detection {
  Flavour flavour = Flavour::openmpi;
  // What is preloaded: Concilio's library, and after it the program's own MPI library, if Concilio's library
  // would otherwise load another file of the same name. Before it comes what refuses to run behind others.
  std::string preload;
  std::optional<LauncherLine> launcher;  // none if the program is started without one
  std::vector<std::string> notes;        // what the user should know
};

// If the user has given a flavour, `chosen`, nothing here contradicts it. An error of kind no_such_file means
// that there is no such program. With any other kind, Concilio cannot be loaded into the program, and the
// message says why and what to do.
Result<Detection> detect(const Words& words, const Environment& environment, std::optional<Flavour> chosen);

}  // namespace concilio::tools
