// Where Concilio's library was lost on the way to a program: what removed LD_PRELOAD, or into which program
// nothing can be preloaded.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "launch/launcher.h"
#include "system/environment.h"
#include "system/process.h"

namespace concilio::tools {

// The begin of a program that loaded the library, as src/bind/lifetime/note_loading.cpp notes it.
struct Loading {
  std::string folder;  // where it was started
  Words words;
};
// In the order in which they began.
std::vector<Loading> loadings_in(std::string_view notes);

// What took the library away, or keeps it out, in words that a sentence may begin with, and what to do about
// it: "wrapper.sh removes LD_PRELOAD (line 3: unset LD_PRELOAD): ...". `command` is what the user started,
// and where it begins with a launcher, only the ranks' programs and their arguments. Empty: it is unknown.
std::string who_lost_preload(const std::vector<Loading>& loadings, const Words& command,
                             const Environment& environment);

// The option by which a launcher is told of hosts: "--host a,b"; empty if there is none.
std::string option_of_hosts(const LauncherLine& line);

}  // namespace concilio::tools
