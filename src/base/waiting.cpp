#include "base/waiting.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <climits>

namespace concilio {
namespace {

constexpr int64_t second_ns = 1'000'000'000;

timespec as_timespec(int64_t ns) {
  return {ns / second_ns, ns % second_ns};
}

}  // namespace

int64_t now_ns() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * second_ns + now.tv_nsec;
}

void sleep_ns(int64_t ns) {
  sleep_until_ns(now_ns() + ns);
}

void sleep_until_ns(int64_t until_ns) {
  const timespec until = as_timespec(until_ns);
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) == EINTR) continue;
}

bool sleep_while(const std::atomic<uint32_t>& value, uint32_t is, int64_t longest_ns) {
  const timespec timeout = as_timespec(longest_ns);
  return syscall(SYS_futex, &value, FUTEX_WAIT, is, &timeout, nullptr, 0) == 0;
}

void wake_sleepers(const std::atomic<uint32_t>& value) {
  syscall(SYS_futex, &value, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

void take_time_of_copy(int64_t) {}

void take_time_of_storage_network(int64_t, bool) {}

uint64_t storage_client() {
  return static_cast<uint64_t>(getpid());
}

int described_cores() {
  return 0;
}

bool work_beside_simulated_rank(const std::function<void()>&) {
  return false;
}

bool ranks_are_simulated() {
  return false;
}

}  // namespace concilio
