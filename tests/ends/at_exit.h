/* What the programs here do with files while their process ends, in C and in C++. */
#pragma once

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/expect.h"

enum { own_bytes = 1000 };

static int rank, ranks, files_closed, reports;
static MPI_File file;
static char report[4096];

static inline void path_of(const char* name, char* path) {
  const char* folder = getenv("CONCILIO_TEST_DIR");
  snprintf(path, 4096, "%s/%s", folder ? folder : "/tmp", name);
}

static inline void start(int* argc, char*** argv) {
  reports = *argc > 2 && strcmp((*argv)[2], "--report") == 0;
  path_of("report", report);
  if (reports) setenv("CONCILIO_REPORT", report, 1);
  MPI_Init(argc, argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  expecting("rank %d", rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
}

static inline void open_file(const char* name) {
  char path[4096];
  path_of(name, path);
  REQUIRE(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file) ==
          MPI_SUCCESS);
}

/* The ranks' bytes by turns, with a call of each kind. */
static inline void write_and_read(void) {
  unsigned char mine[own_bytes], found[own_bytes], first;
  MPI_Datatype one, tile;
  for (int i = 0; i < own_bytes; i++) mine[i] = (unsigned char)(rank * 7 + i);
  MPI_Type_contiguous(1, MPI_BYTE, &one);
  MPI_Type_create_resized(one, 0, ranks, &tile);
  MPI_Type_commit(&tile);
  REQUIRE(MPI_File_set_view(file, rank, MPI_BYTE, tile, "native", MPI_INFO_NULL) == MPI_SUCCESS);
  MPI_Type_free(&tile);
  MPI_Type_free(&one);
  REQUIRE(MPI_File_write_at_all(file, 0, mine, own_bytes, MPI_BYTE, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  REQUIRE(MPI_File_read_at_all(file, 0, found, own_bytes, MPI_BYTE, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  REQUIRE(memcmp(mine, found, own_bytes) == 0);
  REQUIRE(MPI_File_write_at(file, own_bytes, mine, own_bytes, MPI_BYTE, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  REQUIRE(MPI_File_read_at(file, own_bytes, &first, 1, MPI_BYTE, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  REQUIRE(first == mine[0]);
}

static inline void close_file(void) {
  REQUIRE(MPI_File_close(&file) == MPI_SUCCESS);
  files_closed++;
}

static inline void use_file(const char* name) {
  open_file(name);
  write_and_read();
  close_file();
}

/* Every file that was closed has its line, each a whole one. */
static inline void check_report(void) {
  FILE* lines = fopen(report, "r");
  int found = 0, depth = 0;
  REQUIRE(lines != NULL);
  for (int c; (c = fgetc(lines)) != EOF;) {
    if (c == '{') depth++;
    if (c == '}') depth--;
    if (c == '\n') {
      REQUIRE(depth == 0);
      found++;
    }
  }
  fclose(lines);
  REQUIRE(found == files_closed);
}

static inline void finish(void) {
  MPI_Finalize();
  if (rank == 0 && reports) check_report();
}
