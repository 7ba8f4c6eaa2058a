#include "system/process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <iterator>

namespace concilio::tools {

namespace {

volatile sig_atomic_t child_of_signals = 0;  // if negative, the process group of this number; 0: none
volatile sig_atomic_t stopped_by = 0;  // the last SIGINT, SIGTERM or SIGHUP that was passed to the child
constexpr int forwarded_signals[] = {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};

void forward(int signal_number, siginfo_t* info, void*) {
  // The kernel sends a signal from the terminal to the child too. A second one would make mpirun kill its
  // ranks at once.
  const bool child_has_it = info->si_code == SI_KERNEL && child_of_signals > 0;
  const int saved_errno = errno;
  if (signal_number == SIGINT || signal_number == SIGTERM || signal_number == SIGHUP)
    stopped_by = signal_number;
  if (child_of_signals != 0 && !child_has_it) kill(child_of_signals, signal_number);
  errno = saved_errno;
}

class SignalForwarding {
 public:
  SignalForwarding() {
    stopped_by = 0;
    struct sigaction action = {};
    action.sa_sigaction = forward;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    sigemptyset(&action.sa_mask);
    // Signals are blocked until there is a child that can receive them.
    sigset_t held;
    sigemptyset(&held);
    for (const int number : forwarded_signals) sigaddset(&held, number);
    sigprocmask(SIG_BLOCK, &held, &mask_before_);
    for (size_t i = 0; i < std::size(forwarded_signals); ++i) {
      sigaction(forwarded_signals[i], nullptr, &before_[i]);
      // A signal that our caller ignores (nohup) is ignored by the child as well.
      if (before_[i].sa_handler != SIG_IGN) sigaction(forwarded_signals[i], &action, nullptr);
    }
  }
  const sigset_t& mask_before() const { return mask_before_; }
  void begin(pid_t child_or_group) {
    child_of_signals = child_or_group;
    sigprocmask(SIG_SETMASK, &mask_before_, nullptr);
  }
  ~SignalForwarding() {
    sigprocmask(SIG_SETMASK, &mask_before_, nullptr);
    child_of_signals = 0;
    for (size_t i = 0; i < std::size(forwarded_signals); ++i)
      sigaction(forwarded_signals[i], &before_[i], nullptr);
  }
  SignalForwarding(const SignalForwarding&) = delete;
  SignalForwarding& operator=(const SignalForwarding&) = delete;

 private:
  struct sigaction before_[std::size(forwarded_signals)];
  sigset_t mask_before_;
};

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> all;
  for (std::string& string : strings) all.push_back(string.data());
  all.push_back(nullptr);
  return all;
}

Result<pid_t> spawn(Words words, const Environment& environment, posix_spawn_file_actions_t* files,
                    const SignalForwarding& forwarding, bool own_group) {
  const auto path = environment.find_executable(words.at(0));
  if (!path) return command_not_found(words[0]);
  // If our caller ignores SIGCHLD, the kernel forgets the child's status before anybody asks for it.
  signal(SIGCHLD, SIG_DFL);
  std::vector<std::string> entries = environment.entries();
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setsigmask(&attributes, &forwarding.mask_before());
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(
      &attributes, static_cast<short>(POSIX_SPAWN_SETSIGMASK | (own_group ? POSIX_SPAWN_SETPGROUP : 0)));
  pid_t child = 0;
  const int failed = posix_spawn(&child, path->c_str(), files, &attributes, pointers(words).data(),
                                 pointers(entries).data());
  posix_spawnattr_destroy(&attributes);
  if (failed) return Error::from_errno(failed, "cannot run " + *path);
  return child;
}

int wait_for(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return exit_failure;
  }
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

void write_all(int descriptor, const char* bytes, size_t size) {
  while (size > 0) {
    const ssize_t wrote = write(descriptor, bytes, size);
    if (wrote < 0 && errno != EINTR) return;
    if (wrote <= 0) continue;
    bytes += wrote;
    size -= static_cast<size_t>(wrote);
  }
}

struct Pipe {
  int read_end = -1, write_end = -1;
  bool open() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return false;
    read_end = ends[0];
    write_end = ends[1];
    return true;
  }
  void close_write() {
    if (write_end >= 0) close(write_end);
    write_end = -1;
  }
  ~Pipe() {
    close_write();
    if (read_end >= 0) close(read_end);
  }
};

}  // namespace

Error command_not_found(const std::string& name) {
  return {ErrorKind::no_such_file, ENOENT,
          name + ": command not found; correct its name, or name it by its path"};
}

Result<int> run_to_end(const Words& words, const Environment& environment, Forward forward) {
  SignalForwarding forwarding;
  const Result<pid_t> child = spawn(words, environment, nullptr, forwarding, false);
  if (!child) return child.error();
  forwarding.begin(forward == Forward::yes ? *child : 0);
  return wait_for(*child);
}

Error replace_by(const Words& words, const Environment& environment) {
  const auto path = environment.find_executable(words.at(0));
  if (!path) return command_not_found(words[0]);
  Words arguments = words;
  std::vector<std::string> entries = environment.entries();
  execve(path->c_str(), pointers(arguments).data(), pointers(entries).data());
  return Error::from_errno(errno, "cannot run " + *path);
}

Result<Captured> capture(const Words& words, const Environment& environment, double timeout_seconds,
                         Echo echo) {
  std::array<Pipe, 2> pipes;
  for (Pipe& pipe : pipes) {
    if (!pipe.open()) return Error::from_errno(errno, "cannot make a pipe");
  }
  SignalForwarding forwarding;
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&files, pipes[0].write_end, 1);
  posix_spawn_file_actions_adddup2(&files, pipes[1].write_end, 2);
  const Result<pid_t> child = spawn(words, environment, &files, forwarding, true);
  posix_spawn_file_actions_destroy(&files);
  if (!child) return child.error();
  forwarding.begin(-*child);

  Captured captured;
  std::array<std::string*, 2> texts = {&captured.output, &captured.errors};
  std::array<pollfd, 2> polled{};
  for (size_t i = 0; i < pipes.size(); ++i) {
    pipes[i].close_write();
    polled[i] = {pipes[i].read_end, POLLIN, 0};
  }
  using Clock = std::chrono::steady_clock;
  const auto deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                           std::chrono::duration<double>(timeout_seconds));
  bool timed_out = false;
  while (polled[0].fd >= 0 || polled[1].fd >= 0) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) {
      timed_out = true;
      kill(-*child, SIGKILL);
      break;
    }
    if (poll(polled.data(), polled.size(), static_cast<int>(std::min<int64_t>(left + 1, 1000))) <= 0)
      continue;
    for (size_t i = 0; i < polled.size(); ++i) {
      if (polled[i].fd < 0 || polled[i].revents == 0) continue;
      char bytes[4096];
      const ssize_t got = read(polled[i].fd, bytes, sizeof bytes);
      if (got > 0) {
        texts[i]->append(bytes, static_cast<size_t>(got));
        if (echo == Echo::yes)
          write_all(i == 0 ? STDOUT_FILENO : STDERR_FILENO, bytes, static_cast<size_t>(got));
      } else if (got == 0 || errno != EINTR) {
        polled[i].fd = -1;
      }
    }
  }
  captured.exit_status = wait_for(*child);
  if (timed_out) captured.exit_status = exit_timeout;
  return captured;
}

int status_after_signals(int exit_status) {
  return stopped_by != 0 ? 128 + stopped_by : exit_status;
}

int stop_signal() {
  return stopped_by;
}

}  // namespace concilio::tools
