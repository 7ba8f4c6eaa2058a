// Tells which MPI a preload library was built for, as a text that `concilio run` finds in the library's file
// without loading it.
#pragma once

#include <mpi.h>

#define CONCILIO_TEXT_OF(value) #value
#define CONCILIO_TEXT(value) CONCILIO_TEXT_OF(value)

#if defined(OMPI_MAJOR_VERSION)
#define CONCILIO_BUILT_FOR                                                                              \
  "openmpi " CONCILIO_TEXT(OMPI_MAJOR_VERSION) "." CONCILIO_TEXT(OMPI_MINOR_VERSION) "." CONCILIO_TEXT( \
      OMPI_RELEASE_VERSION)
#elif defined(MPICH_VERSION)
#define CONCILIO_BUILT_FOR "mpich " MPICH_VERSION
#elif defined(MPI_ABI_VERSION)  // the ABI of the MPI 5 standard, whoever implements it
#define CONCILIO_BUILT_FOR "abi " CONCILIO_TEXT(MPI_ABI_VERSION) "." CONCILIO_TEXT(MPI_ABI_SUBVERSION)
#elif defined(SMPI_H)
#define CONCILIO_BUILT_FOR "smpi"
#else
#error "not known: which MPI this is"
#endif

#define CONCILIO_BUILT_FOR_MARK "concilio-built-for: "
