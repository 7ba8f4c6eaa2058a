#include "probe/measure/workplace.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <filesystem>

namespace concilio::probe {

namespace {

constexpr const char* folder_pattern = ".concilio-probe.XXXXXX";
constexpr int ending_signals[] = {SIGINT, SIGTERM, SIGHUP};

// The paths that a signal handler removes. They have fixed lengths, because the handler can neither allocate
// memory nor take a lock.
struct Doomed {
  char data[PATH_MAX], fresh[PATH_MAX], folder[PATH_MAX];
  char beside[PATH_MAX];  // a profile that is being written
};
Doomed doomed;

void remove_doomed(int signal_number) {
  unlink(doomed.beside);
  // Another thread may be making a file at this moment, so it tries several times.
  for (int i = 0; i < 20; ++i) {
    unlink(doomed.data);
    unlink(doomed.fresh);
    if (rmdir(doomed.folder) == 0 || errno == ENOENT) break;
    poll(nullptr, 0, 5);
  }
  // SA_RESETHAND has restored the default action, so this ends the process in the usual way.
  raise(signal_number);
}

bool set(char (&to)[PATH_MAX], const std::string& path) {
  if (path.size() >= sizeof to) return false;
  memcpy(to, path.c_str(), path.size() + 1);
  return true;
}

Status write_whole(int descriptor, const std::string& text, const std::string& path) {
  for (size_t done = 0; done < text.size();) {
    const ssize_t wrote = write(descriptor, text.data() + done, text.size() - done);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) return Error::from_errno(errno, "cannot write " + path);
    done += static_cast<size_t>(wrote);
  }
  if (fsync(descriptor) != 0) return Error::from_errno(errno, "cannot write " + path);
  return {};
}

}  // namespace

std::string data_file_of(const std::string& workplace) {
  return workplace + "/data";
}
std::string new_file_of(const std::string& workplace) {
  return workplace + "/new";
}

Result<std::string> make_workplace(const std::string& folder) {
  struct stat facts;
  if (stat(folder.c_str(), &facts) != 0) return Error::from_errno(errno, "cannot use " + folder);
  if (!S_ISDIR(facts.st_mode))
    return Error{ErrorKind::bad_file, ENOTDIR, fmt::format("{} is not a folder", folder)};
  // The probe's processes may have other working directories.
  std::error_code failed;
  std::string path = (std::filesystem::absolute(folder, failed) / folder_pattern).string();
  if (failed) path = folder + "/" + folder_pattern;
  if (mkdtemp(path.data()) == nullptr)
    return Error::from_errno(errno, fmt::format("cannot make files in {}", folder));
  return path;
}

void remove_workplace(const std::string& workplace) {
  unlink(data_file_of(workplace).c_str());
  unlink(new_file_of(workplace).c_str());
  rmdir(workplace.c_str());
}

Result<std::string> make_workplace_until_signal(const std::string& folder) {
  // No signal may arrive between making the folder and installing the handlers.
  sigset_t held, before;
  sigemptyset(&held);
  for (const int number : ending_signals) sigaddset(&held, number);
  pthread_sigmask(SIG_BLOCK, &held, &before);
  auto made = make_workplace(folder);
  if (made) remove_on_signals(*made);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return made;
}

void remove_on_signals(const std::string& workplace) {
  if (!set(doomed.data, data_file_of(workplace)) || !set(doomed.fresh, new_file_of(workplace)) ||
      !set(doomed.folder, workplace))
    return;
  struct sigaction action = {};
  action.sa_handler = remove_doomed;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigemptyset(&action.sa_mask);
  for (const int number : ending_signals) {
    struct sigaction before;
    // A signal that the caller chose to ignore (nohup) stays ignored.
    if (sigaction(number, nullptr, &before) == 0 && before.sa_handler != SIG_IGN)
      sigaction(number, &action, nullptr);
  }
}

Status check_place(const std::string& path) {
  std::error_code failed;
  const std::filesystem::path target = std::filesystem::absolute(path, failed);
  if (failed || path.empty())
    return Error{ErrorKind::no_such_file, ENOENT, fmt::format("cannot write '{}'", path)};
  if (std::filesystem::is_directory(target, failed))
    return Error{ErrorKind::bad_file, EISDIR, fmt::format("cannot write {}: it is a folder", path)};
  std::filesystem::path folder = target.parent_path();
  while (folder.has_relative_path() && !std::filesystem::exists(folder, failed))
    folder = folder.parent_path();
  // Access rights alone do not show that a file system is read-only, so it tries.
  std::string attempt = (folder / folder_pattern).string();
  if (mkdtemp(attempt.data()) == nullptr) return Error::from_errno(errno, "cannot write " + path);
  rmdir(attempt.c_str());
  return {};
}

Status replace_file(const std::string& path, const std::string& text) {
  const std::filesystem::path target(path);
  std::error_code failed;
  if (target.has_parent_path()) std::filesystem::create_directories(target.parent_path(), failed);
  std::string beside = path + ".XXXXXX";
  const int descriptor = mkstemp(beside.data());
  if (descriptor < 0) return Error::from_errno(errno, "cannot write " + path);
  set(doomed.beside, std::filesystem::absolute(beside, failed).string());
  Status status = write_whole(descriptor, text, path);
  // mkstemp makes a file that only its owner can read. A profile may be read by everybody whom the umask
  // allows.
  const mode_t mask = umask(0);
  umask(mask);
  fchmod(descriptor, 0666 & ~mask);
  close(descriptor);
  if (status.ok() && rename(beside.c_str(), path.c_str()) != 0)
    status = Error::from_errno(errno, "cannot write " + path);
  if (!status) unlink(beside.c_str());
  doomed.beside[0] = '\0';
  return status;
}

}  // namespace concilio::probe
