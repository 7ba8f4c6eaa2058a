// Before any code of the program has run, the program can be started again with other libraries preloaded.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace concilio::bind {

// Where this library's file is, as the dynamic loader names it.
std::string own_path();

// Libraries to preload, in their order.
using Preloads = std::vector<std::string>;

// The first of them that is this library; their end if none is.
Preloads::const_iterator this_library_in(const Preloads& preloads);

// Starts the program again with what `changed` makes of its libraries. Returns if `changed` leaves them as
// they are, or if the program cannot be started.
void start_again(char** arguments, char** environment, const std::function<Preloads(Preloads)>& changed);

}  // namespace concilio::bind
