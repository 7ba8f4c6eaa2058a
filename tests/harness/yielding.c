// Lets the ranks of MPICH yield. They poll for messages without a pause. If there are more ranks than cores,
// each rank would poll for its whole share of a core, while the rank that should send is not running.
// mpi_test preloads this library, as it asks Open MPI to yield.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>

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
  } else if (++idle == 10) {  // in vain: what comes through shared memory is not looked for here
    idle = 0;
    sched_yield();
  }
  return events;
}
