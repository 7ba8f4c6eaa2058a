#include "bind/lifetime/report_begins.h"

#include <fcntl.h>
#include <unistd.h>

#include <string>

#include "base/activity/activity.h"
#include "base/exceptions.h"
#include "base/job/launcher_rank.h"
#include "base/settings/config.h"
#include "bind/mpi_library/fits.h"

namespace concilio::bind {

void report_begins() {
  if (!fits()) return;
  activity_begins();
  if_there_is_memory([] {
    const std::string path(text_in_environment(Key::report));
    if (path.empty() || asked_in_environment(Key::disable) || launcher_rank().value_or(0) != 0) return;
    // If it cannot be made, a warning says so when the first file is closed.
    const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (descriptor >= 0) ::close(descriptor);
  });
}

}  // namespace concilio::bind
