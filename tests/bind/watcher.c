// A library that watches MPI-IO as profilers do: it has functions of its own in place of some MPI_File_*,
// counts their calls, and passes them on. WAY says how: 1 calls PMPI_File_*, as the MPI standard has it; 2
// calls the next MPI_File_* in the search order; 3 calls the next PMPI_File_*, and is PMPI_File_* too, which
// is Darshan's way.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int opened, wrote, read_back, closed;

#if WAY == 1
#define NEXT(name) P##name
#define TOO(name)
#elif WAY == 2
#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
#define TOO(name)
#else
#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, "P" #name))
#define TOO(name) extern __typeof__(name) P##name __attribute__((alias(#name)));
#endif

int MPI_File_open(MPI_Comm comm, const char* name, int amode, MPI_Info info, MPI_File* file) {
  ++opened;
  return NEXT(MPI_File_open)(comm, name, amode, info, file);
}
TOO(MPI_File_open)

int MPI_File_write_at_all(MPI_File file, MPI_Offset offset, const void* data, int count, MPI_Datatype type,
                          MPI_Status* status) {
  ++wrote;
  return NEXT(MPI_File_write_at_all)(file, offset, data, count, type, status);
}
TOO(MPI_File_write_at_all)

int MPI_File_read_at_all(MPI_File file, MPI_Offset offset, void* data, int count, MPI_Datatype type,
                         MPI_Status* status) {
  ++read_back;
  return NEXT(MPI_File_read_at_all)(file, offset, data, count, type, status);
}
TOO(MPI_File_read_at_all)

int MPI_File_close(MPI_File* file) {
  ++closed;
  return NEXT(MPI_File_close)(file);
}
TOO(MPI_File_close)

__attribute__((destructor)) static void tell(void) {
  if (opened)
    fprintf(stderr, "%s: %d opened, %d written, %d read, %d closed\n", NAME, opened, wrote, read_back,
            closed);
}
