// A clock of the program's own, which the library takes for the C library's: it may be ahead of the
// machine's, or made up. To be included by one source of a program, in C or C++, which exports its symbols.
#pragma once

#include <errno.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int64_t ahead_ns;
static int64_t step_ns;  // not 0: the clock is made up, and each look at it takes so long

static inline int64_t let_pass(int64_t ns) {
  return __atomic_add_fetch(&ahead_ns, ns, __ATOMIC_RELAXED);
}

#ifdef __cplusplus
extern "C"
#endif
    __attribute__((visibility("default"))) int
    clock_gettime(clockid_t clock, struct timespec* now) {
  const int64_t second = 1000000000;
  int64_t ns = step_ns ? second + let_pass(step_ns) : 0;
  if (!step_ns) {
    const int code = (int)syscall(SYS_clock_gettime, clock, now);
    if (code) return code;
    ns = now->tv_sec * second + now->tv_nsec + (clock == CLOCK_MONOTONIC ? let_pass(0) : 0);
  }
  now->tv_sec = ns / second;
  now->tv_nsec = ns % second;
  return 0;
}

// To sleep until a time of that clock. Until one of a clock that is made up, nobody needs to.
#ifdef __cplusplus
extern "C"
#endif
    __attribute__((visibility("default"))) int
    clock_nanosleep(clockid_t clock, int flags, const struct timespec* until, struct timespec* rest) {
  const int64_t second = 1000000000;
  struct timespec real = *until;
  if (clock == CLOCK_MONOTONIC && (flags & TIMER_ABSTIME)) {
    if (step_ns) return 0;
    const int64_t ns = until->tv_sec * second + until->tv_nsec - let_pass(0);
    real.tv_sec = ns > 0 ? ns / second : 0;
    real.tv_nsec = ns > 0 ? ns % second : 0;
  }
  return syscall(SYS_clock_nanosleep, clock, flags, &real, rest) == 0 ? 0 : errno;
}
