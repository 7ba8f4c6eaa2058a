#include "system/process.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace concilio::tools {
namespace {

Environment with_path() {
  Environment environment;
  environment.set("PATH", "/usr/bin:/bin");
  return environment;
}

TEST(Process, HasAStatusThoughOurCallerIgnoresSigchld) {
  const auto before = signal(SIGCHLD, SIG_IGN);
  const auto ended = run_to_end({"sh", "-c", "exit 7"}, with_path());
  signal(SIGCHLD, SIG_IGN);
  const auto captured = capture({"sh", "-c", "exit 8"}, with_path(), 20);
  signal(SIGCHLD, before);
  ASSERT_TRUE(ended);
  EXPECT_EQ(*ended, 7);
  ASSERT_TRUE(captured);
  EXPECT_EQ(captured->exit_status, 8);
}

// How often a program gets a signal that is sent to its whole process group.
int64_t signals_of_group(Forward forward) {
  const std::string folder = testing::TempDir();
  const std::string ready = folder + "/signals.ready", got = folder + "/signals.got";
  std::filesystem::remove(ready);
  std::filesystem::remove(got);
  const std::string program = "trap 'echo one >> " + got + "' USR1; echo > " + ready +
                              "; for i in 1 2 3 4 5 6 7 8; do sleep 0.1; done";
  const pid_t group = fork();
  if (group == 0) {
    setpgid(0, 0);
    _exit(run_to_end({"sh", "-c", program}, with_path(), forward).ok() ? 0 : 1);
  }
  for (int i = 0; i < 500 && !std::filesystem::exists(ready); ++i) usleep(10'000);
  kill(-group, SIGUSR1);
  waitpid(group, nullptr, 0);
  std::ifstream lines(got);
  return std::count(std::istreambuf_iterator<char>(lines), std::istreambuf_iterator<char>(), '\n');
}

TEST(Process, GetsASignalOfAWholeGroupOnceIfNoneIsPassedOn) {
  EXPECT_EQ(signals_of_group(Forward::no), 1);
}

}  // namespace
}  // namespace concilio::tools
