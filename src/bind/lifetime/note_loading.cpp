// Notes which programs this library is loaded into, for a `concilio run` that has made a file for it: where
// no program with MPI is among them, the last ones tell who took the library away (LD_PRELOAD) on the way to
// it. Whoever sets CONCILIO_REPORT without `concilio run` has no such file, and then this is one system call.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <string>

#include "base/exceptions.h"
#include "base/json_text.h"
#include "base/settings/config.h"
#include "base/system/descriptor.h"

namespace concilio::bind {
namespace {

// A script may start programs without end.
constexpr off_t most_bytes = 1 << 20;
constexpr int most_words = 64;

[[gnu::constructor]] void note_loading(int count, char** words, char**) {
  if_there_is_memory([&] {
    const std::string report(text_in_environment(Key::report));
    if (report.empty()) return;
    const Descriptor notes(::open((report + ".loaded").c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
    struct stat status {};
    if (notes.number() < 0 || ::fstat(notes.number(), &status) != 0 || status.st_size > most_bytes) return;
    char folder[4096] = "";
    JsonText note;
    note.object([&] {
      note.member("folder", ::getcwd(folder, sizeof folder) ? folder : "");
      note.name("words");
      note.array([&] {
        for (int i = 0; i < std::min(count, most_words); ++i) note.value(words[i]);
      });
    });
    const std::string line = std::move(note).text() + '\n';
    (void)!::write(notes.number(), line.data(), line.size());
  });
}

}  // namespace
}  // namespace concilio::bind
