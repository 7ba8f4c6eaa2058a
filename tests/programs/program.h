// What the C programs here share: they stop at the first thing that is not as it should be.
#pragma once

#include <mpi.h>
#include <stdio.h>

static int rank, ranks;
static const char* folder;

#define EXPECT(condition)                                                           \
  do {                                                                              \
    if (!(condition)) {                                                             \
      printf("rank %d, %s:%d: not so: %s\n", rank, __FILE__, __LINE__, #condition); \
      fflush(stdout);                                                               \
      MPI_Abort(MPI_COMM_WORLD, 1);                                                 \
    }                                                                               \
  } while (0)

static const char* path_of(const char* name) {
  static char path[4096];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return path;
}

// The program's only argument is the folder for its files.
static void begin(int* argc, char*** argv) {
  MPI_Init(argc, argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  EXPECT(*argc == 2);
  folder = (*argv)[1];
}
