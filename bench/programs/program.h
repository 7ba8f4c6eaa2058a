// The programs of this folder write and read a file as simulation codes do, each by one library, and are
// measured from their start to their end. Each variable is a three-dimensional array of doubles with
// another dimension, time, before the others. The array is cut into one block a rank.
#pragma once

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { variables = 3, edge = 64, cells = edge * edge * edge };

static int rank, ranks;
// The program's arguments: FILE [STEPS].
static const char* file_name;
static int steps = 16;

// Of time, z, y and x. A rank's block is one step long.
static size_t whole[4], start[4], count[4] = {1, edge, edge, edge};
static double data[cells];

static inline void fail(const char* what, const char* why) {
  fprintf(stderr, "concilio bench: rank %d: %s: %s\n", rank, what, why);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

// Makes `start` the place of a rank's block.
static inline void go_to_block_of(int owner) {
  for (int d = 3; d >= 1; --d) {
    const int blocks = (int)(whole[d] / edge);
    start[d] = (size_t)(owner % blocks) * edge;
    owner /= blocks;
  }
}

static inline void begin(int* argc, char*** argv) {
  MPI_Init(argc, argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (*argc == 3) steps = atoi((*argv)[2]);
  if (*argc < 2 || *argc > 3 || steps < 1) fail((*argv)[0], "the arguments are FILE [STEPS]");
  file_name = (*argv)[1];
  int grid[3] = {0, 0, 0};
  MPI_Dims_create(ranks, 3, grid);
  // The x axis is cut first, so that a rank's rows lie between those of others, also on two ranks.
  for (int d = 0; d < 3; ++d) whole[3 - d] = (size_t)grid[d] * edge;
  whole[0] = (size_t)steps;
  go_to_block_of(rank);
}

static inline double value_of(int variable, int owner, int cell) {
  return ((double)((long)start[0] * variables + variable) * ranks + owner) * cells + cell;
}
// Rank `owner`'s part of a variable, in the step that `start` is at.
static inline void fill(int variable, int owner) {
  for (int cell = 0; cell < cells; ++cell) data[cell] = value_of(variable, owner, cell);
}
static inline void check(int variable, int owner) {
  for (int cell = 0; cell < cells; ++cell) {
    if (data[cell] != value_of(variable, owner, cell)) fail(file_name, "other values than were written");
  }
}

// The name of a variable.
static inline const char* name_of(int variable) {
  static const char* const names[variables] = {"density", "pressure", "temperature"};
  return names[variable];
}

// All of a program. What a rank reads, another one has written.
static inline int run(int argc, char** argv, void (*write_file)(void), void (*read_file)(int owner)) {
  begin(&argc, &argv);
  write_file();
  read_file((rank + 1) % ranks);
  MPI_Finalize();
  return 0;
}
