#include "system/temporary_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>

namespace concilio::tools {

namespace fs = std::filesystem;

namespace {

constexpr const char* unknown_characters = "XXXXXX";

// The lock of a folder of this user; none if somebody else has it, or the folder is no longer there.
Descriptor try_to_hold(const std::string& path) {
  Descriptor folder(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat status {};
  const bool held = folder && fstat(folder.number(), &status) == 0 && status.st_uid == geteuid() &&
                    flock(folder.number(), LOCK_EX | LOCK_NB) == 0 &&
                    // The one who had the lock before may have removed the folder.
                    fstat(folder.number(), &status) == 0 && status.st_nlink > 0;
  return held ? std::move(folder) : Descriptor();
}

void remove_what_nobody_holds(const std::string& parent, const std::string& prefix) {
  const size_t length = prefix.size() + std::char_traits<char>::length(unknown_characters);
  std::error_code unreadable;
  for (fs::directory_iterator entry(parent, unreadable), end; !unreadable && entry != end;
       entry.increment(unreadable)) {
    const std::string name = entry->path().filename().string();
    if (name.size() != length || !name.starts_with(prefix)) continue;
    if (const Descriptor held = try_to_hold(entry->path().string())) {
      std::error_code left_behind;
      fs::remove_all(entry->path(), left_behind);
    }
  }
}

}  // namespace

Result<TemporaryFolder> TemporaryFolder::make(const std::string& parent, const std::string& prefix) {
  remove_what_nobody_holds(parent, prefix);
  // Between mkdtemp and the lock, another command may take the folder for one that nobody holds.
  constexpr int attempts = 100;
  for (int i = 0; i < attempts; ++i) {
    std::string path = parent;
    path.append("/").append(prefix).append(unknown_characters);
    if (!mkdtemp(path.data())) return Error::from_errno(errno, "cannot make a temporary folder in " + parent);
    if (Descriptor held = try_to_hold(path)) return TemporaryFolder(std::move(path), std::move(held));
    rmdir(path.c_str());
  }
  // Without locks nobody could tell which folders are in use.
  return Error{ErrorKind::unsupported, 0, "the file system of " + parent + " has no locks (flock)"};
}

TemporaryFolder::~TemporaryFolder() {
  if (!held_) return;
  std::error_code left_behind;
  fs::remove_all(path_, left_behind);
}

}  // namespace concilio::tools
