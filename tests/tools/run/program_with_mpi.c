// An MPI program that ends as its argument says: "exit N" or "signal N" on every rank. Without an argument it
// succeeds.
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argument_count, char** arguments) {
  int rank = 0;
  MPI_Init(&argument_count, &arguments);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) puts("program ran");
  if (argument_count == 3 && strcmp(arguments[1], "signal") == 0) raise(atoi(arguments[2]));
  MPI_Finalize();
  return argument_count == 3 ? atoi(arguments[2]) : 0;
}
