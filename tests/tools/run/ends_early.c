// An MPI program whose two ranks open a file, write it together once, and then do what the second argument
// says. Arguments: FILE, and
//   kill    rank 1 is killed, and the others wait for it
//   abort   rank 1 calls MPI_Abort
//   exit    all ranks exit without closing the file
//   hang    rank 1 sleeps, and the others wait for it in another collective write
//   fails   all ranks write at an offset that no file has, and close the file
//   second  all ranks close the file, open another, and exit without closing that
//   missing all ranks open another file, which does not exist, and close this one
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// What a rank writes in a call: as much as is recorded at once, and not only with the calls after it.
enum { bytes = 1 << 20 };
static char values[bytes];

int main(int argument_count, char** arguments) {
  int rank = 0;
  if (argument_count != 3) return 2;
  MPI_Init(&argument_count, &arguments);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const char* then = arguments[2];
  const char* live = getenv("CONCILIO_LIVE");
  if (rank == 0) printf("live in %s\n", live ? live : "nothing");
  fflush(stdout);
  MPI_File file, other;
  MPI_File_open(MPI_COMM_WORLD, arguments[1], MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  MPI_File_write_at_all(file, rank * (MPI_Offset)bytes, values, bytes, MPI_BYTE, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
  if (strcmp(then, "kill") == 0 && rank == 1) raise(SIGKILL);
  if (strcmp(then, "abort") == 0 && rank == 1) MPI_Abort(MPI_COMM_WORLD, 3);
  if (strcmp(then, "exit") == 0) _exit(5);
  if (strcmp(then, "hang") == 0 && rank == 1) sleep(100);
  if (strcmp(then, "fails") == 0) MPI_File_write_at(file, -1, values, 1, MPI_BYTE, MPI_STATUS_IGNORE);
  char name[4096];
  snprintf(name, sizeof name, "%s.%s", arguments[1], then);
  if (strcmp(then, "second") == 0) {
    MPI_File_close(&file);
    MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &other);
    MPI_Barrier(MPI_COMM_WORLD);
    _exit(5);
  }
  if (strcmp(then, "missing") == 0) {
    MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDONLY, MPI_INFO_NULL, &other);
  } else if (strcmp(then, "fails") != 0) {
    MPI_File_write_at_all(file, rank * (MPI_Offset)bytes, values, bytes, MPI_BYTE, MPI_STATUS_IGNORE);
  }
  MPI_File_close(&file);
  MPI_Finalize();
  return 0;
}
