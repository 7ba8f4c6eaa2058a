// opens_briefly FILE COUNT FILES STEP_NS PAUSE_NS HOW: opens FILE.0, FILE.1, ... COUNT times in all, each in
// its turn, for a write of 8 bytes by each rank, and tries a file that does not exist as often. With STEP_NS,
// the program's clock is made up: each look at it takes so long, and each pause between two files PAUSE_NS.
// HOW: "ends", or "killed" by itself before MPI ends; "made": the missing file is made at last, after a
// second.
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../common/own_clock.h"

int main(int argc, char** argv) {
  if (argc != 7) return 2;
  step_ns = atoll(argv[4]);
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < atoi(argv[2]); ++i) {
    char name[4096];
    MPI_File file;
    snprintf(name, sizeof name, "%s.%d", argv[1], i % atoi(argv[3]));
    if (MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file) ||
        MPI_File_write_at(file, 8 * rank, "12345678", 8, MPI_BYTE, MPI_STATUS_IGNORE) ||
        MPI_File_close(&file))
      MPI_Abort(MPI_COMM_WORLD, 3);
    snprintf(name, sizeof name, "%s.none", argv[1]);
    if (!MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDONLY, MPI_INFO_NULL, &file))
      MPI_Abort(MPI_COMM_WORLD, 3);
    let_pass(atoll(argv[5]));
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (!strcmp(argv[6], "made")) {
    char name[4096];
    MPI_File file;
    let_pass(1000000000);
    snprintf(name, sizeof name, "%s.none", argv[1]);
    MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
    MPI_File_close(&file);
  }
  if (!strcmp(argv[6], "killed")) raise(SIGKILL);
  MPI_Finalize();
  return 0;
}
