// Lets the ranks of MPICH yield. They poll for messages without end, and where ranks outnumber cores each one
// spends its whole share of a core on looking for what a rank that is not running has to send. Preloaded by
// mpi_test, as it asks Open MPI to yield.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>

// What MPICH polls with. Not by RTLD_NEXT: Python loads libmpich, and libucp with it, for itself alone.
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
  } else if (++idle == 10) {  // in vain: what comes through shared memory is not looked for here
    idle = 0;
    sched_yield();
  }
  return events;
}
