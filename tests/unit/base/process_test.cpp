#include "base/system/process.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace concilio::process_test {
namespace {

// A child that tells its identity and waits to be killed.
struct Child {
  pid_t pid = -1;
  ProcessId id;

  Child() {
    int ends[2];
    if (pipe(ends) != 0) return;
    pid = fork();
    if (pid == 0) {
      const ProcessId own = this_process();
      (void)!write(ends[1], &own, sizeof own);
      for (;;) pause();
    }
    ProcessId said;
    EXPECT_EQ(read(ends[0], &said, sizeof said), static_cast<ssize_t>(sizeof said));
    id = said;
    close(ends[0]);
    close(ends[1]);
  }
};

TEST(Process, RunsUntilItIsKilled) {
  Child child;
  EXPECT_EQ(child.id.pid, child.pid);
  EXPECT_FALSE(has_ended(child.id));
  EXPECT_FALSE(has_ended(this_process()));
  kill(child.pid, SIGKILL);
  siginfo_t ended;
  waitid(P_PID, static_cast<id_t>(child.pid), &ended, WEXITED | WNOWAIT);
  EXPECT_TRUE(has_ended(child.id)) << "nobody has asked for it yet";
  waitpid(child.pid, nullptr, 0);
  EXPECT_TRUE(has_ended(child.id));
}

TEST(Process, StoppedOneRuns) {
  Child child;
  kill(child.pid, SIGSTOP);
  waitpid(child.pid, nullptr, WUNTRACED);
  EXPECT_FALSE(has_ended(child.id));
  kill(child.pid, SIGKILL);
  waitpid(child.pid, nullptr, 0);
}

TEST(Process, AnotherOfTheSameNumber) {
  ProcessId other = this_process();
  ++other.start_ticks;
  EXPECT_TRUE(has_ended(other));
  ++other.time_namespace;  // its clock counts from another time
  EXPECT_FALSE(has_ended(other));
}

TEST(Process, NumberOfAnotherContainerMeansNothing) {
  ProcessId other = this_process();
  other.pid = 1 << 30;
  EXPECT_TRUE(has_ended(other));
  ++other.pid_namespace;
  EXPECT_FALSE(has_ended(other));
  other.pid_namespace = 0;
  EXPECT_FALSE(has_ended(other));
}

}  // namespace
}  // namespace concilio::process_test
