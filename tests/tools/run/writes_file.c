// An MPI program whose ranks write a file together. Arguments: FILE, and what is peculiar about it:
//   fails-without, fails-with  it ends with status 7 unless, or if, Concilio is preloaded
//   differs                    it writes other bytes if Concilio is preloaded
//   varies                     it writes other bytes each time
//   new-name                   the file has another name each time
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argument_count, char** arguments) {
  const char* preload = getenv("LD_PRELOAD");
  const int preloaded = preload && strstr(preload, "libconcilio-");
  const char* peculiar = argument_count > 2 ? arguments[2] : "";
  int rank = 0, mark = 0;
  MPI_Init(&argument_count, &arguments);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (strcmp(peculiar, "differs") == 0) mark = preloaded;
  if (strcmp(peculiar, "varies") == 0 || strcmp(peculiar, "new-name") == 0) mark = (int)getpid();
  MPI_Bcast(&mark, 1, MPI_INT, 0, MPI_COMM_WORLD);
  char name[4096];
  snprintf(name, sizeof name, strcmp(peculiar, "new-name") == 0 ? "%s.%d" : "%s", arguments[1], mark);

  int values[1024];
  for (int i = 0; i < 1024; ++i) values[i] = rank + i + mark;
  MPI_File file;
  MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  MPI_File_write_at_all(file, rank * (MPI_Offset)sizeof values, values, 1024, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_close(&file);
  if (rank == 0) puts("program ran");
  MPI_Finalize();
  return strcmp(peculiar, preloaded ? "fails-with" : "fails-without") == 0 ? 7 : 0;
}
