// Processes that pass a descriptor as the ranks of a node do.
#include "mpi/nodes/leader_socket.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <new>

namespace concilio::mpi::leader_socket_test {
namespace {

constexpr char content = 'x';
constexpr int skipped = 77;

// In memory that all have.
struct Node {
  pthread_barrier_t barrier;
  LeaderAddress address;
};

// Whether this rank has done its part: the leader gives a file that the others read.
bool pass(Node& node, int rank, int ranks) {
  const Descriptor file(rank == 0 ? memfd_create("passed", MFD_CLOEXEC) : -1);
  if (file && ::write(file.number(), &content, 1) != 1) return false;
  const auto meet = [&] { pthread_barrier_wait(&node.barrier); };
  const auto tell = [&](LeaderAddress& address) {
    if (rank == 0) node.address = address;
    meet();
    address = node.address;
  };
  const Descriptor passed = pass_descriptor(rank, ranks, file.number(), tell, meet);
  char found = 0;
  return rank == 0 || (pread(passed.number(), &found, 1, 0) == 1 && found == content);
}

// In a network namespace of its own. Returns how many ranks have not done their part, or `skipped`.
int pass_where_few_may_wait(int ranks, const char* most_waiting) {
  alarm(60);
  if (unshare(CLONE_NEWNET) != 0) return skipped;
  const Descriptor limit(open("/proc/sys/net/core/somaxconn", O_WRONLY | O_CLOEXEC));
  if (!limit || ::write(limit.number(), most_waiting, std::strlen(most_waiting)) < 0) return skipped;
  void* shared = mmap(nullptr, sizeof(Node), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) return skipped;
  Node& node = *new (shared) Node;
  pthread_barrierattr_t between_processes;
  pthread_barrierattr_init(&between_processes);
  pthread_barrierattr_setpshared(&between_processes, PTHREAD_PROCESS_SHARED);
  pthread_barrier_init(&node.barrier, &between_processes, static_cast<unsigned>(ranks));
  for (int rank = 1; rank < ranks; ++rank) {
    if (fork() == 0) {
      alarm(60);
      _exit(pass(node, rank, ranks) ? 0 : 1);
    }
  }
  int missed = pass(node, 0, ranks) ? 0 : 1;
  for (int status = 0; wait(&status) > 0;) missed += status != 0;
  return missed;
}

// 128 is what systems before Linux 5.4 have.
TEST(LeaderSocket, SoManyRanksThatNotAllMayWaitAtATime) {
  const pid_t node = fork();
  if (node == 0) _exit(pass_where_few_may_wait(150, "128"));
  int status = 0;
  ASSERT_EQ(waitpid(node, &status, 0), node);
  ASSERT_TRUE(WIFEXITED(status));
  if (WEXITSTATUS(status) == skipped) GTEST_SKIP() << "not allowed to make a network";
  EXPECT_EQ(WEXITSTATUS(status), 0) << "ranks got nothing";
}

}  // namespace
}  // namespace concilio::mpi::leader_socket_test
