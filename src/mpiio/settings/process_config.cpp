#include "mpiio/settings/process_config.h"

#include <fmt/format.h>
#include <fnmatch.h>
#include <strings.h>

#include <cstring>
#include <string_view>

#include "base/exceptions.h"
#include "base/log.h"
#include "base/text/text.h"
#include "mpiio/api.h"

namespace concilio::mpiio {

const Config& process_config() {
  static const Config& config = *[] {
    auto* made = new Config(Config::from_environment());
    set_log_level(static_cast<LogLevel>(made->integer(Key::log_level)));
    return made;
  }();
  return config;
}

const char* plain_path(const char* path) {
  // Those of ROMIO's releases and of patches to it, which take capitals too. Any other name may have a colon.
  static constexpr std::string_view prefixes[] = {
      "ufs:",    "nfs:",    "xfs:",   "hfs:",     "sfs:",  "ntfs:",    "pfs:",   "piofs:",
      "pvfs:",   "pvfs2:",  "panfs:", "plfs:",    "gpfs:", "bg:",      "bgl:",   "bglockless:",
      "lustre:", "zoidfs:", "daos:",  "quobyte:", "ime:",  "unifyfs:", "testfs:"};
  for (std::string_view prefix : prefixes) {
    if (strncasecmp(path, prefix.data(), prefix.size()) == 0) return path + prefix.size();
  }
  return path;
}

namespace {

// Which files Concilio takes over. Every rank decides it alone, before all ranks meet. So they must not come
// to different answers because one of them has no memory: what decides is read without any.
class TakenOver {
 public:
  TakenOver() : none_(asked_in_environment(Key::disable)) {
    if_there_is_memory([] { (void)process_config(); });  // messages obey its log level from now on
    std::string_view globs = text_in_environment(Key::only);
    all_ = globs.empty();
    while (!globs.empty()) add(take_until(globs, ':'));
  }
  bool any() const { return !none_; }
  bool has(const char* path) const {
    if (none_) return false;
    if (all_) return true;
    const char* const name = plain_path(path ? path : "");
    const char* const slash = std::strrchr(name, '/');
    const char* const base = slash ? slash + 1 : name;
    for (size_t begin = 0; begin < used_; begin += std::strlen(globs_ + begin) + 1) {
      const char* const glob = globs_ + begin;
      if (fnmatch(glob, name, 0) == 0 || fnmatch(glob, base, 0) == 0) return true;
    }
    return false;
  }

 private:
  void add(std::string_view glob) {
    if (glob.empty()) return;
    if (glob.size() < sizeof globs_ - used_)
      used_ += glob.copy(globs_ + used_, glob.size()) + 1;
    else
      if_there_is_memory([&] {
        log_once_on_node(
            LogLevel::warning,
            fmt::format("CONCILIO_ONLY is too long: '{}' is ignored; give fewer patterns", glob));
      });
  }
  bool none_, all_ = false;
  size_t used_ = 0;
  char globs_[1 << 14]{};  // one after another, each with its NUL
};

const TakenOver& taken_over() {
  static const TakenOver read_once;
  return read_once;
}

}  // namespace

bool takes_over_any() {
  return taken_over().any();
}

bool takes_over(const char* path) {
  return taken_over().has(path);
}

}  // namespace concilio::mpiio
