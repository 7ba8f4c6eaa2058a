// Which library of Concilio a command line needs, found from its launcher and its program; or what is wrong
// with it.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "launch/flavour.h"
#include "launch/launcher.h"
#include "system/process.h"

namespace concilio::tools {

struct Detection {
  Flavour flavour = Flavour::openmpi;
  // What is preloaded: Concilio's library, and behind it the program's own MPI library where Concilio's would
  // otherwise bring another file of the same name along.
  std::string preload;
  std::optional<LauncherKind> launcher;  // none: the first word is the program itself
};

// `chosen`: the flavour that the user gave, which nothing here then contradicts. kind no_such_file: there is
// no such program; any other kind: Concilio cannot be loaded into it, and the message says why and what to
// do.
Result<Detection> detect(const Words& words, const Environment& environment, std::optional<Flavour> chosen);

}  // namespace concilio::tools
