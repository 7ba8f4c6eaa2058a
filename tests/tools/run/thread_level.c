// Prints the thread level that the program has, and whether MPI_Init_thread reported it correctly. The
// argument says how MPI is initialised.
#include <mpi.h>
#include <stdio.h>
#include <string.h>

int main(int argument_count, char** arguments) {
  const char* how = argument_count > 1 ? arguments[1] : "MPI_Init";
  int told = -1, level = -1, rank = 0;
  if (strcmp(how, "MPI_Init_thread") == 0) {
    MPI_Init_thread(&argument_count, &arguments, MPI_THREAD_FUNNELED, &told);
  } else if (strcmp(how, "PMPI_Init_thread") == 0) {
    PMPI_Init_thread(&argument_count, &arguments, MPI_THREAD_SINGLE, &told);
  } else if (strcmp(how, "multiple") == 0) {
    MPI_Init_thread(&argument_count, &arguments, MPI_THREAD_MULTIPLE, &told);
  } else if (strcmp(how, "PMPI_Init") == 0) {
    PMPI_Init(&argument_count, &arguments);
  } else {
    MPI_Init(&argument_count, &arguments);
  }
  MPI_Query_thread(&level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    printf("%s level, told %s\n", level == MPI_THREAD_MULTIPLE ? "multiple" : "lower",
           told == -1 || told == level ? "the truth" : "something else");
  }
  MPI_Finalize();
  return 0;
}
