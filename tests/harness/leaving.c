// Lets ranks leave MPI. mpi_test preloads this library where it is needed: for Open MPI, and for Debian's
// MPICH, 4.0, on several hosts.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <string.h>

// In MPI_Finalize a rank of MPICH 4.0 closes its connections one by one, which takes an answer from the other
// end, and then waits for all ranks without looking at messages any more. So a rank that closes later is
// never answered, and all wait for ever. Connections that are not closed go with the process.
__attribute__((visibility("default"))) void* ucp_disconnect_nb(void* endpoint) {
  (void)endpoint;
  return 0;  // UCS_OK: it is done
}

// MPI_Finalize of Open MPI 4.1 unloads the component that libpmix's thread was told to call. One that calls
// it after that ends with a segmentation fault, when all is done and passed, once in a great many runs. A
// component that stays goes with the process.
__attribute__((visibility("default"))) int dlclose(void* handle) {
  struct link_map* library = 0;
  if (dlinfo(handle, RTLD_DI_LINKMAP, &library) == 0 && strstr(library->l_name, "/mca_pmix_")) return 0;
  int (*close)(void*);
  *(void**)&close = dlsym(RTLD_NEXT, "dlclose");
  return close(handle);
}
