// Lets ranks rest that wait in vain. In tests ranks outnumber the cores, and several tests run at a time.
// MPICH polls for messages without a pause; Open MPI and MPICH 5, asked so by mpi_test, yield, and so does
// Concilio between nodes. But whoever polls and yields still runs in the system's eyes, so that others who
// have work share the rest of the cores, and what runs only on idle cores does not run at all. mpi_test
// preloads this library.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

// So many yields one after the other are a wait in vain. Then each `between_rests`-th is a rest instead.
enum { patience = 20, between_rests = 5 };
// Whoever yields later than so long after the last time has done something meanwhile.
static const int64_t apart_ns = 4000;
// With the system's slack it is about 75 microseconds: less than what Concilio takes for a long turn of
// others.
static const struct timespec rest = {0, 20000};

static __thread int in_vain;

static int64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000000LL + now.tv_nsec;
}

__attribute__((visibility("default"))) int sched_yield(void) {
  static __thread int64_t last_ns;
  if (now_ns() - last_ns > apart_ns) in_vain = 0;
  if (++in_vain < patience) {
    syscall(SYS_sched_yield);
  } else {
    in_vain -= between_rests;
    nanosleep(&rest, 0);
  }
  last_ns = now_ns();
  return 0;
}

// The function that MPICH polls with. RTLD_NEXT would not find it, because Python loads libmpich, and with it
// libucp, with local scope.
static unsigned (*progress)(void* worker);
static void find(void) {
  *(void**)&progress = dlsym(dlopen("libucp.so.0", RTLD_LAZY), "ucp_worker_progress");
}

__attribute__((visibility("default"))) unsigned ucp_worker_progress(void* worker) {
  static pthread_once_t found = PTHREAD_ONCE_INIT;
  static __thread unsigned idle;
  pthread_once(&found, find);
  unsigned events = progress(worker);
  if (events > 0) {
    idle = 0;
    in_vain = 0;
  } else if (++idle == 10) {  // in vain: what comes through shared memory is not looked for here
    idle = 0;
    sched_yield();
  }
  return events;
}
