// Shared by the C programs in this folder: they stop at the first thing that is wrong.
#pragma once

#include <mpi.h>
#include <stdio.h>

#include "common/expect.h"

static int rank, ranks;
static const char* folder;

/* A call of a library whose codes are 0 or an error. */
static inline void require_success(int code, const char* (*message_of)(int), const char* file, int line,
                                   const char* call) {
  if (code == 0) return;
  note_failure(file, line, call);
  note_failure(NULL, 0, message_of(code));
  REQUIRE(code == 0);
}

static const char* path_of(const char* name) {
  static char path[4096];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return path;
}

// The program's only argument is the folder for its files.
static void begin(int* argc, char*** argv) {
  MPI_Init(argc, argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  expecting("rank %d", rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  REQUIRE(*argc == 2);
  folder = (*argv)[1];
}
