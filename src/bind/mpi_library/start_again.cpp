#include "bind/mpi_library/start_again.h"

#include <dlfcn.h>
#include <sys/auxv.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string_view>

extern "C" const char concilio_built_for[];

namespace concilio::bind {
namespace {

constexpr std::string_view preload = "LD_PRELOAD=";

// A list as in LD_PRELOAD, whose separators are spaces and colons.
Preloads preloads_of(std::string_view list) {
  Preloads all;
  while (!list.empty()) {
    const size_t end = std::min(list.find_first_of(": "), list.size());
    if (end > 0) all.emplace_back(list.substr(0, end));
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return all;
}

}  // namespace

std::string own_path() {
  Dl_info found;
  return dladdr(concilio_built_for, &found) != 0 && found.dli_fname ? found.dli_fname : "";
}

Preloads::const_iterator this_library_in(const Preloads& preloads) {
  const std::filesystem::path own = own_path();
  return std::find_if(preloads.begin(), preloads.end(), [&](const std::string& one) {
    std::error_code other;
    return std::filesystem::equivalent(one, own, other) || one == own.filename().string();
  });
}

void start_again(char** arguments, char** environment, const std::function<Preloads(Preloads)>& changed) {
  std::vector<char*> kept;
  std::string list;
  bool differs = false;
  for (char** one = environment; *one; ++one) {
    const std::string_view text = *one;
    if (!text.starts_with(preload)) {
      kept.push_back(*one);
      continue;
    }
    const Preloads before = preloads_of(text.substr(preload.size())), after = changed(before);
    differs = after != before;
    list = preload;
    for (const std::string& library : after)
      list.append(list.size() == preload.size() ? "" : ":").append(library);
    if (!after.empty()) kept.push_back(list.data());
  }
  kept.push_back(nullptr);
  // If this library was loaded by other means than LD_PRELOAD, starting again would never end. And where the
  // dynamic loader itself was started, with the program as its argument, the kernel has loaded no other
  // loader (AT_BASE), and the arguments that are left do not name the program.
  if (differs && getauxval(AT_BASE) != 0) execve("/proc/self/exe", arguments, kept.data());
}

}  // namespace concilio::bind
